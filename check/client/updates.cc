// Scenarios of session/update.
#include "check/client/scenario_parts.h"

namespace acp::check {
namespace {

constexpr std::string_view known_updates[] = {
    R"({"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"So be it"}})",
    R"({"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"A"}})",
    R"({"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"aGk="}})",
    R"({"sessionUpdate":"agent_message_chunk","content":{"type":"audio","mimeType":"audio/wav","data":"aGk="}})",
    R"({"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"n","uri":"file:///n","size":7}})",
    R"({"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///n","text":"t"}}})",
    R"({"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///n","blob":"aGk="}}})",
    R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}})",
    R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit","kind":"edit","status":"pending","rawInput":[1],"locations":[{"path":"$W/a","line":3}],"content":[{"type":"diff","path":"$W/a","oldText":null,"newText":"x"}]})",
    R"({"sessionUpdate":"tool_call","toolCallId":"t2","title":"Only a title"})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress","title":null})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","rawOutput":"done","content":[{"type":"content","content":{"type":"text","text":"ok"}}]})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"t2","status":"failed"})",
    R"({"sessionUpdate":"plan","entries":[{"content":"One","priority":"high","status":"in_progress"},{"content":"Two","priority":"low","status":"pending"}]})",
    R"({"sessionUpdate":"plan","entries":[]})",
    R"({"sessionUpdate":"available_commands_update","availableCommands":[{"name":"go","description":"Goes","input":{"hint":"where"}},{"name":"stop","description":"Stops","input":null}]})",
    R"({"sessionUpdate":"current_mode_update","currentModeId":"ask"})",
    R"({"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]})",
    R"({"sessionUpdate":"session_info_update","title":"A title","updatedAt":"2026-01-01T00:00:00Z"})",
    R"({"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.5,"currency":"EUR"}})",
};

void play_known(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  for (const std::string_view each : known_updates) {
    scenario.update(each);
    const auto parsed = Json::parse(each);
    const std::string kind = parsed ? (*parsed)["sessionUpdate"].as_string().value_or("") : "?";
    if (!scenario.survived("C-UPD-1", kind)) break;
  }
  const JsonView session = scenario.capabilities()["session"];
  if (session["notices"].is_object())
    scenario.update(R"({"sessionUpdate":"notice","severity":"info","title":"Mind the gap"})");
  if (session["compaction"].is_object())
    scenario.update(
        R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"})");
  scenario.survived("C-UPD-1", "notices");
  scenario.end_well("C-UPD-1", "all kinds of updates");
}

}  // namespace

// One scenario for each: how the client ends is part of what is judged.
void play_updates(ClientScenario& scenario, std::initializer_list<std::string_view> updates,
                  std::string_view id, const std::string& what) {
  if (!scenario.reach_prompt()) return;
  for (const std::string_view each : updates) scenario.update(each);
  scenario.survived(id, what);
  scenario.end_well(id, what);
}

namespace {

void play_unknown(ClientScenario& scenario) {
  play_updates(scenario,
               {R"({"sessionUpdate":"telepathy","strength":9,"content":{"type":"text","text":""}})",
                R"({"sessionUpdate":"_acme.example/private","x":[{"y":null}]})",
                R"({"sessionUpdate":"tool_call_ended"})"},
               "C-UPD-2", "an unknown kind of update");
}

void play_more_fields(ClientScenario& scenario) {
  play_updates(
      scenario,
      {R"({"sessionUpdate":"agent_message_chunk","mood":"fine","_meta":{"a":{"b":[1,2]}},)"
       R"("content":{"type":"text","text":"x","font":"mono","annotations":{"audience":["user"],)"
       R"("sound":1},"_meta":{"k":null}}})",
       R"({"sessionUpdate":"tool_call","toolCallId":"f1","title":"T","weight":12,"_meta":)"
       R"({"terminal_output":{"data":"x"}},"locations":[{"path":"/x","column":3}]})",
       R"({"sessionUpdate":"plan","owner":"me","entries":[{"content":"c","priority":"low",)"
       R"("status":"completed","due":"now","_meta":{}}]})"},
      "C-UPD-3", "unknown fields in updates");
}

void play_unknown_values(ClientScenario& scenario) {
  play_updates(
      scenario,
      {R"({"sessionUpdate":"tool_call","toolCallId":"v1","title":"T","kind":"juggle",)"
       R"("status":"hovering","content":[{"type":"hologram","beam":1},{"type":"terminal",)"
       R"("terminalId":"never-created"}],"locations":[{"path":"relative/path","line":null}]})",
       R"({"sessionUpdate":"agent_message_chunk","content":{"type":"smell","of":"roses"}})",
       R"({"sessionUpdate":"plan","entries":[{"content":"c","priority":"cosmic",)"
       R"("status":"dreamt"}]})"},
      "C-UPD-4", "unknown values in updates");
}

void play_late(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.end_turn();
  scenario.update(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Too late"}})");
  scenario.update(R"({"sessionUpdate":"tool_call","toolCallId":"late","title":"Late"})");
  scenario.update(R"({"sessionUpdate":"usage_update","used":1,"size":2})");
  if (scenario.options().stays || scenario.facts().stays)
    scenario.survived("C-UPD-5", "late updates");
  else
    scenario.pass("C-UPD-5");
  scenario.end_well("C-UPD-5", "late updates");
}

}  // namespace

void play_foreign(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.notify(
      "session/update",
      R"({"sessionId":"nobody-knows-it","update":{"sessionUpdate":"agent_message_chunk",)"
      R"("messageId":"m","content":{"type":"text","text":"Hello?"}}})");
  scenario.survived(scenario.number("UPD-6"), "an update of another session");
  scenario.end_well(scenario.number("UPD-6"), "an update of another session");
}

namespace {

void play_unannounced(ClientScenario& scenario) {
  play_updates(scenario,
               {R"({"sessionUpdate":"tool_call_update","toolCallId":"u1","status":"completed"})",
                R"({"sessionUpdate":"tool_call","toolCallId":"u2","title":"One"})",
                R"({"sessionUpdate":"tool_call","toolCallId":"u2","title":"Two","kind":"read"})",
                R"({"sessionUpdate":"tool_call_update","toolCallId":"u2","status":"completed"})",
                R"({"sessionUpdate":"tool_call_update","toolCallId":"u2","status":"pending"})"},
               "C-UPD-7", "tool calls out of order");
}

}  // namespace

void play_huge(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  std::string text;
  while (text.size() < std::size_t{5} << 20) text += "All work and no play makes a long line. ";
  scenario.say(text);
  scenario.survived(scenario.number("UPD-8"), "a message of 5 MB");
  scenario.end_well(scenario.number("UPD-8"), "a message of 5 MB");
}

void play_many(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  for (int i = 0; i < 5000; ++i) scenario.say(std::to_string(i) + " ");
  scenario.survived(scenario.number("UPD-9"), "5000 updates");
  scenario.end_well(scenario.number("UPD-9"), "5000 updates");
}

std::vector<ScenarioCase> client_update_scenarios() {
  return {
      {"all kinds of updates", {"C-UPD-1"}, play_known},
      {"unknown kinds of updates", {"C-UPD-2"}, play_unknown},
      {"unknown fields", {"C-UPD-3"}, play_more_fields},
      {"unknown values", {"C-UPD-4"}, play_unknown_values},
      {"late updates", {"C-UPD-5"}, play_late},
      {"another session", {"C-UPD-6"}, play_foreign},
      {"tool calls out of order", {"C-UPD-7"}, play_unannounced},
      {"a huge message", {"C-UPD-8"}, play_huge},
      {"many updates", {"C-UPD-9"}, play_many},
  };
}

}  // namespace acp::check
