// Scenarios of version 2 about what an agent asks, about cancelling, and about what there is no
// more.
#include "check/client/answer.h"
#include "check/client/version2/parts.h"

namespace acp::check::version2 {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view options =
    R"("options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},)"
    R"({"optionId":"no","name":"No","kind":"reject_once","hue":7}])";

void play_subjects(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  const std::pair<const char*, std::string_view> subjects[] = {
      {"a command",
       R"("description":"It is needed.","subject":{"type":"command","command":"make","cwd":"$W"},)"},
      {"a command of an unknown tool call",
       R"("subject":{"type":"command","command":"ls","cwd":"$W","toolCallId":"c9","terminalId":null},)"},
      {"a subject that nobody knows", R"("subject":{"type":"_wish","strength":9},)"},
      {"no subject", R"("description":null,"subject":null,"_meta":{"x":1},)"},
  };
  for (const auto& [what, members] : subjects) {
    const auto answer = scenario.call(
        "session/request_permission",
        R"({"sessionId":$S,"title":"Go on?",)" + std::string(members) + std::string(options) + "}");
    const bool good = answer && (*answer)["result"]["outcome"]["outcome"].is_string();
    if (!scenario.expect("C2-ASK-2", good, std::string(what) + ": " + shown(answer))) break;
  }
  scenario.finish();
}

// A client that answers by itself does so at once: then there is nothing to take back.
void play_taken_back(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.show_call("c1");
  const std::string asked = scenario.ask("session/request_permission", scenario.permission("c1"));
  if (scenario.until([&] { return scenario.answered(asked); }, 400ms)) {
    scenario.skip("C2-ASK-4", "the client answers at once");
    scenario.finish();
    return;
  }
  scenario.notify("$/cancel_request", "{\"requestId\":" + asked + "}");
  const auto answer = scenario.answer_to(asked);
  scenario.expect("C2-ASK-4",
                  answer && ((*answer)["result"]["outcome"]["outcome"].as_string() == "cancelled" ||
                             error_code(answer) == -32800),
                  "a request that was taken back: " + shown(answer));
  scenario.finish();
}

void play_cancel(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.say("1");
  scenario.show_call("c1");
  if (!scenario.alive()) return scenario.skip("C2-STOP-1", "the client is gone");
  if (!make_cancel(scenario)) return;
  scenario.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"cancelled"})");
  scenario.say("2");
  const bool alive = scenario.alive();
  scenario.until([&] { return scenario.gone(); }, 500ms);
  scenario.expect("C2-STOP-1", alive && !scenario.gone(),
                  "before the state idle: " + scenario.state());
  scenario.end_turn("cancelled");
  scenario.finish();
}

// The prompt waits for something else, and is never inserted.
void play_cancel_waiting(ClientScenario& scenario) {
  Incoming prompt;
  scenario.intercept = [&](const Incoming& call) {
    if (call.method != "session/prompt" || !prompt.method.empty()) return false;
    prompt = call;
    return true;
  };
  if (!scenario.start()) return;
  if (!scenario.until([&] { return !prompt.method.empty(); }))
    return scenario.skip("C2-STOP-2", "the client sent no session/prompt: " + scenario.state());
  scenario.alive();
  if (!make_cancel(scenario)) return;
  scenario.answer_error(prompt, -32800, "Request cancelled");
  expect_over(scenario, "C2-STOP-2", "a prompt that was never inserted");
}

void play_gone(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  const std::pair<std::string_view, std::string_view> calls[] = {
      {"fs/read_text_file", R"({"sessionId":$S,"path":"$W/none.txt"})"},
      {"fs/write_text_file", R"({"sessionId":$S,"path":"$W/none.txt","content":""})"},
      {"terminal/create", R"({"sessionId":$S,"command":"true"})"},
  };
  for (const auto& [method, params] : calls) {
    const auto answer = scenario.call(method, params);
    scenario.expect("C2-HONEST-1", error_code(answer) == -32601,
                    std::string(method) + ": " + shown(answer));
  }
  scenario.finish();
}

}  // namespace

std::vector<ScenarioCase> question_scenarios() {
  return {
      {"a permission", {"C2-ASK-1"}, play_permission},
      {"permissions about this and that", {"C2-ASK-2"}, play_subjects},
      {"two permissions", {"C2-ASK-3"}, play_two_permissions},
      {"a permission that is taken back", {"C2-ASK-4"}, play_taken_back},
      {"cancelling", {"C2-STOP-1"}, play_cancel},
      {"cancelling a prompt that waits", {"C2-STOP-2"}, play_cancel_waiting},
      {"elicitation",
       {"C2-ELICIT-1", "C2-ELICIT-2", "C2-ELICIT-3", "C2-ELICIT-4"},
       play_elicitation},
      {"files and terminals", {"C2-HONEST-1"}, play_gone},
  };
}

}  // namespace acp::check::version2
