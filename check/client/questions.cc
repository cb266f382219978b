// Scenarios of what an agent asks the user: permissions, elicitations; and of cancelling.
#include "check/client/answer.h"
#include "check/client/scenario_parts.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

bool has_outcome(const std::optional<Json>& answer) {
  return answer && (*answer)["result"]["outcome"]["outcome"].is_string();
}

}  // namespace

void play_permission(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.show_call("p1");
  const auto answer = scenario.call("session/request_permission", scenario.permission("p1"));
  scenario.expect(scenario.number("ASK-1"), has_outcome(answer), shown(answer));
  scenario.finish();
}

namespace {

void play_odd_permission(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  const auto answer = scenario.call(
      "session/request_permission",
      R"({"sessionId":$S,"toolCall":{"toolCallId":"never announced","mood":"odd"},"_meta":{},)"
      R"("options":[{"optionId":"no","name":"No","kind":"reject_once","_meta":{"x":1}},)"
      R"({"optionId":"yes","name":"Yes","kind":"allow_once","hue":7}]})");
  scenario.expect("C-ASK-2", has_outcome(answer), shown(answer));
  scenario.finish();
}

}  // namespace

void play_two_permissions(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.show_call("p1");
  scenario.show_call("p2");
  const std::string one = scenario.ask("session/request_permission", scenario.permission("p1"));
  const std::string two = scenario.ask("session/request_permission", scenario.permission("p2"));
  const auto first = scenario.answer_to(one), second = scenario.answer_to(two);
  scenario.expect(scenario.number("ASK-3"), first && second, shown(first) + "; " + shown(second));
  scenario.finish();
}

bool make_cancel(ClientScenario& scenario) {
  if (!scenario.started_by_us()) {
    if (scenario.options().say) scenario.options().say("cancel the turn now");
  } else {
    scenario.signal(scenario.options().cancel_signal);
  }
  if (scenario.reach("session/cancel")) return true;
  for (const std::string_view id : scenario.ids)
    scenario.skip(id, "the signal made the client send no session/cancel: " + scenario.state());
  scenario.finish();
  return false;
}

namespace {

void play_cancel(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.say("1");
  scenario.show_call("c1");
  if (!scenario.alive()) {
    for (const std::string_view id : scenario.ids) scenario.skip(id, "the client is gone");
    return;
  }
  if (!make_cancel(scenario)) return;
  const auto crossing = scenario.call("session/request_permission", scenario.permission("c1"));
  if (!crossing)
    scenario.skip("C-STOP-1", "the client did not answer: " + scenario.state());
  else
    scenario.expect("C-STOP-1",
                    (*crossing)["result"]["outcome"]["outcome"].as_string() == "cancelled" ||
                        (*crossing)["error"]["code"].as_int64() == -32800,
                    shown(crossing));
  scenario.fail_call("c1");
  scenario.say("2");
  const bool waits = scenario.alive();
  scenario.expect("C-STOP-2", waits, "before its prompt was answered: " + scenario.state());
  scenario.end_turn("cancelled");
  scenario.finish();
}

void play_cancel_asked(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.show_call("c1");
  const std::string asked = scenario.ask("session/request_permission", scenario.permission("c1"));
  // A client that answers by itself does so at once: then there is nothing to see here.
  if (scenario.until([&] { return scenario.answered(asked); }, 400ms)) {
    scenario.finish();
    return;
  }
  if (!make_cancel(scenario)) return;
  const auto answer = scenario.answer_to(asked);
  if (!answer)
    scenario.fail("C-CANCEL-1", "after session/cancel the open permission request is not answered");
  scenario.end_turn("cancelled");
  scenario.finish();
}

}  // namespace

void play_elicitation(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  const JsonView modes = scenario.capabilities()["elicitation"];
  if (!modes["form"].is_object()) {
    for (const std::string_view id : scenario.ids)
      scenario.skip(id, "the client does not advertise elicitation with forms");
    scenario.finish();
    return;
  }
  const auto answer = scenario.call(
      "elicitation/create",
      R"({"sessionId":$S,"mode":"form","message":"Who are you?","requestedSchema":{"type":)"
      R"("object","properties":{"name":{"type":"string","title":"Name"},"age":{"type":"integer",)"
      R"("minimum":0},"colour":{"type":"string","enum":["red","blue"]}},"required":["name"]}})");
  const auto action = answer ? (*answer)["result"]["action"].as_string() : std::nullopt;
  scenario.expect(scenario.number("ELICIT-1"), action.has_value(), shown(answer));
  if (action == "accept") {
    const JsonView content = (*answer)["result"]["content"];
    const JsonView age = content["age"];
    const auto colour = content["colour"].as_string();
    const bool fits = content["name"].is_string() &&
                      (age.absent() || age.as_int64().value_or(-1) >= 0) &&
                      (content["colour"].absent() || colour == "red" || colour == "blue");
    scenario.expect(scenario.number("ELICIT-2"), fits, shown(answer));
  } else {
    scenario.skip(scenario.number("ELICIT-2"), "the client did not accept");
  }
  const bool url = modes["url"].is_object();
  const auto unknown = scenario.call(
      "elicitation/create",
      url ? R"({"sessionId":$S,"mode":"telepathy","message":"Think of it"})"
          : R"({"sessionId":$S,"mode":"url","message":"Look","elicitationId":"e1","url":)"
            R"("https://example.com/"})");
  scenario.expect(scenario.number("ELICIT-3"), unknown && !(*unknown)["error"].absent(),
                  shown(unknown));
  scenario.notify("elicitation/complete", R"({"elicitationId":"nobody knows it"})");
  scenario.survived(scenario.number("ELICIT-4"), "elicitation/complete");
  scenario.finish();
}

std::vector<ScenarioCase> client_question_scenarios() {
  return {
      {"a permission", {"C-ASK-1"}, play_permission},
      {"an odd permission", {"C-ASK-2"}, play_odd_permission},
      {"two permissions", {"C-ASK-3"}, play_two_permissions},
      {"cancelling", {"C-STOP-1", "C-STOP-2"}, play_cancel},
      {"cancelling a question", {"C-CANCEL-1"}, play_cancel_asked},
      {"elicitation", {"C-ELICIT-1", "C-ELICIT-2", "C-ELICIT-3", "C-ELICIT-4"}, play_elicitation},
  };
}

}  // namespace acp::check
