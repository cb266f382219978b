// Frames and what commands show, as text.
#include "chat/tui/session_view.h"

#include <gtest/gtest.h>

#include "acp/testing/session_updates.h"

namespace acp::chat {
namespace {

using namespace acp::testing;  // NOLINT(google-build-using-namespace)

struct Shown {
  SessionView::Clock::time_point now = {};
  SessionState state;
  SessionView view{"/work", 60, [this] { return now; }};

  std::string news(bool working) { return to_plain(view.news(state, working).finished); }
  std::string open(bool working) { return to_plain(view.news(state, working).open); }
  std::string notes() { return to_plain(view.take_notes()); }
};

TEST(SessionView, OurLinesStandAboveWhatATurnTellsNow) {
  Shown shown;
  shown.state.prompt_sent({"hi"});
  shown.view.say("ours");
  EXPECT_EQ(shown.news(true), "· ours\n❯ hi\n");
}

TEST(SessionView, OurLinesStandBelowAnAnswerThatHasEnded) {
  Shown shown;
  shown.state.prompt_sent({"hi"});
  shown.state.apply(said("The answer"));
  EXPECT_EQ(shown.news(true), "❯ hi\n");
  shown.state.turn_ended(v1::StopReason::end_turn);
  shown.view.say_error("one\ntwo");
  EXPECT_EQ(shown.news(false), "\nThe answer\n\none\ntwo\n");
  EXPECT_FALSE(shown.view.has_notes());
}

TEST(SessionView, OurLinesAreWrapped) {
  Shown shown;
  shown.view.resize(12);
  shown.view.say("some longer words");
  EXPECT_EQ(shown.notes(), "· some\nlonger words\n");
}

TEST(SessionView, ACallShowsHowLongItTook) {
  Shown shown;
  shown.state.prompt_sent({"hi"});
  shown.state.apply(v1::ToolCall{.toolCallId = "c", .title = "Build"});
  EXPECT_EQ(shown.open(true), "\n○ • Build\n");
  shown.now += std::chrono::milliseconds(1500);
  v1::ToolCallUpdate done;
  done.toolCallId = "c";
  done.status = v1::ToolCallStatus::completed;
  shown.state.apply(done);
  EXPECT_EQ(shown.news(true), "\n✓ • Build  1.5 s\n");
  // What was replayed has no times.
  Shown loaded;
  loaded.state.apply(v1::ToolCall{.toolCallId = "c", .title = "Build"});
  EXPECT_EQ(loaded.news(false), "○ • Build\n");
}

TEST(SessionView, TimesAreWithoutThoseInWhichAPersonWasAsked) {
  using std::chrono::seconds;
  Shown shown;
  shown.state.prompt_sent({"hi"});
  shown.view.turn_begins();
  for (const char* id : {"a", "b"}) shown.state.apply(v1::ToolCall{.toolCallId = id, .title = id});
  static_cast<void>(shown.news(true));
  shown.now += seconds(1);
  shown.view.waits_for_person(true, {"a"});
  shown.now += seconds(10);
  shown.view.waits_for_person(true, {"a"});
  shown.view.waits_for_person(false, {});
  shown.now += seconds(2);
  EXPECT_EQ(shown.open(true), "\n○ • a  3.0 s\n○ • b  13.0 s\n");
  EXPECT_EQ(shown.view.turn_time(), seconds(3));
  // It is announced while somebody is asked about it already.
  shown.view.waits_for_person(true, {"c"});
  shown.state.apply(v1::ToolCall{.toolCallId = "c", .title = "c"});
  static_cast<void>(shown.open(true));
  shown.now += seconds(5);
  EXPECT_TRUE(shown.open(true).ends_with("○ • c\n"));
}

TEST(SessionView, AnotherSessionBeginsAnew) {
  Shown shown;
  shown.state.prompt_sent({"hi"});
  EXPECT_EQ(shown.news(true), "❯ hi\n");
  shown.view.restart();
  EXPECT_EQ(shown.news(true), "❯ hi\n");
}

TEST(SessionView, TheLastFrameHoldsWhatIsOpen) {
  Shown shown;
  shown.state.prompt_sent({"hi"});
  shown.state.apply(said("not yet"));
  EXPECT_EQ(shown.open(true), "\nnot yet\n");
  shown.view.say("left");
  EXPECT_EQ(to_plain(shown.view.finish(shown.state)), "\nnot yet\n· left\n");
}

TEST(SessionView, ShowsACallWhole) {
  Shown shown;
  shown.view.show_call(shown.state, "");
  EXPECT_EQ(shown.notes(), "· There are no tool calls\n");
  v1::ToolCall call{.toolCallId = "c", .title = "Look"};
  call.rawInput = Json::object({{"path", "a"}});
  shown.state.apply(call);
  shown.view.show_call(shown.state, "");
  EXPECT_EQ(shown.notes(), "  1 ○ • Look\n· /show N unfolds one of them\n");
  shown.view.show_call(shown.state, "1");
  EXPECT_EQ(shown.notes(), "○ • Look\n  input\n  │ {\"path\":\"a\"}\n");
  shown.view.show_call(shown.state, "2");
  EXPECT_EQ(shown.notes(), "There is no tool call 2: /show lists them\n");
}

TEST(SessionView, ChangesSayByWhom) {
  Shown shown;
  shown.view.show_changes(nullptr, {});
  EXPECT_NE(shown.notes().find("No known changes"), std::string::npos);
  v1::ToolCall call{.toolCallId = "c", .title = "Edit"};
  call.status = v1::ToolCallStatus::completed;
  v1::Diff diff;
  diff.path = "/project/b";
  diff.newText = "new\n";
  call.content.emplace_back(diff);
  shown.state.apply(call);
  shown.view.show_changes(&shown.state, {{"/project/a", {.before = "x\n", .after = "y\n"}}});
  const std::string text = shown.notes();
  EXPECT_LT(text.find("/project/a  +1 -1"), text.find("not verified"));
  EXPECT_LT(text.find("not verified"), text.find("b  new  +1 -0"));
}

TEST(SessionView, ALongPlanIsCut) {
  Shown shown;
  v1::Plan plan;
  for (int i = 0; i < 5; ++i) {
    v1::PlanEntry entry;
    entry.content = "step " + std::to_string(i);
    plan.entries.push_back(entry);
  }
  shown.state.apply(plan);
  EXPECT_EQ(to_plain(shown.view.plan(shown.state, 3)), "☐ step 0 !\n☐ step 1 !\n… and 3 more\n");
}

TEST(SessionView, WhatWasForgottenIsStillExported) {
  Shown shown;
  shown.state.prompt_sent({"first words"});
  for (int i = 0; i < 2000; ++i) {
    v1::ToolCall call{.toolCallId = "c" + std::to_string(i), .title = "Call " + std::to_string(i)};
    call.status = v1::ToolCallStatus::completed;
    shown.state.apply(call);
  }
  static_cast<void>(shown.news(true));
  shown.state.turn_ended(v1::StopReason::end_turn);
  static_cast<void>(shown.news(false));
  shown.view.tidy(shown.state, false);
  EXPECT_LT(shown.state.timeline().size(), 1000u);
  const std::string text = shown.view.exported(shown.state, true);
  EXPECT_NE(text.find("first words"), std::string::npos);
  for (const char* call : {"Call 0 ", "Call 999 ", "Call 1999 "})
    EXPECT_NE(text.find(call), std::string::npos) << call;
  shown.view.show_call(shown.state, "1");
  EXPECT_NE(shown.notes().find("so long ago"), std::string::npos);
  shown.view.show_call(shown.state, "2000");
  EXPECT_NE(shown.notes().find("Call 1999"), std::string::npos);
}

TEST(SessionView, TheLogIsWrapped) {
  Shown shown;
  shown.view.resize(24);
  shown.view.show_log({"stderr: there is no such file", "short"});
  EXPECT_EQ(shown.notes(), "  stderr: there is no\n    such file\n  short\n");
}

}  // namespace
}  // namespace acp::chat
