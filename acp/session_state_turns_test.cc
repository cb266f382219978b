// Turns and their tool calls, from the prompt to its end or cancellation.
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "acp/testing/session_updates.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(SessionStateToolCalls, UpdatesReplaceWhatTheyBringAndLeaveTheRest) {
  SessionState state;
  state.apply(v1::ToolCall{.toolCallId = "c",
                           .title = "Edit",
                           .name = "edit_file",
                           .kind = v1::ToolKind::edit,
                           .content = {v1::Content{.content = "one"}, v1::Content{.content = "2"}},
                           .locations = {{.path = "/a"}, {.path = "/b"}},
                           .rawInput = Json::object({{"x", 1}}),
                           .rawOutput = 7});
  EXPECT_EQ(status(state, "c"), Status::pending);
  const auto unchanged = [&] {
    const ToolCallState& call = *state.tool_call("c");
    EXPECT_EQ(call.id, "c");
    EXPECT_EQ(call.title, "Edit");
    EXPECT_EQ(call.name, "edit_file");
    EXPECT_EQ(call.kind, v1::ToolKind::edit);
    EXPECT_EQ(call.content.size(), 2u);
    EXPECT_EQ(call.locations.size(), 2u);
    EXPECT_EQ(call.raw_input.text(), "{\"x\":1}");
    EXPECT_EQ(call.raw_output.text(), "7");
  };
  unchanged();
  state.apply(from_wire("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\"}"));
  unchanged();
  state.apply(
      from_wire("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"title\":null,"
                "\"name\":null,\"kind\":null,\"status\":null,\"content\":null,"
                "\"locations\":null,\"rawInput\":null,\"rawOutput\":null}"));
  unchanged();
  EXPECT_EQ(status(state, "c"), Status::pending);

  state.apply(
      from_wire("{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"title\":\"T\","
                "\"name\":\"n\",\"kind\":\"read\",\"status\":\"failed\",\"content\":[{"
                "\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"new\"}}],"
                "\"locations\":[],\"rawInput\":2,\"rawOutput\":[3]}"));
  const ToolCallState& call = *state.tool_call("c");
  EXPECT_EQ(call.title, "T");
  EXPECT_EQ(call.name, "n");
  EXPECT_EQ(call.kind, v1::ToolKind::read);
  EXPECT_EQ(call.status, Status::failed);
  ASSERT_EQ(call.content.size(), 1u);
  EXPECT_EQ(std::get<v1::Content>(call.content[0]).content, v1::ContentBlock("new"));
  EXPECT_TRUE(call.locations.empty());
  EXPECT_EQ(call.raw_input.text(), "2");
  EXPECT_EQ(call.raw_output.text(), "[3]");
  EXPECT_EQ(state.timeline().size(), 1u);
}

TEST(SessionStateToolCalls, ASecondAnnouncementIsAnUpdate) {
  SessionState state;
  state.apply(v1::ToolCall{.toolCallId = "c",
                           .title = "Run",
                           .kind = v1::ToolKind::execute,
                           .status = v1::ToolCallStatus::in_progress,
                           .content = {v1::Content{.content = "out"}}});
  state.apply(said("between"));
  state.apply(v1::ToolCall{.toolCallId = "c", .title = "Run make"});
  ASSERT_EQ(state.timeline().size(), 2u);
  const auto& call = entry<ToolCallState>(state, 0);
  EXPECT_EQ(call.title, "Run make");
  EXPECT_EQ(call.kind, v1::ToolKind::execute);
  EXPECT_EQ(call.status, Status::in_progress);
  EXPECT_EQ(call.content.size(), 1u);
}

TEST(SessionStateToolCalls, AnUpdateOrAPermissionRequestMayBeTheFirstToNameOne) {
  SessionState state;
  state.apply(v1::ToolCallUpdate{.toolCallId = "u", .title = "U"});
  state.on_permission_request({.toolCall = {.toolCallId = "p", .title = "May I"}});
  state.on_permission_request(
      {.toolCall = {.toolCallId = "u", .status = v1::ToolCallStatus::in_progress}});
  ASSERT_EQ(state.timeline().size(), 2u);
  EXPECT_EQ(entry<ToolCallState>(state, 0).title, "U");
  EXPECT_EQ(entry<ToolCallState>(state, 0).status, Status::in_progress);
  EXPECT_EQ(entry<ToolCallState>(state, 1).id, "p");
  EXPECT_EQ(entry<ToolCallState>(state, 1).title, "May I");
  EXPECT_EQ(entry<ToolCallState>(state, 1).status, Status::pending);
  EXPECT_EQ(entry<ToolCallState>(state, 1).kind, v1::ToolKind::other);
  EXPECT_EQ(state.tool_call("nobody"), nullptr);
}

TEST(SessionStateQuestions, StayUntilTheyAreClosed) {
  SessionState state;
  const auto one = state.on_permission_request({.toolCall = {.toolCallId = "a"}});
  const auto two = state.on_permission_request({.toolCall = {.toolCallId = "a"}});
  ASSERT_EQ(state.questions().size(), 2u);
  state.question_closed(one);
  ASSERT_EQ(state.questions().size(), 1u);
  EXPECT_EQ(state.questions()[0].number, two);
  const auto revision = state.revision();
  state.question_closed(one);
  EXPECT_EQ(state.revision(), revision);
}

TEST(SessionStateCancel, MarksTheUnfinishedCallsOfTheRunningTurn) {
  SessionState state;
  state.prompt_sent({"one"});
  state.apply(v1::ToolCall{.toolCallId = "old"});
  state.turn_ended(v1::StopReason::end_turn);
  state.prompt_sent({"two"});
  state.apply(v1::ToolCall{.toolCallId = "pending"});
  state.apply(v1::ToolCall{.toolCallId = "running", .status = v1::ToolCallStatus::in_progress});
  state.apply(v1::ToolCall{.toolCallId = "done", .status = v1::ToolCallStatus::completed});
  state.apply(v1::ToolCall{.toolCallId = "broken"});
  state.apply(v1::ToolCallUpdate{.toolCallId = "broken", .status = v1::ToolCallStatus::failed});
  state.cancel_requested();
  EXPECT_EQ(status(state, "old"), Status::pending);
  EXPECT_EQ(status(state, "pending"), Status::cancelled);
  EXPECT_EQ(status(state, "running"), Status::cancelled);
  EXPECT_EQ(status(state, "done"), Status::completed);
  EXPECT_EQ(status(state, "broken"), Status::failed);
  EXPECT_TRUE(state.tool_call("running")->finished());
}

TEST(SessionStateCancel, CoversACallOfAnEarlierTurnThatThisOneHasTakenUp) {
  SessionState state;
  state.prompt_sent({"one"});
  state.apply(v1::ToolCall{.toolCallId = "c"});
  state.turn_ended(v1::StopReason::end_turn);
  state.cancel_requested();
  EXPECT_EQ(status(state, "c"), Status::pending);
  state.prompt_sent({"two"});
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .title = "still at it"});
  state.cancel_requested();
  EXPECT_EQ(status(state, "c"), Status::cancelled);
}

TEST(SessionStateCancel, LeavesCallsAloneThatWereReplayedByALoad) {
  SessionState state;
  state.apply(v1::ToolCall{.toolCallId = "c"});
  state.prompt_sent({"go"});
  state.cancel_requested();
  state.turn_ended(v1::StopReason::cancelled);
  EXPECT_EQ(status(state, "c"), Status::pending);
}

TEST(SessionStateCancel, ALaterStatusWinsAndNothingElseDoes) {
  SessionState state;
  state.prompt_sent({"go"});
  state.apply(v1::ToolCall{.toolCallId = "c"});
  state.cancel_requested();
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .title = "t"});
  state.apply(v1::ToolCall{.toolCallId = "c", .title = "t"});
  // Sent before the agent had heard of the cancel.
  state.on_permission_request(
      {.toolCall = {.toolCallId = "c", .status = v1::ToolCallStatus::pending}});
  EXPECT_EQ(status(state, "c"), Status::cancelled);
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .status = v1::ToolCallStatus::in_progress});
  EXPECT_EQ(status(state, "c"), Status::in_progress);
  state.turn_ended(v1::StopReason::cancelled);
  EXPECT_EQ(status(state, "c"), Status::cancelled);
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .status = v1::ToolCallStatus::completed});
  EXPECT_EQ(status(state, "c"), Status::completed);
}

TEST(SessionStateCancel, WithNothingToCancelChangesNothing) {
  SessionState state;
  state.prompt_sent({"go"});
  state.apply(v1::ToolCall{.toolCallId = "c", .status = v1::ToolCallStatus::completed});
  const std::uint64_t revision = state.revision();
  state.cancel_requested();
  EXPECT_EQ(state.revision(), revision);
}

TEST(SessionStateTurns, EndedAsCancelledTheyLeaveNoCallUnfinished) {
  SessionState state;
  state.prompt_sent({"go"});
  EXPECT_TRUE(state.turn_running());
  state.cancel_requested();
  state.apply(v1::ToolCall{.toolCallId = "late"});
  EXPECT_EQ(status(state, "late"), Status::pending);
  state.turn_ended(v1::StopReason::cancelled);
  EXPECT_EQ(status(state, "late"), Status::cancelled);
  EXPECT_FALSE(state.turn_running());
  EXPECT_EQ(entry<PromptEntry>(state, 0).stop_reason, v1::StopReason::cancelled);
}

TEST(SessionStateTurns, EndedOtherwiseTheyLeaveCallsAsTheyAre) {
  SessionState state;
  state.prompt_sent({"go"});
  state.apply(v1::ToolCall{.toolCallId = "c"});
  state.turn_ended(v1::StopReason::max_tokens);
  EXPECT_EQ(status(state, "c"), Status::pending);
  EXPECT_EQ(entry<PromptEntry>(state, 0).stop_reason, v1::StopReason::max_tokens);
  state.prompt_sent({"on"});
  state.turn_failed();
  EXPECT_FALSE(state.turn_running());
  EXPECT_EQ(entry<PromptEntry>(state, 2).stop_reason, std::nullopt);
}

TEST(SessionStateTurns, APromptStandsInTheTimelineAndPartsMessages) {
  SessionState state;
  state.apply(said("before"));
  state.prompt_sent({"go", v1::ResourceLink{.name = "a", .uri = "file:///a"}});
  state.apply(said("after"));
  ASSERT_EQ(state.timeline().size(), 3u);
  EXPECT_EQ(entry<PromptEntry>(state, 1).content.size(), 2u);
  EXPECT_EQ(entry<PromptEntry>(state, 1).stop_reason, std::nullopt);
  EXPECT_EQ(text(state, 0), "before");
  EXPECT_EQ(text(state, 2), "after");
}

TEST(SessionStateTurns, ARefusedOneIsLeftOutWithAllThatFollowed) {
  SessionState state;
  const auto left_out = [&] {
    std::string marks;
    for (const auto& each : state.timeline()) marks += each.left_out ? 'x' : '.';
    return marks;
  };
  state.prompt_sent({"good"});
  state.apply(said("yes"));
  state.turn_ended(v1::StopReason::end_turn);
  state.prompt_sent({"bad"});
  state.apply(v1::ToolCall{.toolCallId = "c"});
  state.apply(said("no"));
  EXPECT_EQ(left_out(), ".....");
  const std::uint64_t revision = state.revision();
  state.turn_ended(v1::StopReason::refusal);
  EXPECT_EQ(left_out(), "..xxx");
  EXPECT_EQ(state.changed_since(revision), (Indices{2, 3, 4}));
  state.apply(v1::Notice{.title = "an update after the answer"});
  EXPECT_EQ(left_out(), "..xxxx");
  state.prompt_sent({"better"});
  state.apply(said("fine"));
  state.turn_ended(v1::StopReason::end_turn);
  EXPECT_EQ(left_out(), "..xxxx..");
}

TEST(SessionStateTurns, AnswersBelongToTheOldestPromptWithoutOne) {
  SessionState state;
  state.prompt_sent({"one"});
  state.prompt_sent({"two"});
  state.turn_ended(v1::StopReason::refusal);
  EXPECT_TRUE(state.turn_running());
  EXPECT_TRUE(state.timeline()[0].left_out);
  EXPECT_FALSE(state.timeline()[1].left_out);
  state.apply(said("of two"));
  EXPECT_FALSE(state.timeline()[2].left_out);
  state.turn_ended(v1::StopReason::end_turn);
  EXPECT_FALSE(state.turn_running());
  EXPECT_EQ(entry<PromptEntry>(state, 0).stop_reason, v1::StopReason::refusal);
  EXPECT_EQ(entry<PromptEntry>(state, 1).stop_reason, v1::StopReason::end_turn);
  const std::uint64_t revision = state.revision();
  state.turn_ended(v1::StopReason::refusal);  // of nothing
  EXPECT_EQ(state.revision(), revision);
}

}  // namespace
}  // namespace acp
