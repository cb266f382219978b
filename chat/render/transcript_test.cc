// What is printed once and what is drawn again while a session goes on.
#include "chat/render/transcript.h"

#include <gtest/gtest.h>

#include <random>

#include "acp/testing/session_updates.h"
#include "chat/render/entries.h"

namespace acp::chat {
namespace {

using namespace acp::testing;  // NOLINT(google-build-using-namespace)

std::string printed(const TranscriptFrame& frame) { return to_plain(frame.finished); }
std::string open(const TranscriptFrame& frame) { return to_plain(frame.open); }

TEST(Transcript, AMessageIsPrintedBlockByBlock) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"hi"});
  EXPECT_EQ(printed(transcript.draw(state)), "❯ hi\n");
  state.apply(said("One\n\nTw"));
  TranscriptFrame frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\nOne\n");
  EXPECT_EQ(open(frame), "\nTw\n");
  state.apply(said("o"));
  frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "");
  EXPECT_EQ(open(frame), "\nTwo\n");
  state.apply(v1::ToolCall{.toolCallId = "c", .title = "t"});
  frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\nTwo\n");
  EXPECT_EQ(open(frame), "\n○ • t\n");
  state.turn_ended(v1::StopReason::end_turn);
  frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\n○ • t\n");
  EXPECT_EQ(open(frame), "");
}

TEST(Transcript, CallsAreDrawnAgainUntilTheyEnd) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"hi"});
  state.apply(v1::ToolCall{.toolCallId = "a", .title = "first"});
  state.apply(v1::ToolCall{.toolCallId = "b", .title = "second"});
  TranscriptFrame frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "❯ hi\n");
  EXPECT_EQ(open(frame), "\n○ • first\n○ • second\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "b", .status = v1::ToolCallStatus::completed});
  frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "");
  EXPECT_EQ(open(frame), "\n○ • first\n✓ • second\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .status = v1::ToolCallStatus::completed});
  frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\n✓ • first\n✓ • second\n");
  EXPECT_EQ(open(frame), "");
  // What is news of one that was printed is printed again.
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .title = "renamed"});
  EXPECT_EQ(printed(transcript.draw(state)), "✓ • renamed\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .title = "renamed"});
  EXPECT_EQ(printed(transcript.draw(state)), "");
}

TEST(Transcript, WhatIsOpenHasALimit) {
  SessionState state;
  Transcript transcript({}, 5);
  state.prompt_sent({"hi"});
  transcript.draw(state);
  state.apply(v1::ToolCall{.toolCallId = "slow", .title = "slow"});
  state.apply(said("a\n\nb\n\nc\n\nd"));
  TranscriptFrame frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\n○ • slow\n");
  EXPECT_EQ(open(frame), "\na\n\nb\n\nc\n\nd\n");  // from here on as usual
  frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\na\n\nb\n\nc\n");
  EXPECT_EQ(open(frame), "\nd\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "slow", .status = v1::ToolCallStatus::completed});
  EXPECT_EQ(printed(transcript.draw(state)), "✓ • slow\n");
}

TEST(Transcript, ManyOpenCallsInOneFrame) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"hi"});
  for (int i = 0; i < 20'000; ++i)
    state.apply(v1::ToolCall{.toolCallId = std::to_string(i), .title = "t"});
  const TranscriptFrame frame = transcript.draw(state);
  EXPECT_EQ(frame.open.size(), 60u);
  EXPECT_EQ(frame.finished.size(), 20'000u - 60 + 2);
}

TEST(Transcript, TheEndOfATurnIsToldBelowIt) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"bad"});
  state.apply(said("No"));
  EXPECT_EQ(open(transcript.draw(state)), "\nNo\n");
  state.turn_ended(v1::StopReason::refusal);
  const TranscriptFrame frame = transcript.draw(state);
  EXPECT_EQ(printed(frame), "\nNo\n\n✗ The agent refused this turn: it will not be sent again\n");
  EXPECT_TRUE(frame.finished[1][0].style.strike);
  EXPECT_EQ(open(frame), "");
  EXPECT_EQ(printed(transcript.draw(state)), "");
}

TEST(Transcript, ACancelledCallShowsAtOnce) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"go"});
  state.apply(v1::ToolCall{.toolCallId = "a", .title = "t"});
  transcript.draw(state);
  state.cancel_requested();
  EXPECT_EQ(printed(transcript.draw(state)), "\n⊘ • t  cancelled\n");
  state.turn_ended(v1::StopReason::cancelled);
  EXPECT_EQ(printed(transcript.draw(state)), "\n⊘ Cancelled\n");
}

TEST(Transcript, ACancelledCallIsToldAgainOnlyIfItWasDone) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"go"});
  state.apply(v1::ToolCall{.toolCallId = "a", .title = "a"});
  state.apply(v1::ToolCall{.toolCallId = "b", .title = "b"});
  transcript.draw(state);
  state.cancel_requested();
  EXPECT_EQ(printed(transcript.draw(state)), "\n⊘ • a  cancelled\n⊘ • b  cancelled\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .status = v1::ToolCallStatus::in_progress});
  transcript.draw(state);
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .status = v1::ToolCallStatus::failed});
  EXPECT_EQ(printed(transcript.draw(state)), "");
  state.turn_ended(v1::StopReason::cancelled);
  EXPECT_EQ(printed(transcript.draw(state)), "\n⊘ Cancelled\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "b", .status = v1::ToolCallStatus::completed});
  EXPECT_EQ(printed(transcript.draw(state)), "✓ • b\n");
}

TEST(Transcript, WhatComesAfterTheTurnGoesOn) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"go"});
  state.apply(said("half a sen"));
  state.turn_ended(v1::StopReason::end_turn);
  EXPECT_EQ(open(transcript.draw(state)), "\nhalf a sen\n");
  state.apply(said("tence"));
  EXPECT_EQ(open(transcript.draw(state)), "\nhalf a sentence\n");
  EXPECT_EQ(printed(transcript.finish(state)), "\nhalf a sentence\n");
  EXPECT_EQ(open(transcript.draw(state)), "");
  state.apply(said(" more"));
  EXPECT_EQ(open(transcript.draw(state)), "\nmore\n");
}

TEST(Transcript, TimeGoesOnWithoutAnUpdate) {
  int seconds = 1;
  View view;
  view.elapsed = [&](const v1::ToolCallId&) { return std::chrono::seconds(seconds); };
  SessionState state;
  Transcript transcript(view);
  state.prompt_sent({"go"});
  state.apply(v1::ToolCall{.toolCallId = "a", .title = "t"});
  EXPECT_EQ(open(transcript.draw(state)), "\n○ • t  1.0 s\n");
  seconds = 2;
  EXPECT_EQ(open(transcript.draw(state)), "\n○ • t  2.0 s\n");
}

TEST(Transcript, AnotherWidth) {
  SessionState state;
  Transcript transcript({});
  state.prompt_sent({"go"});
  state.apply(said("one two three"));
  transcript.draw(state);
  transcript.set_view({.columns = 8});
  EXPECT_EQ(open(transcript.draw(state)), "\none two\nthree\n");
  transcript.restart();
  EXPECT_EQ(printed(transcript.draw(state)), "❯ go\n");
}

// However often it is drawn on the way, the sum is that of all entries.
TEST(Transcript, FramesAddUpToTheEntries) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    SessionState state;
    Transcript transcript({.columns = 40}, 1000);
    Lines all;
    const auto draw = [&](TranscriptFrame frame) {
      for (Line& line : frame.finished) all.push_back(std::move(line));
    };
    state.prompt_sent({"go"});
    for (int step = 0; step < 60; ++step) {
      const std::string id = std::to_string(random() % 4);
      switch (random() % 6) {
        case 0:
          state.apply(v1::ToolCall{.toolCallId = id, .title = "call " + id});
          break;
        case 1:
          state.apply(thought("think\n\n"));
          break;
        case 2:
          state.apply(said(v1::ImageContent{.data = "AAAA", .mimeType = "image/png"}));
          break;
        default:
          state.apply(said(random() % 2 == 0 ? "some *words* " : "\n- item\n\n"));
      }
      if (random() % 3 == 0) draw(transcript.draw(state));
    }
    for (const char* id : {"0", "1", "2", "3"})
      if (state.tool_call(id))
        state.apply(v1::ToolCallUpdate{.toolCallId = id, .status = v1::ToolCallStatus::completed});
    state.turn_ended(v1::StopReason::end_turn);
    draw(transcript.finish(state));
    Lines expected;
    for (std::size_t i = 0; i < state.timeline().size(); ++i) {
      const auto is_call = [&](std::size_t at) {
        return std::holds_alternative<ToolCallState>(state.timeline()[at].content);
      };
      Lines lines = entry_lines(state, state.timeline()[i], transcript.view());
      if (i > 0 && !lines.empty() && !(is_call(i) && is_call(i - 1))) expected.emplace_back();
      for (Line& line : lines) expected.push_back(std::move(line));
    }
    ASSERT_EQ(to_plain(all), to_plain(expected));
    ASSERT_TRUE(all == expected);
  }
}

}  // namespace
}  // namespace acp::chat
