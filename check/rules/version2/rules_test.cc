#include <gtest/gtest.h>

#include <set>

#include "check/rules/requirement_lists.h"
#include "check/rules/version2/script.h"

namespace acp::check::version2 {
namespace {

TEST(RulesOfVersion2, FlagEachMutantByItsNumberAndNothingElse) {
  for (const Mutant& mutant : mutants())
    EXPECT_EQ(ids_of(mutant.script), std::vector<std::string>{mutant.id}) << mutant.id << " told\n"
                                                                          << told_of(mutant.script);
}

TEST(RulesOfVersion2, EveryRequirementHasAMutant) {
  std::set<std::string_view> caught;
  const auto all = mutants();
  for (const Mutant& each : all) caught.insert(each.id);
  for (const Requirement& each : wire_requirements_2())
    EXPECT_TRUE(caught.contains(each.id)) << each.id;
}

TEST(RulesOfVersion2, PassAWholeConversation) {
  const Script script =
      at_work +
      Script{
          said("m"),
          told(R"("tool_call_update","toolCallId":"c","title":"T","capabilities":{"cancel":{}})"),
          asks("c"),
          state("\"requires_action\""),
          "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"y"}})"),
          state("\"running\""),
          told(R"("terminal_update","terminalId":"t","command":"ls","cwd":"/w")"),
          told(R"("tool_call_update","toolCallId":"c","status":"in_progress","content":)"
               R"([{"type":"terminal","terminalId":"t"}])"),
          told(R"("terminal_output_chunk","terminalId":"t","data":"b2sK")"),
          told(R"("terminal_update","terminalId":"t","exitStatus":{"exitCode":0})"),
          told(R"("tool_call_update","toolCallId":"c","status":"completed","capabilities":null,)"
               R"("content":[{"type":"diff","changes":[{"operation":"add","path":"/w/a b"}],)"
               R"("patch":{"format":"git_patch","text":"diff --git /w/a b /w/a b\n--- /dev/null\n)"
               R"(+++ /w/a b\t\n@@ -0,0 +1,2 @@\n+++ c\n+-- d\n"}}])"),
          said("m"),
          ends,
          told(R"("session_info_update","title":"T")"),
          "> " + call(3, "session/set_config_option",
                      R"({"sessionId":"s","configId":"o","type":"id","value":"x"})"),
          "< " + result(3, R"({"configOptions":[]})"),
          "> " + call(4, "session/close", R"({"sessionId":"s"})"),
          "< " + result(4, "{}"),
      };
  EXPECT_EQ(told_of(script), "");
}

TEST(RulesOfVersion2, WhatComesBeforeAnAnswerMayBeAnything) {
  // Updates before the session's answer; the echo and the state before the prompt's.
  EXPECT_EQ(told_of(start + Script{"> " + call(1, "session/new", R"({"cwd":"/w"})"),
                                   told(R"("available_commands_update","availableCommands":[])"),
                                   "< " + result(1, R"({"sessionId":"s"})"), prompt,
                                   state("\"running\""), echo("u"), said("m"), inserted, ends}),
            "");
}

TEST(RulesOfVersion2, InitializeMayBeRepeatedBeforeAnythingElse) {
  EXPECT_EQ(told_of(start + start), "");
  // And by a client that asked for version 2 in the words of both.
  const Script both = {
      "> " + call(0, "initialize",
                  R"({"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{},)"
                  R"("clientInfo":{"name":"c","version":"1"},"clientCapabilities":{}})"),
      "< " + result(0, R"({"protocolVersion":1})"), check::start[0], check::start[1]};
  EXPECT_EQ(told_of(both), "");
}

TEST(RulesOfVersion2, BackgroundWorkGoesOnWhileTheSessionIsIdle) {
  const std::string call = told(R"("tool_call_update","toolCallId":"c","title":"T")");
  const std::string piece = told(R"("tool_call_content_chunk","toolCallId":"c","content":)"
                                 R"({"type":"content","content":{"type":"text","text":"x"}})");
  const std::string listed = R"("background":[{"type":"tool_call","toolCallId":"c"}])";
  EXPECT_EQ(
      told_of(at_work + Script{call, state("\"running\"," + listed),
                               state(R"("idle","stopReason":"end_turn",)" + listed), piece,
                               told(R"("tool_call_update","toolCallId":"c","status":"failed")"),
                               state(R"("idle","background":[])")}),
      "");
}

TEST(RulesOfVersion2, APromptMayWaitForTheTurnBeforeIt) {
  const Script held = at_work + Script{"> " + prompt_of(3), said("m"), ends};
  EXPECT_EQ(
      told_of(held + Script{"< " + inserted_as(3, "v"), echo("v"), state("\"running\""), ends}),
      "");
  EXPECT_EQ(told_of(at_work +
                    Script{"> " + prompt_of(3), stops, "< " + error(3, -32800), ends_cancelled}),
            "");
}

TEST(RulesOfVersion2, ATurnThatEndsWhileItIsCancelledIsNoFault) {
  EXPECT_EQ(told_of(at_work + Script{stops, said("m"), ends}), "");
  EXPECT_EQ(told_of(at_work + Script{stops, ends_cancelled}), "");
  const std::vector<std::string> fault = {"A2-CANCEL-1"};
  EXPECT_EQ(ids_of(at_work + Script{stops, "@4 " + said("m"), "@6 " + ends}), fault);
}

TEST(RulesOfVersion2, AReplayMayHaveAnything) {
  EXPECT_EQ(
      told_of(start +
              Script{"> " + call(4, "session/resume",
                                 R"({"sessionId":"s","cwd":"/w","replayFrom":{"type":"start"}})"),
                     echo("u"), said("m"),
                     told(R"("tool_call_update","toolCallId":"c","status":"failed")"),
                     told(R"("tool_call_update","toolCallId":"d","content":[{"type":"terminal",)"
                          R"("terminalId":"gone"}])"),
                     state(R"("idle","stopReason":"end_turn")"), "< " + result(4, "{}")}),
      "");
}

}  // namespace
}  // namespace acp::check::version2
