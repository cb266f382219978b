// Scenes of what an agent asks the user: permissions, elicitations; and of cancelling.
#include "check/client/answer.h"
#include "check/client/scene.h"

namespace acp::check {
namespace {

using namespace std::chrono_literals;

bool has_outcome(const std::optional<Json>& answer) {
  return answer && (*answer)["result"]["outcome"]["outcome"].is_string();
}

constexpr std::string_view options =
    R"("options":[{"optionId":"never","name":"Never","kind":"reject_always"},)"
    R"({"optionId":"yes","name":"Yes","kind":"allow_once"},)"
    R"({"optionId":"no","name":"No","kind":"reject_once"}])";

std::string permission(const char* call) {
  return R"({"sessionId":$S,"toolCall":{"toolCallId":")" + std::string(call) +
         R"(","title":"Edit a file","kind":"edit","status":"pending"},)" + std::string(options) +
         "}";
}

void announce(Scene& scene, const char* call) {
  scene.update(R"({"sessionUpdate":"tool_call","toolCallId":")" + std::string(call) +
               R"(","title":"Edit a file","kind":"edit","status":"pending"})");
}

void play_permission(Scene& scene) {
  if (!scene.reach_prompt()) return;
  announce(scene, "p1");
  const auto answer = scene.call("session/request_permission", permission("p1"));
  scene.expect("C-ASK-1", has_outcome(answer), shown(answer));
  scene.finish();
}

void play_odd_permission(Scene& scene) {
  if (!scene.reach_prompt()) return;
  const auto answer = scene.call(
      "session/request_permission",
      R"({"sessionId":$S,"toolCall":{"toolCallId":"never announced","mood":"odd"},"_meta":{},)"
      R"("options":[{"optionId":"no","name":"No","kind":"reject_once","_meta":{"x":1}},)"
      R"({"optionId":"yes","name":"Yes","kind":"allow_once","hue":7}]})");
  scene.expect("C-ASK-2", has_outcome(answer), shown(answer));
  scene.finish();
}

void play_two_permissions(Scene& scene) {
  if (!scene.reach_prompt()) return;
  announce(scene, "p1");
  announce(scene, "p2");
  const std::string one = scene.ask("session/request_permission", permission("p1"));
  const std::string two = scene.ask("session/request_permission", permission("p2"));
  const auto first = scene.answer_to(one), second = scene.answer_to(two);
  scene.expect("C-ASK-3", first && second, shown(first) + "; " + shown(second));
  scene.finish();
}

// True if the client has sent session/cancel.
bool make_cancel(Scene& scene) {
  if (!scene.started_by_us()) {
    if (scene.options().say) scene.options().say("cancel the turn now");
  } else {
    scene.signal(scene.options().cancel_signal);
  }
  if (scene.reach("session/cancel")) return true;
  for (const std::string_view id : scene.ids)
    scene.skip(id, "the signal made the client send no session/cancel: " + scene.state());
  scene.finish();
  return false;
}

void play_cancel(Scene& scene) {
  if (!scene.reach_prompt()) return;
  scene.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1"}})");
  announce(scene, "c1");
  if (!scene.alive()) {
    for (const std::string_view id : scene.ids) scene.skip(id, "the client is gone");
    return;
  }
  if (!make_cancel(scene)) return;
  const auto crossing = scene.call("session/request_permission", permission("c1"));
  if (!crossing)
    scene.skip("C-STOP-1", "the client did not answer: " + scene.state());
  else
    scene.expect("C-STOP-1",
                 (*crossing)["result"]["outcome"]["outcome"].as_string() == "cancelled" ||
                     (*crossing)["error"]["code"].as_int64() == -32800,
                 shown(crossing));
  scene.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"})");
  scene.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"2"}})");
  const bool waits = scene.alive();
  scene.expect("C-STOP-2", waits, "before its prompt was answered: " + scene.state());
  scene.end_turn("cancelled");
  scene.finish();
}

void play_cancel_asked(Scene& scene) {
  if (!scene.reach_prompt()) return;
  announce(scene, "c1");
  const std::string asked = scene.ask("session/request_permission", permission("c1"));
  // A client that answers by itself does so at once: then there is nothing to see here.
  if (scene.until([&] { return scene.answered(asked); }, 400ms)) {
    scene.finish();
    return;
  }
  if (!make_cancel(scene)) return;
  const auto answer = scene.answer_to(asked);
  if (!answer)
    scene.fail("C-CANCEL-1", "after session/cancel the open permission request is not answered");
  scene.end_turn("cancelled");
  scene.finish();
}

void play_elicitation(Scene& scene) {
  if (!scene.reach_prompt()) return;
  const JsonView modes = scene.capabilities()["elicitation"];
  if (!modes["form"].is_object()) {
    for (const std::string_view id : {"C-ELICIT-1", "C-ELICIT-2", "C-ELICIT-3", "C-ELICIT-4"})
      scene.skip(id, "the client does not advertise elicitation with forms");
    scene.finish();
    return;
  }
  const auto answer = scene.call(
      "elicitation/create",
      R"({"sessionId":$S,"mode":"form","message":"Who are you?","requestedSchema":{"type":)"
      R"("object","properties":{"name":{"type":"string","title":"Name"},"age":{"type":"integer",)"
      R"("minimum":0},"colour":{"type":"string","enum":["red","blue"]}},"required":["name"]}})");
  const auto action = answer ? (*answer)["result"]["action"].as_string() : std::nullopt;
  scene.expect("C-ELICIT-1", action.has_value(), shown(answer));
  if (action == "accept") {
    const JsonView content = (*answer)["result"]["content"];
    const JsonView age = content["age"];
    const auto colour = content["colour"].as_string();
    const bool fits = content["name"].is_string() &&
                      (age.absent() || age.as_int64().value_or(-1) >= 0) &&
                      (content["colour"].absent() || colour == "red" || colour == "blue");
    scene.expect("C-ELICIT-2", fits, shown(answer));
  } else {
    scene.skip("C-ELICIT-2", "the client did not accept");
  }
  const bool url = modes["url"].is_object();
  const auto unknown = scene.call(
      "elicitation/create",
      url ? R"({"sessionId":$S,"mode":"telepathy","message":"Think of it"})"
          : R"({"sessionId":$S,"mode":"url","message":"Look","elicitationId":"e1","url":)"
            R"("https://example.com/"})");
  scene.expect("C-ELICIT-3", unknown && !(*unknown)["error"].absent(), shown(unknown));
  scene.notify("elicitation/complete", R"({"elicitationId":"nobody knows it"})");
  scene.survived("C-ELICIT-4", "elicitation/complete");
  scene.finish();
}

}  // namespace

std::vector<ClientScene> client_question_scenes() {
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
