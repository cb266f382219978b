#include "chat/render/entries.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "chat/render/content.h"
#include "chat/render/markdown/markdown.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

using Message = SessionState::Message;
using Prompt = SessionState::Prompt;

View narrower(const View& view, std::size_t by) {
  View inner = view;
  inner.columns = view.columns > 2 * by ? view.columns - by : view.columns;
  return inner;
}

// A sign at the first line, and the text beside it.
Lines signed_lines(Lines lines, std::string_view sign, const Style& style) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Line margin = i == 0 ? line_of(sign, style) : Line();
    add(margin, i == 0 ? " " : std::string(width(sign) + 1, ' '));
    lines[i].insert(lines[i].begin(), margin.begin(), margin.end());
  }
  return lines;
}

// Of commands that the person ran, which have been seen before: each in one line.
Lines own_command_lines(std::string_view text, std::size_t columns) {
  Lines lines;
  for (std::size_t at = text.find(own_command); at != text.npos;) {
    text.remove_prefix(at + own_command.size());
    at = text.find(own_command);
    std::string_view output = text.substr(0, at);
    const std::string_view command = take_line(output);
    const std::size_t count = output.empty() ? 0 : count_lines(output);
    lines.push_back(
        fit(line_of("▪ ! " + std::string(command) + " · " + counted(count, "line")), columns));
  }
  return lines;
}

Lines said_by_user(const std::vector<v1::ContentBlock>& content, const View& view) {
  Lines lines;
  const View inner = narrower(view, 2);
  for (const v1::ContentBlock& block : content) {
    const auto* text = std::get_if<v1::TextContent>(&block);
    const std::size_t commands = text == nullptr ? std::string::npos : text->text.find(own_command);
    if (commands == std::string::npos) {
      append(lines, content_lines(block, inner, TextAs::written));
      continue;
    }
    v1::TextContent typed = *text;
    typed.text.resize(commands);
    if (!typed.text.empty()) append(lines, content_lines(typed, inner, TextAs::written));
    append(lines, own_command_lines(std::string_view(text->text).substr(commands), inner.columns));
  }
  if (lines.empty()) lines.emplace_back();
  for (Line& line : lines)
    for (Span& span : line) span.style.bold = true;
  return signed_lines(std::move(lines), "❯", {.bold = true, .colour = Colour::cyan});
}

Lines blocks_lines(const std::vector<v1::ContentBlock>& content, const View& view) {
  Lines lines;
  for (const v1::ContentBlock& block : content) {
    Lines more = content_lines(block, view, TextAs::markdown);
    if (!lines.empty() && !more.empty()) lines.emplace_back();
    append(lines, std::move(more));
  }
  return lines;
}

// A sign, a few words and perhaps more below.
Lines note(std::string_view sign, const Style& style, const Line& text, const View& view) {
  return signed_lines(wrap(text, narrower(view, 2).columns), sign, style);
}

struct Draw {
  const SessionState& state;
  const View& view;

  Lines operator()(const Prompt& prompt) const { return said_by_user(prompt.content, view); }
  Lines operator()(const Message& message) const {
    if (message.kind == Message::Kind::user) return said_by_user(message.content, view);
    Lines lines = blocks_lines(message.content, view);
    if (message.kind == Message::Kind::thought)
      for (Line& line : lines) line = dimmed(std::move(line));
    return lines;
  }
  Lines operator()(const ToolCallState& call) const { return tool_call_lines(state, call, view); }
  Lines operator()(const v1::Notice& notice) const {
    Style style{.colour = Colour::blue};
    std::string_view sign = "i";
    if (notice.severity == v1::NoticeSeverity::warning) {
      style = {.bold = true, .colour = Colour::yellow};
      sign = "!";
    } else if (notice.severity == v1::NoticeSeverity::error) {
      style = {.bold = true, .colour = Colour::red};
      sign = "✗";
    }
    Line text;
    if (notice.severity == v1::NoticeSeverity::unknown_)
      add(text, notice.severity.unlisted + ": ", style);
    add(text, notice.title, {.bold = true});
    Lines lines = note(sign, style, text, view);
    if (notice.description)
      append(lines, indented(written_lines(*notice.description, narrower(view, 2).columns),
                             line_of("  ")));
    return lines;
  }
  Lines operator()(const v1::CompactionUpdate& compaction) const {
    Line text;
    switch (compaction.status) {
      case v1::CompactionStatus::in_progress:
        text = line_of("Compacting the context …");
        break;
      case v1::CompactionStatus::completed:
        text = line_of("The context was compacted: the agent goes on from a summary");
        break;
      case v1::CompactionStatus::failed:
        text = line_of("Compacting the context failed", {.colour = Colour::red});
        break;
      case v1::CompactionStatus::cancelled:
        text = line_of("Compacting the context was cancelled");
        break;
      default:
        text = line_of("Compacting the context: " + compaction.status.unlisted);
    }
    if (compaction.error) add(text, ": " + *compaction.error);
    Lines lines = note("⇣", aside, text, view);
    if (!view.unfolded || !compaction.summary) return lines;
    append(lines,
           indented(blocks_lines(*compaction.summary, narrower(view, 4)), line_of("  │ ", aside)));
    return lines;
  }
  Lines operator()(const v1::SubagentUpdate& agent) const {
    Line text = line_of("Subagent ");
    add(text, agent.title ? *agent.title : agent.sessionId, {.bold = true});
    if (agent.state) add(text, ": " + state_name(*agent.state));
    Lines lines = note("⑂", aside, text, view);
    if (agent.description)
      append(lines, indented(written_lines(*agent.description, narrower(view, 2).columns, aside),
                             line_of("  ")));
    return lines;
  }
  Lines operator()(const v1::SessionMessage& message) const {
    Line text = line_of("Message");
    if (message.senderSessionId) add(text, " from " + *message.senderSessionId);
    if (message.recipientSessionId) add(text, " to " + *message.recipientSessionId);
    Lines lines = note("@", aside, text, view);
    if (message.content)
      append(lines, indented(blocks_lines(*message.content, narrower(view, 2)), line_of("  ")));
    return lines;
  }
  Lines operator()(const Unknown& update) const {
    return note("?", aside, line_of("An update of an unknown kind: " + update.tag, aside), view);
  }

  static std::string state_name(const v1::StateUpdate& state) {
    if (std::holds_alternative<v1::RunningStateUpdate>(state)) return "running";
    if (std::holds_alternative<v1::IdleStateUpdate>(state)) return "idle";
    if (std::holds_alternative<v1::RequiresActionStateUpdate>(state)) return "needs an answer";
    if (const auto* other = std::get_if<Unknown>(&state)) return other->tag;
    return "unknown";
  }
};

Lines plan_entries(const std::vector<v1::PlanEntry>& entries, const View& view) {
  Lines lines;
  for (const v1::PlanEntry& entry : entries) {
    std::string_view sign = "☐";
    Style style;
    if (is_cancelled(entry)) {
      sign = "☒";
      style = aside;
    } else if (entry.status == v1::PlanEntryStatus::completed) {
      sign = "☑";
      style = aside;
    } else if (entry.status == v1::PlanEntryStatus::in_progress) {
      sign = "▶";
      style.bold = true;
    }
    Line text = line_of(entry.content, style);
    if (entry.priority == v1::PlanEntryPriority::high &&
        entry.status != v1::PlanEntryStatus::completed)
      add(text, " !", {.colour = Colour::yellow});
    append(lines, signed_lines(wrap(text, narrower(view, 2).columns), sign, style));
  }
  return lines;
}

}  // namespace

Lines entry_lines(const SessionState& state, const SessionState::Entry& entry, const View& view) {
  Lines lines = std::visit(Draw{state, view}, entry.content);
  if (entry.left_out)
    for (Line& line : lines) line = struck(std::move(line));
  return lines;
}

Lines turn_end_lines(const Prompt& prompt, const View& view) {
  if (!prompt.stop_reason) return {};
  const auto say = [&](std::string_view text) {
    return note("✗", {.colour = Colour::red}, line_of(text, {.colour = Colour::red}), view);
  };
  switch (*prompt.stop_reason) {
    case v1::StopReason::end_turn:
      return {};
    case v1::StopReason::max_tokens:
      return say("Stopped: the limit of tokens is reached");
    case v1::StopReason::max_turn_requests:
      return say("Stopped: the limit of requests in one turn is reached");
    case v1::StopReason::refusal:
      return say("The agent refused this turn: it will not be sent again");
    case v1::StopReason::cancelled:
      break;
  }
  return note("⊘", aside, line_of("Cancelled", aside), view);
}

Lines plan_lines(const SessionState& state, const View& view) {
  Lines lines = plan_entries(state.plan(), view);
  for (const auto& [id, plan] : state.plans()) {
    if (const auto* items = std::get_if<v1::PlanItems>(&plan)) {
      append(lines, plan_entries(items->entries, view));
    } else if (const auto* text = std::get_if<v1::PlanMarkdown>(&plan)) {
      append(lines, markdown_lines(text->content, view.columns));
    } else if (const auto* file = std::get_if<v1::PlanFile>(&plan)) {
      append(lines, wrap(line_of("▪ plan · " + file->uri), view.columns));
    } else if (const auto* other = std::get_if<Unknown>(&plan)) {
      append(lines, wrap(line_of("▪ plan of an unknown kind · " + other->tag), view.columns));
    }
  }
  return lines;
}

std::string time_text(std::chrono::milliseconds time) {
  const auto ms = std::max<long long>(time.count(), 0);
  char text[48];
  if (ms < 60'000)
    std::snprintf(text, sizeof text, "%lld.%lld s", ms / 1000, ms % 1000 / 100);
  else
    std::snprintf(text, sizeof text, "%lld min %lld s", ms / 60'000, ms % 60'000 / 1000);
  return text;
}

}  // namespace acp::chat
