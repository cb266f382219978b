// Scenarios of the envelope: ids, unknown names, lines that are none.
#include <thread>

#include "check/client/answer.h"
#include "check/client/client_scenario.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

void expect_code(ClientScenario& scenario, std::string_view id, std::string_view method,
                 std::string_view params, std::int64_t code) {
  const auto answer = scenario.call(method, params);
  scenario.expect(
      id, error_code(answer) == code,
      std::string(method) + ": " + shown(answer) + (answer ? "" : "; " + scenario.state()));
}

void play_unknown_request(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  expect_code(scenario, "C-RPC-1", "session/read_mind", R"({"sessionId":$S})", -32601);
  expect_code(scenario, "C-RPC-1", "unheard_of", "[1,2]", -32601);
  scenario.end_well("C-RPC-1", "an unknown request");
}

void play_unknown_extension(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  expect_code(scenario, "C-RPC-2", "_check.example/ask", R"({"sessionId":$S,"x":1})", -32601);
  scenario.end_well("C-RPC-2", "an unknown extension request");
}

void play_unknown_notification(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.notify("_check.example/note", R"({"x":{"y":[]}})");
  scenario.notify("session/hint", R"({"sessionId":$S})");
  scenario.notify("$/cancel_request", R"({"requestId":"never asked"})");
  scenario.notify("$/progress", R"({"token":1})");
  scenario.survived("C-RPC-3", "unknown notifications");
  scenario.end_well("C-RPC-3", "unknown notifications");
}

// Any answer has the id that the question had; so nothing else matters here.
void play_ids(ClientScenario& scenario, std::initializer_list<std::string_view> ids,
              std::string_view id) {
  if (!scenario.reach_prompt()) return;
  if (scenario.facts().barrier == ClientFacts::Barrier::none)
    return scenario.skip(id, "the client answers no requests");
  scenario.ruled = false;  // an answer to nobody is judged here
  const bool permission = scenario.facts().barrier == ClientFacts::Barrier::permission;
  for (const std::string_view each : ids) {
    scenario.ask(permission ? "session/request_permission" : "_check/ping",
                 permission ? scenario.permission("i") : "{}", std::string(each));
    if (!scenario.expect(id, scenario.answer_to(std::string(each)).has_value(),
                         "no answer with the id " + std::string(each)))
      break;
  }
  scenario.finish();
}

void play_ids_plain(ClientScenario& scenario) {
  play_ids(scenario,
           {"0", "\"a-7e1 \xC3\xA4\"", "\"17\"", "-3", "9007199254740991",
            "\"2f1c6f0e-6f3b-4a0f-9c55-000000000000\""},
           "C-RPC-4");
}
void play_ids_large(ClientScenario& scenario) {
  play_ids(scenario, {"9007199254740993", "9223372036854775807"}, "C-RPC-5");
}

void play_broken_lines(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  if (scenario.options().framing != rpc::Framing::newline)
    return scenario.skip("C-RPC-6", "there are no lines in this framing");
  const std::pair<const char*, std::string> lines[] = {
      {"a line of text", "Downloading 7 of 9…\n"},
      {"half a message", "{\"jsonrpc\":\"2.0\",\"method\":\"session/up\n"},
      {"a number", "42\n"},
      {"a line that is not UTF-8",
       "{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":\"\xFF\xFE\"}\n"},
      {"a batch", "[{\"jsonrpc\":\"2.0\",\"method\":\"_check/note\"}]\n"},
      {"an object that is no message", "{\"level\":\"info\",\"msg\":\"started\"}\n"},
      {"zero bytes", std::string("\0\0\0\n", 4)},
  };
  for (const auto& [what, line] : lines) {
    scenario.raw(line);
    if (!scenario.survived("C-RPC-6", what)) break;
  }
  scenario.end_well("C-RPC-6", "lines that are no messages");
}

void play_banner(ClientScenario& scenario) {
  if (scenario.options().framing != rpc::Framing::newline)
    return scenario.skip("C-RPC-7", "there are no lines in this framing");
  scenario.intercept = [&](const Incoming& call) {
    if (call.method == "initialize") scenario.raw("Welcome to the agent!\n\nversion: 1.0\n");
    return false;
  };
  if (!scenario.start()) return;
  if (scenario.expect("C-RPC-7", scenario.until([&] { return !scenario.prompts().empty(); }),
                      "no prompt followed: " + scenario.state()))
    scenario.end_well("C-RPC-7", "a banner");
  else
    scenario.finish();
}

void play_bad_params(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  const auto answer =
      scenario.call("session/request_permission", R"({"sessionId":7,"options":"all of them"})");
  scenario.expect("C-RPC-8", answer && !(*answer)["error"].absent(),
                  "a permission request without a tool call: " + shown(answer));
  if (answer && !(*answer)["error"].absent())
    scenario.expect("C-RPC-9", error_code(answer) == -32602, shown(answer));
  else
    scenario.skip("C-RPC-9", "there was no error");
  scenario.finish();
}

void play_stray_answers(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.raw("{\"jsonrpc\":\"2.0\",\"id\":987654,\"result\":{}}\n");
  scenario.raw(
      "{\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"error\":{\"code\":-32603,\"message\":\"?\"}}\n");
  scenario.raw(
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse "
      "error\"}}\n");
  scenario.survived("C-RPC-10", "answers to nobody");
  scenario.end_well("C-RPC-10", "answers to nobody");
}

void play_line_ends(ClientScenario& scenario) {
  if (scenario.options().framing != rpc::Framing::newline)
    return scenario.skip("C-RPC-11", "there are no lines in this framing");
  if (!scenario.reach_prompt()) return;
  scenario.raw("\n\r\n   \n{\"jsonrpc\":\"2.0\",\"method\":\"_check/note\",\"params\":{}}\r\n\n");
  scenario.survived("C-RPC-11", "blank lines and CRLF");
  scenario.end_well("C-RPC-11", "blank lines and CRLF");
}

void play_pieces(ClientScenario& scenario) {
  if (scenario.options().framing != rpc::Framing::newline)
    return scenario.skip("C-RPC-12", "there are no lines in this framing");
  if (!scenario.reach_prompt()) return;
  if (scenario.facts().barrier != ClientFacts::Barrier::extension)
    return scenario.skip("C-RPC-12", "the client does not answer unknown requests");
  scenario.ruled = false;  // the rules take each piece for a message
  // Between the pieces the client has time to read what there is; it must not depend on it.
  const std::string whole = "{\"jsonrpc\":\"2.0\",\"id\":\"p1\",\"method\":\"_check/\xC3\xA4\"}\n";
  const std::size_t middle = whole.find('\xC3') + 1;  // of a character
  scenario.raw(whole.substr(0, 7));
  std::this_thread::sleep_for(60ms);  // and answers nothing, which would stand between the pieces
  scenario.raw(whole.substr(7, middle - 7));
  std::this_thread::sleep_for(60ms);  // and answers nothing, which would stand between the pieces
  scenario.raw(whole.substr(middle) +
               "{\"jsonrpc\":\"2.0\",\"method\":\"_check/note\"}\n"
               "{\"jsonrpc\":\"2.0\",\"id\":\"p2\",\"method\":\"_check/b\"}\n"
               "{\"jsonrpc\":\"2.0\",\"id\":\"p3\",\"method\":\"_check/c\"}\n");
  for (const char* const id : {"\"p1\"", "\"p2\"", "\"p3\""})
    scenario.expect("C-RPC-12", scenario.answer_to(id).has_value(),
                    std::string("no answer to ") + id + ": " + scenario.state());
  scenario.finish();
}

void play_bad_notification(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.notify("session/update", R"({"sessionId":$S,"update":"all is well"})");
  scenario.notify("session/update", R"({"update":{"sessionUpdate":"plan"}})");
  scenario.notify("session/update", "[]");
  scenario.update(R"({"sessionUpdate":"tool_call","toolCallId":5,"title":null})");
  scenario.survived("C-RPC-13", "notifications that do not fit");
  scenario.end_well("C-RPC-13", "notifications that do not fit");
}

void play_not_advertised(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  const JsonView has = scenario.capabilities();
  int tried = 0;
  const auto refuse = [&](bool offered, std::string_view method, std::string_view params) {
    if (offered) return;
    ++tried;
    const auto answer = scenario.call(method, params);
    scenario.expect("C-HONEST-1", error_code(answer) != 0,
                    std::string(method) + ", which was not advertised: " + shown(answer));
  };
  refuse(has["fs"]["readTextFile"].as_bool().value_or(false), "fs/read_text_file",
         R"({"sessionId":$S,"path":"$W/none.txt"})");
  refuse(has["fs"]["writeTextFile"].as_bool().value_or(false), "fs/write_text_file",
         R"({"sessionId":$S,"path":"$W/none.txt","content":""})");
  refuse(has["terminal"].as_bool().value_or(false), "terminal/create",
         R"({"sessionId":$S,"command":"true"})");
  refuse(has["elicitation"]["form"].is_object(), "elicitation/create",
         R"({"sessionId":$S,"mode":"form","message":"?","requestedSchema":{"type":"object",)"
         R"("properties":{}}})");
  if (tried == 0) scenario.skip("C-HONEST-1", "the client advertises everything");
  scenario.finish();
}

}  // namespace

std::vector<ScenarioCase> client_honest_scenarios() {
  return {{"what was not advertised", {"C-HONEST-1"}, play_not_advertised}};
}

std::vector<ScenarioCase> client_rpc_scenarios() {
  return {
      {"unknown requests", {"C-RPC-1"}, play_unknown_request},
      {"an unknown extension request", {"C-RPC-2"}, play_unknown_extension},
      {"unknown notifications", {"C-RPC-3"}, play_unknown_notification},
      {"ids", {"C-RPC-4"}, play_ids_plain},
      {"large ids", {"C-RPC-5"}, play_ids_large},
      {"broken lines", {"C-RPC-6"}, play_broken_lines},
      {"a banner", {"C-RPC-7"}, play_banner},
      {"params that do not fit", {"C-RPC-8", "C-RPC-9"}, play_bad_params},
      {"answers to nobody", {"C-RPC-10"}, play_stray_answers},
      {"line ends", {"C-RPC-11"}, play_line_ends},
      {"messages in pieces", {"C-RPC-12"}, play_pieces},
      {"notifications that do not fit", {"C-RPC-13"}, play_bad_notification},
  };
}

}  // namespace acp::check
