// Entries of a session as frames of text.
#include "chat/render/entries.h"

#include <gtest/gtest.h>

#include "acp/testing/session_updates.h"
#include "chat/render/text/text.h"
#include "chat/tui/status_line.h"

namespace acp::chat {
namespace {

using namespace acp::testing;  // NOLINT(google-build-using-namespace)

std::string shown(const SessionState& state, std::size_t index, const View& view = {}) {
  return to_plain(entry_lines(state, state.timeline().at(index), view));
}

TEST(Entries, PromptsAndMessages) {
  SessionState state;
  state.prompt_sent({"Do *this*\nand that", v1::ResourceLink{.name = "a", .uri = "file:///a"}});
  state.apply(thought("Hm, **so**"));
  state.apply(said("# Yes\n- one"));
  state.apply(said(v1::ImageContent{.data = "AAAA", .mimeType = "image/png"}));
  state.apply(user("earlier"));
  EXPECT_EQ(shown(state, 0), "❯ Do *this*\n  and that\n  ▪ link · a · file:///a\n");
  EXPECT_EQ(shown(state, 1), "Hm, so\n");
  EXPECT_TRUE(entry_lines(state, state.timeline()[1], {})[0][0].style.dim);
  EXPECT_EQ(shown(state, 2), "# Yes\n• one\n\n▪ image image/png · 3 bytes\n");
  EXPECT_EQ(shown(state, 3), "❯ earlier\n");
}

SessionState with_call(v1::ToolCall call) {
  SessionState state;
  state.prompt_sent({"go"});
  call.toolCallId = "c";
  state.apply(std::move(call));
  return state;
}

TEST(Entries, AToolCallIsOneLine) {
  SessionState state =
      with_call({.title = "Edit the file",
                 .kind = v1::ToolKind::edit,
                 .status = v1::ToolCallStatus::in_progress,
                 .locations = std::vector<v1::ToolCallLocation>{
                     {.path = "/w/src/a.cc", .line = 12}, {.path = "/other/b"}, {.path = "/w/c"}}});
  View view{.cwd = "/w"};
  view.elapsed = [](const v1::ToolCallId& id) {
    return id == "c" ? std::optional(std::chrono::milliseconds(3210)) : std::nullopt;
  };
  EXPECT_EQ(shown(state, 1, view), "◐ ✎ Edit the file  src/a.cc:12  /other/b  +1  3.2 s\n");
  view.columns = 40;
  EXPECT_EQ(shown(state, 1, view), "◐ ✎ E…  src/a.cc:12  /other/b  +1  3.2 s\n");
  state.apply(v1::ToolCallUpdate{.toolCallId = "c", .status = v1::ToolCallStatus::failed});
  EXPECT_EQ(shown(state, 1, {.cwd = "/w"}),
            "✗ ✎ Edit the file  src/a.cc:12  /other/b  +1  failed\n");
}

TEST(Entries, StatusesAndKinds) {
  using K = v1::ToolKind;
  using S = v1::ToolCallStatus;
  const auto line = [](K kind, S status) {
    return shown(with_call({.title = "t", .kind = kind, .status = status}), 1);
  };
  EXPECT_EQ(line(K::read, S::pending), "○ ← t\n");
  EXPECT_EQ(line(K::delete_, S::completed), "✓ − t\n");
  EXPECT_EQ(line(K::move, S::completed), "✓ → t\n");
  EXPECT_EQ(line(K::search, S::completed), "✓ ⌕ t\n");
  EXPECT_EQ(line(K::execute, S::completed), "✓ $ t\n");
  EXPECT_EQ(line(K::think, S::completed), "✓ ∴ t\n");
  EXPECT_EQ(line(K::fetch, S::completed), "✓ ↓ t\n");
  EXPECT_EQ(line(K::switch_mode, S::completed), "✓ ⇄ t\n");
  EXPECT_EQ(line(K::other, S::completed), "✓ • t\n");
  SessionState state = with_call({.title = "t"});
  state.cancel_requested();
  EXPECT_EQ(shown(state, 1), "⊘ • t  cancelled\n");
}

TEST(Entries, AToolCallUnfolded) {
  SessionState state =
      with_call({.title = "Change",
                 .content = std::vector<v1::ToolCallContent>{
                     v1::Content{.content = "Some **text**"},
                     v1::Diff{.path = "/w/a.cc", .oldText = "one\ntwo\n", .newText = "one\n2\n"},
                     v1::Diff{.path = "/w/n", .newText = "x\n"}, v1::Terminal{.terminalId = "t"},
                     v1::Terminal{.terminalId = "gone"}}});
  state.terminal_created("t");
  state.terminal_output("t", "a\nb\n\x1b[31mc\n", false);
  state.terminal_exited("t", {.exitCode = 2});
  EXPECT_EQ(shown(state, 1, {.cwd = "/w"}), "○ • Change  +2 -1\n");
  EXPECT_EQ(shown(state, 1, {.cwd = "/w", .unfolded = true, .output_lines = 2}),
            "○ • Change\n"
            "  │ Some text\n"
            "  │ a.cc  +1 -1\n"
            "  │ @@ -1,2 +1,2 @@\n"
            "  │  one\n"
            "  │ -two\n"
            "  │ +2\n"
            "  │ n  new  +1 -0\n"
            "  │ @@ -0,0 +1 @@\n"
            "  │ +x\n"
            "  │ … 1 more line above\n"
            "  │ b\n"
            "  │ c\n"
            "  │ exit 2\n"
            "  │ terminal gone: unknown\n");
  state.terminal_exited("t", {.signal = "SIGKILL"});
  EXPECT_NE(shown(state, 1, {.unfolded = true}).find("killed by SIGKILL"), std::string::npos);
}

TEST(Entries, LongContentOfAToolCallIsCut) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "- line\n";
  SessionState state = with_call(
      {.title = "t",
       .content = std::vector<v1::ToolCallContent>{
           v1::Content{.content = lines}, v1::Content{.content = std::string(1 << 20, 'x')}}});
  EXPECT_EQ(shown(state, 1, {.unfolded = true, .content_lines = 2}),
            "○ • t\n  │ • line\n  │ • line\n  │ … of 7.0 kB\n"
            "  │ " +
                std::string(76, 'x') + "\n  │ " + std::string(76, 'x') + "\n  │ … of 1.0 MB\n");
}

TEST(Entries, WhatWasReadKeepsItsLines) {
  const auto lines = [](v1::ToolKind kind, std::string_view text) {
    v1::Content content;
    content.content = v1::ContentBlock(text);
    return shown(with_call({.title = "t",
                            .kind = kind,
                            .status = v1::ToolCallStatus::completed,
                            .content = std::vector<v1::ToolCallContent>{content}}),
                 1, {.unfolded = true});
  };
  EXPECT_EQ(lines(v1::ToolKind::read, "a\n# b\n"), "✓ ← t\n  │ a\n  │ # b\n");
  EXPECT_EQ(lines(v1::ToolKind::execute, "```sh\na\nb\n```\n"), "✓ $ t\n  │ a\n  │ b\n");
  EXPECT_EQ(lines(v1::ToolKind::think, "a\n*b*\n"), "✓ ∴ t\n  │ a b\n");
}

TEST(Entries, ACallThatHasEndedShowsALittleOfItsOutput) {
  using K = v1::ToolKind;
  using S = v1::ToolCallStatus;
  View view;
  view.ended_lines = 2;
  view.number = [](const SessionState&, const v1::ToolCallId&) { return 7u; };
  const auto lines = [&](K kind, S status, std::string_view text) {
    v1::Content content;
    content.content = v1::ContentBlock(text);
    return shown(with_call({.title = "t",
                            .kind = kind,
                            .status = status,
                            .content = std::vector<v1::ToolCallContent>{content}}),
                 1, view);
  };
  EXPECT_EQ(lines(K::read, S::completed, "a\nb\n"), "✓ ← t\n  │ a\n  │ b\n");
  EXPECT_EQ(lines(K::search, S::completed, "a\n\nc\nd\n"),
            "✓ ⌕ t\n  │ a\n  │ \n  │ … 2 more lines · /show 7\n");
  EXPECT_EQ(lines(K::execute, S::failed, "```console\na\nb\n*c*\n```"),
            "✗ $ t  failed\n  │ … 1 more line · /show 7\n  │ b\n  │ *c*\n");
  EXPECT_EQ(lines(K::read, S::in_progress, "a\n"), "◐ ← t\n");
  EXPECT_EQ(lines(K::read, S::completed, "\x1b[31mred\x1b[0m 10%\r" + std::string(200, 'x')),
            "✓ ← t\n  │ " + std::string(75, 'x') + "…\n");

  v1::Terminal terminal;
  terminal.terminalId = "t1";
  SessionState state = with_call({.title = "t",
                                  .kind = K::execute,
                                  .status = S::completed,
                                  .content = std::vector<v1::ToolCallContent>{terminal}});
  state.terminal_created("t1");
  state.terminal_output("t1", "one\ntwo\nthree\n", false);
  v1::TerminalExitStatus exit;
  exit.exitCode = 1;
  state.terminal_exited("t1", exit);
  EXPECT_EQ(shown(state, 1, view),
            "✗ $ t\n  │ … 1 more line · /show 7\n  │ two\n  │ three\n  │ exit 1\n");
}

TEST(Entries, WhyACallFailedIsNotCut) {
  View view{.columns = 24, .ended_lines = 3};
  view.number = [](const SessionState&, const v1::ToolCallId&) { return 7u; };
  const auto lines = [&](v1::ToolCallStatus status, std::string_view text) {
    v1::Content content;
    content.content = v1::ContentBlock(text);
    return shown(with_call({.title = "t",
                            .kind = v1::ToolKind::read,
                            .status = status,
                            .content = std::vector<v1::ToolCallContent>{content}}),
                 1, view);
  };
  using S = v1::ToolCallStatus;
  EXPECT_EQ(lines(S::completed, "there is no such file here"), "✓ ← t\n  │ there is no such fi…\n");
  EXPECT_EQ(lines(S::failed, "there is no such file here"),
            "✗ ← t  failed\n  │ there is no such\n  │ file here\n");
  // What is cut is said, and lines that are not there count more.
  EXPECT_EQ(lines(S::failed, "there is no such file here, nor anywhere else on this machine"),
            "✗ ← t  failed\n  │ there is no such\n  │ file here, nor\n  │ anywhere else on\n"
            "  │ … 1 more line · /sh…\n");
  EXPECT_EQ(lines(S::failed, "a\nb\nc is a line that is too long\nd"),
            "✗ ← t  failed\n  │ a\n  │ b\n  │ c is a line that is…\n  │ … 1 more line · /sh…\n");
}

// An agent may call a command done that did not work; where no terminal shows it, its output says.
TEST(Entries, ACommandThatFailedIsMarkedWithoutATerminal) {
  const auto head = [](Json output, v1::ToolKind kind = v1::ToolKind::execute) {
    SessionState state = with_call({.title = "t",
                                    .kind = kind,
                                    .status = v1::ToolCallStatus::completed,
                                    .rawOutput = std::move(output)});
    return to_plain(tool_call_head(state, *state.tool_call("c"), {}, {}));
  };
  EXPECT_EQ(head(Json::object({{"exitCode", 3}})), "✗ $ t");
  EXPECT_EQ(head(Json::object({{"signal", "SIGKILL"}})), "✗ $ t");
  EXPECT_EQ(head(Json::object({{"exitCode", 0}, {"signal", nullptr}})), "✓ $ t");
  EXPECT_EQ(head(Json("done")), "✓ $ t");
  EXPECT_EQ(head(Json::object({{"exitCode", 3}}), v1::ToolKind::fetch), "✓ ↓ t");
}

TEST(Entries, CommandsThatThePersonRanStandInOneLine) {
  SessionState state;
  v1::TextContent text;
  text.text = "why" + std::string(own_command) + "ls\na\nb\n" + std::string(own_command) + "true\n";
  state.prompt_sent({text});
  EXPECT_EQ(shown(state, 0), "❯ why\n  ▪ ! ls · 2 lines\n  ▪ ! true · 0 lines\n");
}

TEST(Entries, WhatThePersonRejectedHasNotFailed) {
  const SessionState state = with_call({.title = "`make`", .status = v1::ToolCallStatus::failed});
  View view;
  EXPECT_EQ(shown(state, 1, view), "✗ • make  failed\n");
  view.rejected = [](const v1::ToolCallId&) { return true; };
  EXPECT_EQ(shown(state, 1, view), "⊘ • make  rejected\n");
}

TEST(Entries, WhatIsRefusedIsStruckAndSaid) {
  SessionState state;
  state.prompt_sent({"bad"});
  state.apply(said("no"));
  state.turn_ended(v1::StopReason::refusal);
  for (std::size_t i : {0u, 1u}) {
    const Line line = entry_lines(state, state.timeline()[i], {}).at(0);
    for (const Span& span : line) EXPECT_TRUE(span.style.strike);
  }
  EXPECT_EQ(to_plain(turn_end_lines(entry<PromptEntry>(state, 0), {})),
            "✗ The agent refused this turn: it will not be sent again\n");
}

TEST(Entries, EndsOfTurns) {
  const auto end = [](v1::StopReason reason) {
    return to_plain(turn_end_lines({.stop_reason = reason}, {}));
  };
  EXPECT_EQ(to_plain(turn_end_lines({}, {})), "");
  EXPECT_EQ(end(v1::StopReason::end_turn), "");
  EXPECT_EQ(end(v1::StopReason::cancelled), "⊘ Cancelled\n");
  EXPECT_EQ(end(v1::StopReason::max_tokens), "✗ Stopped: the limit of tokens is reached\n");
  EXPECT_EQ(end(v1::StopReason::max_turn_requests),
            "✗ Stopped: the limit of requests in one turn is reached\n");
}

TEST(Entries, NoticesCompactionsAndOthers) {
  SessionState state;
  state.apply(v1::Notice{
      .severity = v1::NoticeSeverity::warning, .title = "Careful", .description = "It is hot"});
  state.apply(v1::Notice{.severity = v1::NoticeSeverity::other_value("odd"), .title = "x"});
  state.apply(v1::CompactionUpdate{.compactionId = "k",
                                   .status = v1::CompactionStatus::completed,
                                   .summary = std::vector<v1::ContentBlock>{"We did *it*"}});
  state.apply(v1::CompactionUpdate{
      .compactionId = "f", .status = v1::CompactionStatus::failed, .error = "why"});
  state.apply(v1::SubagentUpdate{.sessionId = "s", .title = "Finder"});
  state.apply(v1::SessionMessage{
      .messageId = "m", .senderSessionId = "s", .content = std::vector<v1::ContentBlock>{"found"}});
  state.apply(from_wire(R"({"sessionUpdate":"moon\u001b_phase","full":true})"));
  EXPECT_EQ(shown(state, 0), "! Careful\n  It is hot\n");
  EXPECT_EQ(shown(state, 1), "i odd: x\n");
  EXPECT_EQ(shown(state, 2), "⇣ The context was compacted: the agent goes on from a summary\n");
  EXPECT_EQ(shown(state, 2, {.unfolded = true}),
            "⇣ The context was compacted: the agent goes on from a summary\n  │ We did it\n");
  EXPECT_EQ(shown(state, 3), "⇣ Compacting the context failed: why\n");
  EXPECT_EQ(shown(state, 4), "⑂ Subagent Finder\n");
  EXPECT_EQ(shown(state, 5), "@ Message from s\n  found\n");
  EXPECT_EQ(shown(state, 6), "? An update of an unknown kind: moon␛_phase\n");
}

TEST(Entries, ThePlan) {
  SessionState state;
  using P = v1::PlanEntryPriority;
  using S = v1::PlanEntryStatus;
  state.apply(
      v1::Plan{.entries = {{.content = "look", .priority = P::high, .status = S::completed},
                           {.content = "do it", .priority = P::high, .status = S::in_progress},
                           {.content = "rest", .priority = P::low, .status = S::pending}}});
  EXPECT_EQ(to_plain(plan_lines(state, {})), "☑ look\n▶ do it !\n☐ rest\n");
}

// What a line says, those below it do not say again.
TEST(Entries, ADiffBelowItsCallHasNoHeadOfItsOwn) {
  SessionState state;
  v1::Diff change{.path = "/w/a.txt", .newText = "new\n"};
  state.apply(v1::ToolCall{.toolCallId = "c",
                           .title = "Create a.txt",
                           .status = v1::ToolCallStatus::completed,
                           .content = std::vector<v1::ToolCallContent>{change}});
  const View view{.cwd = "/w", .diff_lines = 5};
  EXPECT_EQ(to_plain(tool_call_lines(state, *state.tool_call("c"), view)),
            "✓ • Create a.txt  +1 -0\n  │ @@ -0,0 +1 @@\n  │ +new\n");
  state.apply(v1::ToolCall{.toolCallId = "d",
                           .title = "Edit",
                           .status = v1::ToolCallStatus::completed,
                           .content = std::vector<v1::ToolCallContent>{change}});
  EXPECT_NE(to_plain(tool_call_lines(state, *state.tool_call("d"), view)).find("a.txt  new"),
            std::string::npos);
  state.apply(v1::ToolCall{
      .toolCallId = "e",
      .title = "Read a.txt",
      .locations = std::vector<v1::ToolCallLocation>{{.path = "/w/a.txt", .line = 40}}});
  EXPECT_EQ(to_plain(tool_call_head(state, *state.tool_call("e"), {}, view)), "○ • Read a.txt");
}

TEST(Entries, ACancelledCommandKeepsItsOutput) {
  SessionState state;
  state.prompt_sent({"go"});
  state.apply(
      v1::ToolCall{.toolCallId = "c",
                   .title = "make",
                   .kind = v1::ToolKind::execute,
                   .status = v1::ToolCallStatus::in_progress,
                   .content = std::vector<v1::ToolCallContent>{v1::Terminal{.terminalId = "t"}}});
  state.terminal_created("t");
  state.terminal_output("t", "one\ntwo\n", false);
  state.turn_ended(v1::StopReason::cancelled);
  ASSERT_EQ(state.tool_call("c")->status, ToolCallState::Status::cancelled);
  EXPECT_EQ(to_plain(tool_call_lines(state, *state.tool_call("c"), {.ended_lines = 6})),
            "⊘ $ make  cancelled\n  │ one\n  │ two\n");
}

TEST(Entries, TimesAreShort) {
  EXPECT_EQ(time_text(std::chrono::milliseconds(-5)), "0.0 s");
  EXPECT_EQ(time_text(std::chrono::milliseconds(420)), "0.4 s");
  EXPECT_EQ(time_text(std::chrono::milliseconds(72'900)), "1 min 12 s");
}

// Whatever an agent writes anywhere.
TEST(Entries, NothingHostileGetsThroughAtAnyWidth) {
  const std::string evil = "\x1b[2J\x1b]0;x\x07\r\n\t\u202E\x9b\xff|`*" + std::string(3000, 'x');
  SessionState state;
  state.prompt_sent({evil});
  state.apply(said(evil));
  state.apply(thought("|" + evil + "|\n|-|\n|" + evil + "|"));
  state.apply(said(v1::ImageContent{.data = "A", .mimeType = evil, .uri = evil}));
  state.apply(said(v1::ResourceLink{.name = evil, .uri = "http://" + evil}));
  state.apply(v1::ToolCall{
      .toolCallId = "c",
      .title = evil,
      .content = std::vector<v1::ToolCallContent>{v1::Content{.content = evil},
                                                  v1::Diff{.path = evil, .newText = evil},
                                                  v1::Terminal{.terminalId = "t"},
                                                  v1::Terminal{.terminalId = evil}},
      .locations = std::vector<v1::ToolCallLocation>{{.path = "/w/" + evil}}});
  state.terminal_created("t");
  state.terminal_output("t", evil, true);
  state.terminal_exited("t", {.signal = evil});
  state.apply(v1::Notice{
      .severity = v1::NoticeSeverity::other_value(evil), .title = evil, .description = evil});
  state.apply(v1::CompactionUpdate{
      .compactionId = "k", .status = v1::CompactionStatus::other_value(evil), .error = evil});
  state.apply(v1::SubagentUpdate{.sessionId = evil, .title = evil, .description = evil});
  state.apply(v1::SessionMessage{.messageId = "m", .senderSessionId = evil});
  state.apply(v1::Plan{.entries = {{.content = evil}}});
  state.apply(v1::SessionInfoUpdate{.title = evil});
  state.apply(v1::UsageUpdate{.cost = v1::Cost{.amount = 1e300, .currency = evil}});
  for (const std::size_t columns : {1, 20, 80, 200}) {
    const View view{.columns = columns, .cwd = "/w", .unfolded = true};
    Lines lines = plan_lines(state, view);
    lines.push_back(status_line(status_of(state), columns));
    for (const auto& each : state.timeline())
      for (Line& line : entry_lines(state, each, view)) lines.push_back(std::move(line));
    for (const Line& line : lines) {
      for (const Span& span : line) ASSERT_TRUE(is_safe(span.text)) << span.text;
      ASSERT_LE(width(line), std::max<std::size_t>(columns, 20)) << to_plain(line);
    }
  }
}

}  // namespace
}  // namespace acp::chat
