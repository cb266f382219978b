// What a state lets go of, and what goes on as before.
#include <gtest/gtest.h>

#include "acp/session_state.h"
#include "acp/testing/session_updates.h"

namespace acp {
namespace {

using namespace acp::testing;  // NOLINT(google-build-using-namespace)
using Indices = std::vector<std::size_t>;

v1::ToolCall call(const std::string& id) { return {.toolCallId = id, .title = id}; }

TEST(SessionStateForget, TheRestMovesToTheFront) {
  SessionState state;
  for (const char* id : {"a", "b", "c", "d"}) state.apply(call(id));
  const std::uint64_t before = state.revision();
  state.apply(v1::ToolCallUpdate{.toolCallId = "b", .title = "B"});
  EXPECT_EQ(state.forget(2), Indices());
  ASSERT_EQ(state.timeline().size(), 2u);
  EXPECT_EQ(state.tool_call("a"), nullptr);
  EXPECT_EQ(state.tool_call("c")->title, "c");
  EXPECT_EQ(state.changed_since(before), Indices()) << "what changed is gone";
  EXPECT_EQ(state.changed_since(0), (Indices{0, 1}));
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .title = "C"});
  EXPECT_EQ(state.changed_since(before), (Indices{0}));
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .title = "again"});
  ASSERT_EQ(state.timeline().size(), 3u) << "of one that is gone more is a new entry";
  EXPECT_EQ(state.tool_call("a")->title, "again");
  state.forget(99);
  EXPECT_TRUE(state.timeline().empty());
  state.apply(said("on"));
  EXPECT_EQ(state.changed_since(0), (Indices{0}));
}

TEST(SessionStateForget, ARunningPromptStays) {
  SessionState state;
  state.apply(said("before"));
  state.prompt_sent({"one"});
  state.apply(call("a"));
  state.apply(call("b"));
  EXPECT_EQ(state.forget(3), (Indices{1}));
  ASSERT_EQ(state.timeline().size(), 2u);
  EXPECT_TRUE(state.turn_running());
  state.cancel_requested();
  EXPECT_EQ(state.tool_call("b")->status, ToolCallState::Status::cancelled);
  state.turn_ended(v1::StopReason::cancelled);
  EXPECT_FALSE(state.turn_running());
  EXPECT_EQ(std::get<SessionState::Prompt>(state.timeline()[0].content).stop_reason,
            v1::StopReason::cancelled);
}

TEST(SessionStateForget, TerminalsGoWithWhatShowsThem) {
  SessionState state;
  const auto shows = [&](const std::string& id, const std::string& terminal) {
    v1::ToolCall one = call(id);
    one.content.emplace_back(v1::Terminal{.terminalId = terminal});
    state.apply(std::move(one));
  };
  for (const char* id : {"t1", "t2", "hidden", "runs"}) state.terminal_output(id, "x", false);
  shows("a", "t1");
  shows("b", "t2");
  state.terminal_released("hidden");
  state.forget(1);
  EXPECT_EQ(state.terminal("t1"), nullptr);
  EXPECT_NE(state.terminal("t2"), nullptr);
  EXPECT_EQ(state.terminal("hidden"), nullptr) << "released, and never shown";
  EXPECT_NE(state.terminal("runs"), nullptr) << "it may still be shown";
  const std::uint64_t before = state.revision();
  state.terminal_output("t2", "y", false);
  EXPECT_EQ(state.changed_since(before), (Indices{0})) << "what shows it changes with it";
}

TEST(SessionStateForget, TheBeginningOfAMessage) {
  SessionState state;
  state.apply(said("one two"));
  state.forget_content(0, 0, 4);
  state.apply(said(" three"));
  const auto& message = std::get<SessionState::Message>(state.timeline()[0].content);
  EXPECT_EQ(v1::text_of(message.content), "two three");
  state.forget_content(0, 1, 0);
  EXPECT_TRUE(message.content.empty());
  state.forget_content(0, 5, 5);
  state.apply(said("on"));
  EXPECT_EQ(state.timeline().size(), 1u);
}

}  // namespace
}  // namespace acp
