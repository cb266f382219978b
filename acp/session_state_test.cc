// What a session shows: messages, plans, modes, terminals, and which of it has changed.
#include "acp/session_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "acp/testing/session_updates.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(SessionState, IsAPlainValue) {
  static_assert(std::is_copy_constructible_v<SessionState>);
  static_assert(std::is_copy_assignable_v<SessionState>);
  static_assert(std::is_nothrow_move_constructible_v<SessionState>);
  static_assert(std::is_nothrow_move_assignable_v<SessionState>);
  SessionState state;
  state.apply(said("one"));
  SessionState copy = state;
  copy.apply(said(" two"));
  copy.apply(v1::Notice{.title = "n"});
  EXPECT_EQ(text(state, 0), "one");
  EXPECT_EQ(text(copy, 0), "one two");
  EXPECT_EQ(state.timeline().size(), 1u);
  state = std::move(copy);
  EXPECT_EQ(state.timeline().size(), 2u);
  EXPECT_EQ(state.changed_since(0), (Indices{0, 1}));
}

TEST(SessionStateMessages, ChunksOfOneKindInARowAreOne) {
  SessionState state;
  for (const char* piece : {"Hel", "lo", ""}) state.apply(said(piece));
  state.apply(thought("hm"));
  state.apply(said("again"));
  state.apply(user("me"));
  ASSERT_EQ(state.timeline().size(), 4u);
  EXPECT_EQ(entry<Message>(state, 0).content, std::vector<v1::ContentBlock>{"Hello"});
  EXPECT_EQ(entry<Message>(state, 0).kind, Kind::agent);
  EXPECT_EQ(entry<Message>(state, 1).kind, Kind::thought);
  EXPECT_EQ(text(state, 2), "again");
  EXPECT_EQ(entry<Message>(state, 3).kind, Kind::user);
}

TEST(SessionStateMessages, AnotherIdIsAnotherMessage) {
  SessionState state;
  state.apply(said("a", "m1"));
  state.apply(said("b", "m1"));
  state.apply(said("c", "m2"));
  state.apply(said("d"));
  state.apply(said("e", nullptr));  // null is as good as none
  ASSERT_EQ(state.timeline().size(), 3u);
  EXPECT_EQ(text(state, 0), "ab");
  EXPECT_EQ(entry<Message>(state, 0).id, "m1");
  EXPECT_EQ(text(state, 1), "c");
  EXPECT_EQ(text(state, 2), "de");
  EXPECT_EQ(entry<Message>(state, 2).id, std::nullopt);
}

TEST(SessionStateMessages, WhatAddsNothingToTheTimelineDoesNotPartThem) {
  SessionState state;
  state.apply(v1::ToolCall{.toolCallId = "c"});
  state.apply(said("a"));
  state.apply(v1::UsageUpdate{.used = 1, .size = 2});
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .status = v1::ToolCallStatus::completed});
  state.apply(said("b"));
  state.apply(v1::ToolCall{.toolCallId = "d"});
  state.apply(said("c"));
  ASSERT_EQ(state.timeline().size(), 4u);
  EXPECT_EQ(text(state, 1), "ab");
  EXPECT_EQ(text(state, 3), "c");
}

TEST(SessionStateMessages, TextsAreOneBlockUnlessTheirAnnotationsDiffer) {
  const v1::Annotations aside{.priority = 0.5};
  SessionState state;
  state.apply(said("a"));
  state.apply(said(v1::TextContent{.annotations = nullptr, .text = "b"}));
  state.apply(said(v1::TextContent{.annotations = aside, .text = "c"}));
  state.apply(said(v1::TextContent{.annotations = aside, .text = "d"}));
  state.apply(said(v1::TextContent{.annotations = v1::Annotations{.priority = 1}, .text = "e"}));
  state.apply(said(v1::ImageContent{.data = "", .mimeType = "image/png"}));
  state.apply(said("f"));
  state.apply(said(v1::TextContent{.text = "g", ._meta = Json::object({{"k", 1}})}));
  ASSERT_EQ(state.timeline().size(), 1u);
  const auto& content = entry<Message>(state, 0).content;
  ASSERT_EQ(content.size(), 6u);
  EXPECT_EQ(content[0], v1::ContentBlock(v1::TextContent{.text = "ab"}));
  EXPECT_EQ(content[1], v1::ContentBlock(v1::TextContent{.annotations = aside, .text = "cd"}));
  EXPECT_EQ(std::get<v1::TextContent>(content[2]).text, "e");
  EXPECT_TRUE(std::holds_alternative<v1::ImageContent>(content[3]));
  EXPECT_EQ(content[4], v1::ContentBlock("f"));
  EXPECT_EQ(std::get<v1::TextContent>(content[5])._meta, Json::object({{"k", 1}}));
}

TEST(SessionStateParts, PlanAndCommandsAreReplacedWhole) {
  SessionState state;
  state.apply(v1::Plan{.entries = {{.content = "a"}, {.content = "b"}}});
  state.apply(v1::Plan{.entries = {{.content = "c"}}});
  ASSERT_EQ(state.plan().size(), 1u);
  EXPECT_EQ(state.plan()[0].content, "c");
  state.apply(v1::AvailableCommandsUpdate{.availableCommands = {{.name = "x"}, {.name = "y"}}});
  state.apply(v1::AvailableCommandsUpdate{.availableCommands = {{.name = "z"}}});
  ASSERT_EQ(state.commands().size(), 1u);
  EXPECT_EQ(state.commands()[0].name, "z");
  state.apply(v1::Plan{});
  state.apply(v1::AvailableCommandsUpdate{});
  EXPECT_TRUE(state.plan().empty());
  EXPECT_TRUE(state.commands().empty());
  EXPECT_TRUE(state.timeline().empty());
}

TEST(SessionStateParts, PlansWithAnIdComeAndGoByIt) {
  SessionState state;
  state.apply(v1::PlanUpdate{.plan = v1::PlanMarkdown{.planId = "a", .content = "# A"}});
  state.apply(v1::PlanUpdate{.plan = v1::PlanItems{.planId = "b", .entries = {{}}}});
  state.apply(v1::PlanUpdate{.plan = v1::PlanFile{.planId = "a", .uri = "file:///a"}});
  state.apply(
      from_wire("{\"sessionUpdate\":\"plan_update\",\"plan\":{\"type\":\"_graph\","
                "\"planId\":\"g\",\"nodes\":[]}}"));
  ASSERT_EQ(state.plans().size(), 3u);
  EXPECT_EQ(std::get<v1::PlanFile>(state.plans().at("a")).uri, "file:///a");
  EXPECT_EQ(std::get<Unknown>(state.plans().at("g")).tag, "_graph");
  state.apply(v1::PlanRemoved{.planId = "a"});
  EXPECT_EQ(state.plans().size(), 2u);
  EXPECT_FALSE(state.plans().contains("a"));
  const std::uint64_t revision = state.revision();
  state.apply(v1::PlanRemoved{.planId = "a"});
  EXPECT_EQ(state.revision(), revision);
  EXPECT_TRUE(state.timeline().empty());
  state.apply(v1::PlanUpdate{.plan = Unknown{.tag = "_x", .payload = Json::object()}});
  EXPECT_EQ(entry<Unknown>(state, 0).tag, "_x");
}

TEST(SessionStateParts, ModesAndOptionsComeWithTheAnswerAndWithUpdates) {
  SessionState state;
  state.start({.sessionId = "s",
               .modes = v1::SessionModeState{.currentModeId = "ask",
                                             .availableModes = {{.id = "ask"}, {.id = "code"}}},
               .configOptions = std::vector<v1::SessionConfigOption>{{.id = "model"}}});
  EXPECT_EQ(state.modes()->currentModeId, "ask");
  EXPECT_EQ(state.config_options().size(), 1u);
  state.apply(v1::CurrentModeUpdate{.currentModeId = "code"});
  EXPECT_EQ(state.modes()->currentModeId, "code");
  EXPECT_EQ(state.modes()->availableModes.size(), 2u);
  state.apply(v1::ConfigOptionUpdate{.configOptions = {{.id = "a"}, {.id = "b"}}});
  ASSERT_EQ(state.config_options().size(), 2u);
  EXPECT_EQ(state.config_options()[0].id, "a");

  state.apply(said("replayed"));
  const v1::LoadSessionResponse empty{.configOptions = nullptr};
  state.start(empty.modes, empty.configOptions);
  EXPECT_EQ(state.modes()->currentModeId, "code");
  EXPECT_EQ(state.config_options().size(), 2u);
  EXPECT_EQ(state.timeline().size(), 1u);
  const v1::ResumeSessionResponse resumed{
      .modes = v1::SessionModeState{.currentModeId = "m", .availableModes = {{.id = "m"}}},
      .configOptions = std::vector<v1::SessionConfigOption>()};
  state.start(resumed.modes, resumed.configOptions);
  EXPECT_EQ(state.modes()->currentModeId, "m");
  EXPECT_EQ(state.modes()->availableModes.size(), 1u);
  EXPECT_TRUE(state.config_options().empty());
}

TEST(SessionStateParts, AModeMayComeWithoutAList) {
  SessionState state;
  EXPECT_FALSE(state.modes());
  state.apply(v1::CurrentModeUpdate{.currentModeId = "code"});
  EXPECT_EQ(state.modes()->currentModeId, "code");
  EXPECT_TRUE(state.modes()->availableModes.empty());
}

TEST(SessionStateParts, UsageKeepsTheCostUntilAnotherComes) {
  SessionState state;
  EXPECT_FALSE(state.usage());
  state.apply(v1::UsageUpdate{.used = 1, .size = 9, .cost = v1::Cost{.amount = 2}});
  state.apply(v1::UsageUpdate{.used = 3, .size = 8});
  EXPECT_EQ(state.usage()->used, 3u);
  EXPECT_EQ(state.usage()->size, 8u);
  EXPECT_EQ(state.usage()->cost->amount, 2);
  state.apply(v1::UsageUpdate{.used = 3, .size = 8, .cost = nullptr});
  EXPECT_TRUE(state.usage()->cost.absent());
}

TEST(SessionStateParts, InfoIsPatched) {
  SessionState state;
  state.apply(v1::SessionInfoUpdate{.title = "T", .updatedAt = "2026-01-01T00:00:00Z"});
  state.apply(v1::SessionInfoUpdate{.title = "U"});
  EXPECT_EQ(*state.info().title, "U");
  EXPECT_EQ(*state.info().updatedAt, "2026-01-01T00:00:00Z");
  state.apply(v1::SessionInfoUpdate{.title = nullptr});
  EXPECT_TRUE(state.info().title.absent());
  EXPECT_EQ(*state.info().updatedAt, "2026-01-01T00:00:00Z");
}

TEST(SessionStateTerminals, KeepTheLastOutputWhenReleased) {
  SessionState state;
  state.terminal_created("t");
  EXPECT_FALSE(state.terminal("t")->exit_status);
  state.terminal_output("t", "one", false);
  state.terminal_output("t", "two", true);
  state.terminal_exited("t", {.exitCode = 3});
  EXPECT_FALSE(state.terminal("t")->released);
  state.terminal_released("t");
  const TerminalView& view = *state.terminal("t");
  EXPECT_EQ(view.id, "t");
  EXPECT_EQ(view.output, "two");
  EXPECT_TRUE(view.truncated);
  EXPECT_EQ(*view.exit_status->exitCode, 3u);
  EXPECT_TRUE(view.released);
  EXPECT_EQ(state.terminal("never created"), nullptr);
  state.terminal_created("t");  // the same id, another terminal
  EXPECT_EQ(state.terminal("t")->output, "");
  EXPECT_FALSE(state.terminal("t")->released);
}

TEST(SessionStateTerminals, ChangeTheCallsThatShowThem) {
  SessionState state;
  const auto changed = [&](auto change) {
    const std::uint64_t revision = state.revision();
    change();
    EXPECT_GT(state.revision(), revision);
    return state.changed_since(revision);
  };
  state.terminal_created("t");
  state.apply(v1::ToolCall{.toolCallId = "a", .content = {v1::Terminal{.terminalId = "t"}}});
  state.apply(v1::ToolCall{.toolCallId = "b"});
  state.apply(v1::ToolCall{.toolCallId = "c", .content = {v1::Terminal{.terminalId = "t"}}});
  EXPECT_EQ(changed([&] { state.terminal_output("t", "x", false); }), (Indices{0, 2}));
  EXPECT_EQ(changed([&] { state.terminal_released("t"); }), (Indices{0, 2}));
  EXPECT_EQ(changed([&] { state.terminal_output("other", "x", false); }), Indices{});
  state.apply(v1::ToolCallUpdate{.toolCallId = "a", .content = std::vector<v1::ToolCallContent>()});
  EXPECT_EQ(changed([&] { state.terminal_exited("t", {}); }), Indices{2});
}

TEST(SessionStateTimeline, NoticesAndUnknownUpdatesAreKept) {
  SessionState state;
  state.apply(v1::Notice{.title = "disk full"});
  state.apply(v1::Notice{.title = "disk full"});
  state.apply(from_wire("{\"sessionUpdate\":\"from_2030\",\"x\":[1.50]}"));
  ASSERT_EQ(state.timeline().size(), 3u);
  EXPECT_EQ(entry<v1::Notice>(state, 1).title, "disk full");
  EXPECT_EQ(entry<Unknown>(state, 2).tag, "from_2030");
  EXPECT_EQ(entry<Unknown>(state, 2).payload.text(), "{\"x\":[1.50]}");
}

TEST(SessionStateTimeline, CompactionsArePatchedWhereTheyFirstStood) {
  SessionState state;
  state.apply(v1::CompactionSummaryChunk{.compactionId = "k", .content = "sum"});
  state.apply(said("between"));
  state.apply(v1::CompactionSummaryChunk{.compactionId = "k", .content = "mary"});
  const auto& compaction = entry<v1::CompactionUpdate>(state, 0);
  EXPECT_EQ(compaction.status, v1::CompactionStatus::in_progress);
  EXPECT_EQ(*compaction.summary, std::vector<v1::ContentBlock>{"summary"});
  state.apply(v1::CompactionUpdate{
      .compactionId = "k", .status = v1::CompactionStatus::failed, .error = "no room"});
  EXPECT_EQ(compaction.compactionId, "k");
  EXPECT_EQ(compaction.status, v1::CompactionStatus::failed);
  EXPECT_EQ(*compaction.error, "no room");
  EXPECT_EQ(compaction.summary->size(), 1u);
  state.apply(v1::CompactionUpdate{.compactionId = "k",
                                   .status = v1::CompactionStatus::completed,
                                   .summary = std::vector<v1::ContentBlock>{"a", "b"},
                                   .error = nullptr});
  EXPECT_TRUE(compaction.error.absent());
  EXPECT_EQ(compaction.summary->size(), 2u);
  state.apply(v1::CompactionUpdate{.compactionId = "k", .summary = nullptr});
  EXPECT_FALSE(compaction.summary);
  state.apply(v1::CompactionUpdate{.compactionId = "other"});
  EXPECT_EQ(state.timeline().size(), 3u);
}

TEST(SessionStateTimeline, SubagentsArePatchedByTheirSession) {
  SessionState state;
  state.apply(v1::SubagentUpdate{.sessionId = "s", .title = "T", .description = "D"});
  state.apply(said("between"));
  state.apply(v1::SubagentUpdate{
      .sessionId = "s", .description = nullptr, .state = v1::RunningStateUpdate{}});
  ASSERT_EQ(state.timeline().size(), 2u);
  const auto& subagent = entry<v1::SubagentUpdate>(state, 0);
  EXPECT_EQ(subagent.sessionId, "s");
  EXPECT_EQ(*subagent.title, "T");
  EXPECT_TRUE(subagent.description.absent());
  EXPECT_TRUE(std::holds_alternative<v1::RunningStateUpdate>(*subagent.state));
}

TEST(SessionStateTimeline, MessagesBetweenSessionsAreJoinedByTheirId) {
  SessionState state;
  state.apply(v1::SessionMessageChunk{.messageId = "m", .content = "Hel"});
  state.apply(said("between"));
  state.apply(v1::SessionMessage{.messageId = "m", .senderSessionId = "child"});
  state.apply(v1::SessionMessageChunk{.messageId = "m", .content = "lo"});
  ASSERT_EQ(state.timeline().size(), 2u);
  const auto& message = entry<v1::SessionMessage>(state, 0);
  EXPECT_EQ(message.messageId, "m");
  EXPECT_EQ(*message.senderSessionId, "child");
  EXPECT_EQ(*message.content, std::vector<v1::ContentBlock>{"Hello"});
  state.apply(v1::SessionMessage{.messageId = "m", .content = nullptr});
  EXPECT_FALSE(message.content);
  EXPECT_EQ(*message.senderSessionId, "child");
}

TEST(SessionStateRevisions, GrowWithEveryChangeAndTellWhich) {
  SessionState state;
  EXPECT_EQ(state.revision(), 0u);
  EXPECT_EQ(state.changed_since(0), Indices{});
  std::uint64_t last = 0;
  const auto changed = [&](v1::SessionUpdate update) {
    const std::uint64_t before = last;
    state.apply(std::move(update));
    EXPECT_GT(state.revision(), before);
    last = state.revision();
    return state.changed_since(before);
  };
  EXPECT_EQ(changed(v1::ToolCall{.toolCallId = "a"}), Indices{0});
  EXPECT_EQ(changed(v1::ToolCall{.toolCallId = "b"}), Indices{1});
  EXPECT_EQ(changed(said("x")), Indices{2});
  EXPECT_EQ(changed(said("y")), Indices{2});
  EXPECT_EQ(changed(v1::ToolCallUpdate{.toolCallId = "b"}), Indices{1});
  EXPECT_EQ(changed(v1::ToolCallUpdate{.toolCallId = "a"}), Indices{0});
  EXPECT_EQ(state.timeline()[0].revision, last);
  EXPECT_EQ(state.changed_since(state.timeline()[2].revision), (Indices{0, 1}));
  EXPECT_EQ(state.changed_since(0), (Indices{0, 1, 2}));
  EXPECT_EQ(state.changed_since(last), Indices{});

  EXPECT_EQ(state.revision(Part::plan), 0u);
  EXPECT_EQ(changed(v1::Plan{}), Indices{});
  EXPECT_EQ(state.revision(Part::plan), last);
  EXPECT_EQ(changed(v1::UsageUpdate{}), Indices{});
  EXPECT_EQ(state.revision(Part::usage), last);
  EXPECT_EQ(changed(v1::SessionInfoUpdate{}), Indices{});
  EXPECT_EQ(state.revision(Part::info), last);
  EXPECT_EQ(changed(v1::CurrentModeUpdate{}), Indices{});
  EXPECT_EQ(state.revision(Part::modes), last);
  EXPECT_EQ(changed(v1::ConfigOptionUpdate{}), Indices{});
  EXPECT_EQ(state.revision(Part::config_options), last);
  EXPECT_EQ(changed(v1::AvailableCommandsUpdate{}), Indices{});
  EXPECT_EQ(state.revision(Part::commands), last);
  state.on_permission_request({.toolCall = {.toolCallId = "q"}});
  last = state.revision();
  EXPECT_EQ(state.revision(Part::questions), last);
}

// The list by last change, against what every entry says of itself.

TEST(SessionStateRevisions, AgreeWithASearchOfAllEntries) {
  SessionState state;
  unsigned random = 1;
  for (int i = 0; i < 2000; ++i) {
    random = random * 1664525u + 1013904223u;
    state.apply(v1::ToolCall{.toolCallId = std::to_string((random >> 16) % 40)});
    const std::uint64_t since =
        state.revision() - std::min<std::uint64_t>(state.revision(), i % 50);
    Indices expected;
    for (std::size_t e = 0; e < state.timeline().size(); ++e)
      if (state.timeline()[e].revision > since) expected.push_back(e);
    ASSERT_EQ(state.changed_since(since), expected) << i;
  }
  EXPECT_EQ(state.timeline().size(), 40u);
}

}  // namespace
}  // namespace acp
