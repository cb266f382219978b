#include "check/rules/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "check/rules/requirement_lists.h"
#include "check/rules/script.h"

namespace acp::check {
namespace {

std::vector<Violation> violations_of(const Script& script) {
  Rules rules;
  std::vector<Violation> all;
  std::int64_t seconds = 0;
  for (std::string line : script) {
    if (line.front() == '@') {
      const std::size_t space = line.find(' ');
      seconds = std::stoll(line.substr(1, space));
      line = line.substr(space + 1);
    }
    const auto found =
        rules.see({seconds * 1'000'000'000, line.front() == '>' ? Side::client : Side::agent,
                   std::string_view(line).substr(2)});
    all.insert(all.end(), found.begin(), found.end());
  }
  const auto found = rules.end();
  all.insert(all.end(), found.begin(), found.end());
  return all;
}

}  // namespace

std::vector<std::string> ids_of(const Script& script) {
  std::vector<std::string> ids;
  for (const Violation& each : violations_of(script)) ids.emplace_back(each.requirement->id);
  return ids;
}

std::string told_of(const Script& script) {
  std::string all;
  for (const Violation& each : violations_of(script))
    all += std::string(each.requirement->id) + ": " + each.message + "\n";
  return all;
}

namespace {

TEST(Rules, FlagEachMutantByItsNumberAndNothingElse) {
  for (const Mutant& mutant : mutants())
    EXPECT_EQ(ids_of(mutant.script), std::vector<std::string>{mutant.id}) << mutant.id << " told\n"
                                                                          << told_of(mutant.script);
}

TEST(Rules, EveryRequirementHasAMutant) {
  std::set<std::string_view> caught;
  const auto all = mutants();
  for (const Mutant& each : all) caught.insert(each.id);
  caught.insert("A-PERM-13");  // AnOptionThatWasNotOfferedAllowsNothing
  for (const Requirement& each : wire_requirements())
    EXPECT_TRUE(caught.contains(each.id)) << each.id;
}

TEST(Requirements, HaveIdsOfTheirOwnThatNameTheirSide) {
  std::set<std::string_view> seen;
  for (const Requirement& each : requirements()) {
    EXPECT_TRUE(seen.insert(each.id).second) << each.id;
    EXPECT_EQ(each.id.front(), each.side == Side::agent ? 'A' : 'C') << each.id;
    EXPECT_EQ(each.id.substr(1, 2) == "2-", !holds_for(each, 1)) << each.id;
    EXPECT_TRUE(each.page.starts_with("https://")) << each.id;
  }
}

TEST(Rules, PassAWholeConversation) {
  const Script script =
      with_call +
      Script{
          "< " + update(R"("available_commands_update","availableCommands":[])"),
          asks,
          "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"y"}})"),
          "< " + update(R"("tool_call_update","toolCallId":"c","status":"in_progress")"),
          "< " + call(7, "terminal/create", R"({"sessionId":"s","command":"ls","cwd":"/w"})"),
          "> " + result(7, R"({"terminalId":"t"})"),
          "< " + update(R"("tool_call_update","toolCallId":"c","content":[{"type":"terminal",)"
                        R"("terminalId":"t"}],"locations":[{"path":"/w/a","line":1}])"),
          "< " + call(8, "terminal/wait_for_exit", R"({"sessionId":"s","terminalId":"t"})"),
          "> " + result(8, R"({"exitCode":0})"),
          release,
          "> " + result(9, "null"),
          "< " + update(R"("tool_call_update","toolCallId":"c","status":"completed")"),
          "< " + update(R"("tool_call_update","toolCallId":"c","rawOutput":{"more":1})"),
          chunk(),
          ends,
          "< " + update(R"("session_info_update","title":"T")"),
          "< " + update(R"("usage_update","used":1,"size":2)"),
          "> " + call(3, "session/set_mode", R"({"sessionId":"s","modeId":"a"})"),
          "< " + result(3, "{}"),
          "> " + call(4, "session/close", R"({"sessionId":"s"})"),
          "< " + result(4, "{}"),
      };
  EXPECT_EQ(told_of(script), "");
}

TEST(Rules, ALoadMayReplayAnything) {
  EXPECT_EQ(told_of(start + Script{"> " + call(4, "session/load",
                                               R"({"sessionId":"s","cwd":"/w","mcpServers":[]})"),
                                   "< " + update(R"("user_message_chunk","content":{"type":"text",)"
                                                 R"("text":"go"})"),
                                   chunk(),
                                   "< " + update(R"("tool_call","toolCallId":"c","title":"T",)"
                                                 R"("content":[{"type":"terminal",)"
                                                 R"("terminalId":"old"}])"),
                                   "< " + result(4, "null")}),
            "");
}

TEST(Rules, ATurnThatEndsWhileItIsCancelledIsNoFault) {
  EXPECT_EQ(told_of(prompted + Script{stops, chunk(), ends}), "");
  EXPECT_EQ(told_of(prompted + Script{stops, ends_cancelled}), "");
}

TEST(Rules, ATurnThatHasReadItsCancelAndEndsOtherwiseIsAFault) {
  const std::vector<std::string> fault = {"A-CANCEL-1"};
  EXPECT_EQ(ids_of(prompted +
                   Script{stops, "> " + call(3, "_x/ask", "{}"), "< " + result(3, "{}"), ends}),
            fault);
  EXPECT_EQ(ids_of(prompted + Script{stops, "@4 " + chunk(), "@6 " + ends}), fault);
}

TEST(Rules, APermissionThatWasCancelledByItsAskerMayFail) {
  EXPECT_EQ(told_of(with_call + Script{asks, stops, "> " + error(6, -32800)}), "");
  EXPECT_EQ(told_of(with_call + Script{asks, stops,
                                       "> " + result(6, R"({"outcome":{"outcome":"cancelled"}})")}),
            "");
}

TEST(Rules, WhatCannotBeReadMayBeAnsweredWithoutAnId) {
  const std::string complaint =
      R"(< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}})";
  EXPECT_EQ(ids_of(start + Script{"> not json", complaint}), std::vector<std::string>{"C-WIRE-1"});
}

TEST(Rules, AVersionThatWeDoNotKnowIsOnlyHeldAgainstTheEnvelope) {
  EXPECT_EQ(told_of({"> " + call(0, "initialize", R"({"protocolVersion":9,"shape":"new"})"),
                     "< " + result(0, R"({"protocolVersion":9})"),
                     "> " + call(1, "session/begin", R"({"where":"w"})"), "< " + result(1, "[]"),
                     "< " + note("session/said", R"({"sessionId":"x"})")}),
            "");
}

TEST(Rules, Version2IsHeldAgainstItsOwnSchema) {
  const Script begin = {
      "> " + call(0, "initialize",
                  R"({"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}})"),
      "< " + result(0, R"({"protocolVersion":2,"info":{"name":"a","version":"1"},)"
                       R"("capabilities":{"session":{}}})"),
      "> " + call(1, "session/new", R"({"cwd":"/w"})"), "< " + result(1, R"({"sessionId":"s"})")};
  EXPECT_EQ(told_of(begin), "");
  EXPECT_EQ(ids_of(begin + Script{"> " + call(2, "session/prompt", R"({"sessionId":"s"})")}),
            std::vector<std::string>{"C-SCHEMA-1"});
}

TEST(Rules, AViolationNamesItsFrame) {
  const auto found = violations_of(prompted + Script{ends, chunk()});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].frame, prompted.size() + 1);
}

// Who offers what was not offered breaks a rule, too.
TEST(Rules, AnOptionThatWasNotOfferedAllowsNothing) {
  EXPECT_EQ(
      ids_of(prompted +
             Script{"< " + update(R"("tool_call","toolCallId":"c","title":"T","content":[)"
                                  R"({"type":"diff","path":"/w/a","newText":""}])"),
                    asks, "> " + result(6, R"({"outcome":{"outcome":"selected","optionId":"z"}})"),
                    "< " + call(7, "fs/write_text_file",
                                R"({"sessionId":"s","path":"/w/a","content":""})")}),
      (std::vector<std::string>{"C-PERM-1", "A-PERM-13"}));
}

TEST(Rules, WhatWasAllowedOnceMayFollowWhatWasRejected) {
  const auto ask = [](int id, const char* call_id) {
    return "< " + call(id, "session/request_permission",
                       R"({"sessionId":"s","toolCall":{"toolCallId":")" + std::string(call_id) +
                           R"(","title":"T","rawInput":{"command":"make"}},"options":[)"
                           R"({"optionId":"y","name":"Yes","kind":"allow_once"},)"
                           R"({"optionId":"n","name":"No","kind":"reject_once"}]})");
  };
  const auto selects = [](int id, const char* option) {
    return "> " + result(id, R"({"outcome":{"outcome":"selected","optionId":")" +
                                 std::string(option) + R"("}})");
  };
  const auto make =
      "< " + call(9, "terminal/create", R"({"sessionId":"s","command":"sh","args":["-c","make"]})");
  // Two at a time for the same command; and another command than the one that was rejected.
  EXPECT_EQ(
      told_of(prompted + Script{ask(5, "c"), ask(6, "d"), selects(5, "y"), selects(6, "n"), make}),
      "");
  EXPECT_EQ(told_of(prompted + Script{ask(5, "c"), selects(5, "n"),
                                      "< " + call(9, "terminal/create",
                                                  R"({"sessionId":"s","command":"cmake"})")}),
            "");
  // The next turn begins anew.
  EXPECT_EQ(
      told_of(prompted +
              Script{ask(5, "c"), selects(5, "n"),
                     "< " + update(R"("tool_call_update","toolCallId":"c","status":"failed")"),
                     ends, "> " + call(3, "session/prompt", R"({"sessionId":"s","prompt":[]})"),
                     make}),
      "");
}

TEST(Rules, ATurnMayEndCancelledWhereSomethingWasNotAllowedOrIsClosed) {
  const std::string undecided = "> " + result(6, R"({"outcome":{"outcome":"cancelled"}})");
  EXPECT_EQ(told_of(with_call + Script{asks, undecided, ends_cancelled}), "");
  // A cancel that came between two turns.
  EXPECT_EQ(told_of(opened + Script{stops, prompted.back(), ends_cancelled}), "");
  EXPECT_EQ(told_of(prompted + Script{"> " + call(4, "session/close", R"({"sessionId":"s"})"),
                                      ends_cancelled, "< " + result(4, "{}")}),
            "");
  EXPECT_EQ(told_of(prompted +
                    Script{"> " + note("$/cancel_request", R"({"requestId":2})"), ends_cancelled}),
            "");
  EXPECT_EQ(told_of(with_call + Script{asks, "< " + note("$/cancel_request", R"({"requestId":6})"),
                                       "< " + update(R"("tool_call_update","toolCallId":"c",)"
                                                     R"("status":"failed")"),
                                       ends}),
            "");
}

}  // namespace
}  // namespace acp::check
