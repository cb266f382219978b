// Scenes of the envelope: ids, unknown names, lines that are none.
#include <thread>

#include "check/client/answer.h"
#include "check/client/scene.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

void expect_code(Scene& scene, std::string_view id, std::string_view method,
                 std::string_view params, std::int64_t code) {
  const auto answer = scene.call(method, params);
  scene.expect(id, error_code(answer) == code,
               std::string(method) + ": " + shown(answer) + (answer ? "" : "; " + scene.state()));
}

void play_unknown_request(Scene& scene) {
  if (!scene.reach_prompt()) return;
  expect_code(scene, "C-RPC-1", "session/read_mind", R"({"sessionId":$S})", -32601);
  expect_code(scene, "C-RPC-1", "unheard_of", "[1,2]", -32601);
  scene.end_well("C-RPC-1", "an unknown request");
}

void play_unknown_extension(Scene& scene) {
  if (!scene.reach_prompt()) return;
  expect_code(scene, "C-RPC-2", "_check.example/ask", R"({"sessionId":$S,"x":1})", -32601);
  scene.end_well("C-RPC-2", "an unknown extension request");
}

void play_unknown_notification(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.notify("_check.example/note", R"({"x":{"y":[]}})");
  scene.notify("session/hint", R"({"sessionId":$S})");
  scene.notify("$/cancel_request", R"({"requestId":"never asked"})");
  scene.notify("$/progress", R"({"token":1})");
  scene.survived("C-RPC-3", "unknown notifications");
  scene.end_well("C-RPC-3", "unknown notifications");
}

// Any answer has the id that the question had; so nothing else matters here.
void play_ids(Scene& scene, std::initializer_list<std::string_view> ids, std::string_view id) {
  if (!scene.reach_prompt()) return;
  if (scene.facts().barrier == ClientFacts::Barrier::none)
    return scene.skip(id, "the client answers no requests");
  scene.ruled = false;  // an answer to nobody is judged here
  const bool permission = scene.facts().barrier == ClientFacts::Barrier::permission;
  for (const std::string_view each : ids) {
    scene.ask(permission ? "session/request_permission" : "_check/ping",
              permission ? R"({"sessionId":$S,"toolCall":{"toolCallId":"i"},"options":[]})" : "{}",
              std::string(each));
    if (!scene.expect(id, scene.answer_to(std::string(each)).has_value(),
                      "no answer with the id " + std::string(each)))
      break;
  }
  scene.finish();
}

void play_ids_plain(Scene& scene) {
  play_ids(scene,
           {"0", "\"a-7e1 \xC3\xA4\"", "\"17\"", "-3", "9007199254740991",
            "\"2f1c6f0e-6f3b-4a0f-9c55-000000000000\""},
           "C-RPC-4");
}
void play_ids_large(Scene& scene) {
  play_ids(scene, {"9007199254740993", "9223372036854775807"}, "C-RPC-5");
}

void play_broken_lines(Scene& scene) {
  if (!scene.reach_prompt()) return;
  if (scene.options().framing != rpc::Framing::newline)
    return scene.skip("C-RPC-6", "there are no lines in this framing");
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
    scene.raw(line);
    if (!scene.survived("C-RPC-6", what)) break;
  }
  scene.end_well("C-RPC-6", "lines that are no messages");
}

void play_banner(Scene& scene) {
  if (scene.options().framing != rpc::Framing::newline)
    return scene.skip("C-RPC-7", "there are no lines in this framing");
  scene.intercept = [&](const Incoming& call) {
    if (call.method == "initialize") scene.raw("Welcome to the agent!\n\nversion: 1.0\n");
    return false;
  };
  if (!scene.start()) return;
  if (scene.expect("C-RPC-7", scene.until([&] { return !scene.prompts().empty(); }),
                   "no prompt followed: " + scene.state()))
    scene.end_well("C-RPC-7", "a banner");
  else
    scene.finish();
}

void play_bad_params(Scene& scene) {
  if (!scene.reach_prompt()) return;
  const auto answer =
      scene.call("session/request_permission", R"({"sessionId":7,"options":"all of them"})");
  scene.expect("C-RPC-8", answer && !(*answer)["error"].absent(),
               "a permission request without a tool call: " + shown(answer));
  if (answer && !(*answer)["error"].absent())
    scene.expect("C-RPC-9", error_code(answer) == -32602, shown(answer));
  else
    scene.skip("C-RPC-9", "there was no error");
  scene.finish();
}

void play_stray_answers(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.raw("{\"jsonrpc\":\"2.0\",\"id\":987654,\"result\":{}}\n");
  scene.raw(
      "{\"jsonrpc\":\"2.0\",\"id\":\"nobody\",\"error\":{\"code\":-32603,\"message\":\"?\"}}\n");
  scene.raw(
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse "
      "error\"}}\n");
  scene.survived("C-RPC-10", "answers to nobody");
  scene.end_well("C-RPC-10", "answers to nobody");
}

void play_line_ends(Scene& scene) {
  if (scene.options().framing != rpc::Framing::newline)
    return scene.skip("C-RPC-11", "there are no lines in this framing");
  if (!scene.reach_prompt()) return;
  scene.raw("\n\r\n   \n{\"jsonrpc\":\"2.0\",\"method\":\"_check/note\",\"params\":{}}\r\n\n");
  scene.survived("C-RPC-11", "blank lines and CRLF");
  scene.end_well("C-RPC-11", "blank lines and CRLF");
}

void play_pieces(Scene& scene) {
  if (scene.options().framing != rpc::Framing::newline)
    return scene.skip("C-RPC-12", "there are no lines in this framing");
  if (!scene.reach_prompt()) return;
  if (scene.facts().barrier != ClientFacts::Barrier::extension)
    return scene.skip("C-RPC-12", "the client does not answer unknown requests");
  scene.ruled = false;  // the rules take each piece for a message
  // Between the pieces the client has time to read what there is; it must not depend on it.
  const std::string whole = "{\"jsonrpc\":\"2.0\",\"id\":\"p1\",\"method\":\"_check/\xC3\xA4\"}\n";
  const std::size_t middle = whole.find('\xC3') + 1;  // of a character
  scene.raw(whole.substr(0, 7));
  std::this_thread::sleep_for(60ms);  // and answers nothing, which would stand between the pieces
  scene.raw(whole.substr(7, middle - 7));
  std::this_thread::sleep_for(60ms);  // and answers nothing, which would stand between the pieces
  scene.raw(whole.substr(middle) +
            "{\"jsonrpc\":\"2.0\",\"method\":\"_check/note\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":\"p2\",\"method\":\"_check/b\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":\"p3\",\"method\":\"_check/c\"}\n");
  for (const char* const id : {"\"p1\"", "\"p2\"", "\"p3\""})
    scene.expect("C-RPC-12", scene.answer_to(id).has_value(),
                 std::string("no answer to ") + id + ": " + scene.state());
  scene.finish();
}

void play_bad_notification(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.notify("session/update", R"({"sessionId":$S,"update":"all is well"})");
  scene.notify("session/update", R"({"update":{"sessionUpdate":"plan"}})");
  scene.notify("session/update", "[]");
  scene.update(R"({"sessionUpdate":"tool_call","toolCallId":5,"title":null})");
  scene.survived("C-RPC-13", "notifications that do not fit");
  scene.end_well("C-RPC-13", "notifications that do not fit");
}

void play_not_advertised(Scene& scene) {
  if (!scene.reach_prompt()) return;
  const JsonView has = scene.capabilities();
  int tried = 0;
  const auto refuse = [&](bool offered, std::string_view method, std::string_view params) {
    if (offered) return;
    ++tried;
    const auto answer = scene.call(method, params);
    scene.expect("C-HONEST-1", error_code(answer) != 0,
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
  if (tried == 0) scene.skip("C-HONEST-1", "the client advertises everything");
  scene.finish();
}

}  // namespace

std::vector<ClientScene> client_rpc_scenes() {
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
      {"what was not advertised", {"C-HONEST-1"}, play_not_advertised},
  };
}

}  // namespace acp::check
