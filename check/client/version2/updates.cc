// Scenarios of session/update of version 2.
#include "check/client/version2/parts.h"

namespace acp::check::version2 {
namespace {

constexpr std::string_view known_updates[] = {
    R"({"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"A"}})",
    R"({"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"image","mimeType":"image/png","data":"aGk="}})",
    R"({"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"audio","mimeType":"audio/wav","data":"aGk="}})",
    R"({"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"resource_link","name":"n","uri":"file:///n","size":7,"icons":[{"src":"data:,x"}]}})",
    R"({"sessionUpdate":"agent_message_chunk","messageId":"m3","content":{"type":"resource","resource":{"uri":"file:///n","text":"t"}}})",
    R"({"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"A, rewritten"}]})",
    R"({"sessionUpdate":"agent_thought_chunk","messageId":"t1","content":{"type":"text","text":"Hm"}})",
    R"({"sessionUpdate":"agent_thought","messageId":"t1","content":null})",
    R"({"sessionUpdate":"user_message","messageId":"of another","content":[{"type":"text","text":"So be it"}]})",
    R"({"sessionUpdate":"user_message_chunk","messageId":"of another","content":{"type":"text","text":"!"}})",
    R"({"sessionUpdate":"state_update","state":"requires_action"})",
    R"({"sessionUpdate":"state_update","state":"running","background":[]})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","name":"edit","kind":"edit","status":"pending","rawInput":[1],"locations":[{"path":"$W/a","line":3}],"content":[{"type":"diff","changes":[{"operation":"modify","path":"$W/a","fileType":"text"}],"patch":{"format":"git_patch","text":"diff --git $W/a $W/a\n--- $W/a\n+++ $W/a\n@@ -1 +1 @@\n-old\n+new\n"}}]})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c2"})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress","title":null,"capabilities":{"cancel":{}}})",
    R"({"sessionUpdate":"tool_call_content_chunk","toolCallId":"c1","content":{"type":"content","content":{"type":"text","text":"ok"}}})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"paused"})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","rawOutput":"done","capabilities":null})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c2","status":"cancelled","content":[{"type":"diff","changes":[{"operation":"move","oldPath":"$W/b","path":"$W/c"},{"operation":"delete","path":"$W/d","fileType":"binary"}]}]})",
    R"({"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls","cwd":"$W","size":{"cols":80,"rows":24},"capabilities":{"cancel":{}}})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c3","title":"Run","kind":"execute","content":[{"type":"terminal","terminalId":"x1"}]})",
    R"({"sessionUpdate":"terminal_output_chunk","terminalId":"x1","data":"bm90ZXMK"})",
    R"({"sessionUpdate":"terminal_update","terminalId":"x1","output":{"data":"YQ=="},"exitStatus":{"exitCode":-1},"capabilities":null})",
    R"({"sessionUpdate":"tool_call_update","toolCallId":"c3","status":"failed"})",
    R"({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"One","priority":"high","status":"in_progress"},{"content":"Two","priority":"low","status":"cancelled"}]}})",
    R"({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}})",
    R"({"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"go","description":"Goes","input":{"type":"text","hint":"where"}},{"type":"command","name":"stop","description":"Stops","input":null}]})",
    R"({"sessionUpdate":"config_option_update","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]},{"configId":"loud","name":"Loud","type":"boolean","currentValue":false}]})",
    R"({"sessionUpdate":"session_info_update","title":"A title","updatedAt":"2026-01-01T00:00:00Z"})",
    R"({"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":0.5,"currency":"credits"}})",
    R"({"sessionUpdate":"usage_update","used":11,"size":100,"cost":null})",
    R"({"sessionUpdate":"notice","severity":"info","title":"Mind the gap"})",
    R"({"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"})",
    R"({"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"Short"}})",
    R"({"sessionUpdate":"compaction_update","compactionId":"k","status":"completed","summary":null})",
};

void play_known(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  for (const std::string_view each : known_updates) {
    scenario.update(each);
    const std::size_t from = 18, end = each.find('"', from);  // {"sessionUpdate":"
    if (!scenario.survived("C2-UPD-1", std::string(each.substr(from, end - from)))) break;
  }
  scenario.end_well("C2-UPD-1", "all kinds of updates");
}

void play_unknown(ClientScenario& scenario) {
  play_updates(scenario,
               {R"({"sessionUpdate":"telepathy","strength":9,"content":{"type":"text","text":""}})",
                R"({"sessionUpdate":"_acme.example/private","x":[{"y":null}]})",
                R"({"sessionUpdate":"tool_call","toolCallId":"of version 1","title":"T"})",
                R"({"sessionUpdate":"current_mode_update","currentModeId":"of version 1"})"},
               "C2-UPD-2", "an unknown kind of update");
}

void play_more_fields(ClientScenario& scenario) {
  play_updates(
      scenario,
      {R"({"sessionUpdate":"agent_message_chunk","messageId":"m","mood":"fine","_meta":{"a":{"b":)"
       R"([1,2]}},"content":{"type":"text","text":"x","font":"mono","annotations":{"audience":)"
       R"(["user"],"sound":1},"_meta":{"k":null}}})",
       R"({"sessionUpdate":"tool_call_update","toolCallId":"f1","title":"T","weight":12,"_meta":)"
       R"({"k":null},"locations":[{"path":"$W/x","column":3}]})",
       R"({"sessionUpdate":"plan_update","owner":"me","plan":{"type":"items","planId":"p","entries":)"
       R"([{"content":"c","priority":"low","status":"completed","due":"now","_meta":{}}]}})"},
      "C2-UPD-3", "unknown fields in updates");
}

void play_unknown_values(ClientScenario& scenario) {
  play_updates(
      scenario,
      {R"({"sessionUpdate":"tool_call_update","toolCallId":"v1","title":"T","kind":"juggle",)"
       R"("status":"hovering","content":[{"type":"_hologram","beam":1},{"type":"terminal",)"
       R"("terminalId":"never reported"},{"type":"diff","changes":[{"operation":"_fold","path":)"
       R"("$W/a"}],"patch":{"format":"_origami","text":"?"}}]})",
       R"({"sessionUpdate":"agent_message_chunk","messageId":"v","content":{"type":"_smell","of":)"
       R"("roses"}})",
       R"({"sessionUpdate":"plan_update","plan":{"type":"_mural","planId":"q","wall":1}})",
       R"({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":)"
       R"("c","priority":"cosmic","status":"dreamt"}]}})",
       R"({"sessionUpdate":"notice","severity":"_grave","title":"T"})"},
      "C2-UPD-4", "unknown values in updates");
}

// Work that goes on beside the conversation, when the turn is over.
void play_background(ClientScenario& scenario) {
  if (!scenario.reach_prompt()) return;
  scenario.update(
      R"({"sessionUpdate":"terminal_update","terminalId":"b","command":"make","cwd":"$W"})");
  scenario.state(R"("running","background":[{"type":"terminal","terminalId":"b"}])");
  scenario.end_turn_with(
      R"("idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"b"}])");
  scenario.update(R"({"sessionUpdate":"terminal_output_chunk","terminalId":"b","data":"b2sK"})");
  scenario.update(
      R"({"sessionUpdate":"terminal_update","terminalId":"b","exitStatus":{"exitCode":0}})");
  scenario.state(R"("idle","background":[])");
  if (scenario.options().stays || scenario.facts().stays)
    scenario.survived("C2-UPD-5", "background work");
  else
    scenario.pass("C2-UPD-5");
  scenario.end_well("C2-UPD-5", "background work");
}

void play_patches(ClientScenario& scenario) {
  play_updates(
      scenario,
      {R"({"sessionUpdate":"tool_call_content_chunk","toolCallId":"u1","content":{"type":"content",)"
       R"("content":{"type":"text","text":"of nothing"}}})",
       R"({"sessionUpdate":"tool_call_update","toolCallId":"u2","title":"One","status":"completed"})",
       R"({"sessionUpdate":"tool_call_update","toolCallId":"u2","title":null,"kind":null,"status":)"
       R"(null,"content":null,"locations":null,"rawInput":null,"_meta":{"a":1}})",
       R"({"sessionUpdate":"tool_call_update","toolCallId":"u2","content":[],"_meta":{"a":null}})",
       R"({"sessionUpdate":"agent_message_chunk","messageId":"p","content":{"type":"text","text":)"
       R"("in pieces"}})",
       R"({"sessionUpdate":"agent_message","messageId":"p","content":null})",
       R"({"sessionUpdate":"agent_message","messageId":"p"})",
       R"({"sessionUpdate":"agent_message","messageId":"never begun"})",
       R"({"sessionUpdate":"terminal_output_chunk","terminalId":"u3","data":"YQ=="})",
       R"({"sessionUpdate":"terminal_update","terminalId":"u3","command":null,"output":null,)"
       R"("exitStatus":null})",
       R"({"sessionUpdate":"session_info_update","title":null,"updatedAt":null})"},
      "C2-UPD-7", "updates that clear and replace");
}

void play_bad_payload(ClientScenario& scenario) {
  play_updates(scenario,
               {R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}})",
                R"({"sessionUpdate":"tool_call_update","toolCallId":5,"title":null})",
                R"({"sessionUpdate":"plan_update","plan":{"type":"items","entries":"all"}})",
                R"({"sessionUpdate":"state_update"})"},
               "C2-UPD-10", "updates whose content does not fit");
}

}  // namespace

std::vector<ScenarioCase> update_scenarios() {
  return {
      {"all kinds of updates", {"C2-UPD-1"}, play_known},
      {"unknown kinds of updates", {"C2-UPD-2"}, play_unknown},
      {"unknown fields", {"C2-UPD-3"}, play_more_fields},
      {"unknown values", {"C2-UPD-4"}, play_unknown_values},
      {"background work", {"C2-UPD-5"}, play_background},
      {"another session", {"C2-UPD-6"}, play_foreign},
      {"updates that clear and replace", {"C2-UPD-7"}, play_patches},
      {"a huge message", {"C2-UPD-8"}, play_huge},
      {"many updates", {"C2-UPD-9"}, play_many},
      {"updates that do not fit", {"C2-UPD-10"}, play_bad_payload},
  };
}

}  // namespace acp::check::version2
