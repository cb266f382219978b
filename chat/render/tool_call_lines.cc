// A tool call: what it does, to what, and how far it is.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "chat/render/call_text.h"
#include "chat/render/content.h"
#include "chat/render/diff.h"
#include "chat/render/entries.h"
#include "chat/render/markdown/markdown.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

using Status = ToolCallState::Status;

const Style bad{.bold = true, .colour = Colour::red};

std::string_view icon(v1::ToolKind kind) {
  switch (kind) {
    case v1::ToolKind::read:
      return "←";
    case v1::ToolKind::edit:
      return "✎";
    case v1::ToolKind::delete_:
      return "−";
    case v1::ToolKind::move:
      return "→";
    case v1::ToolKind::search:
      return "⌕";
    case v1::ToolKind::execute:
      return "$";
    case v1::ToolKind::think:
      return "∴";
    case v1::ToolKind::fetch:
      return "↓";
    case v1::ToolKind::switch_mode:
      return "⇄";
    case v1::ToolKind::other:
      break;
  }
  return "•";
}

struct Mark {
  std::string_view sign;
  Style style;
  std::string_view word;  // where the sign alone might be overlooked
};
Mark mark(const ToolCallState& call, const View& view) {
  if (call.status == Status::failed && view.rejected && view.rejected(call.id))
    return {"⊘", {.dim = true}, "rejected"};
  switch (call.status) {
    case Status::pending:
      return {"○", {.dim = true}, ""};
    case Status::in_progress:
      return {"◐", {.colour = Colour::yellow}, ""};
    case Status::paused:
      return {"◐", {.dim = true}, "paused"};
    case Status::completed:
      return {"✓", {.colour = Colour::green}, ""};
    case Status::failed:
      return {"✗", bad, "failed"};
    case Status::cancelled:
      break;
  }
  return {"⊘", {.dim = true}, "cancelled"};
}

// What stands after the title: the end of a long line is more telling than its middle.
Line tail(const ToolCallState& call, const Line& counts, const View& view) {
  constexpr std::size_t most_places = 2;
  constexpr std::chrono::milliseconds shortest_shown(100);
  Line line;
  const auto part = [&](std::string_view text, const Style& style) {
    add(line, "  ");
    add(line, text, style);
  };
  const std::size_t room = std::max<std::size_t>(view.columns / 3, 8);
  for (std::size_t i = 0; i < std::min(call.locations.size(), most_places); ++i) {
    if (call.locations[i].path == view.cwd) continue;
    const std::string place = place_text(call.locations[i].path, call.locations[i].line, view);
    // The title often names it already, with or without the line.
    const std::string path = place_text(call.locations[i].path, {}, view);
    if (call.title.find(place) == std::string::npos && call.title.find(path) == std::string::npos)
      part(fit_end(place, room), aside);
  }
  if (call.locations.size() > most_places)
    part("+" + std::to_string(call.locations.size() - most_places), aside);
  if (!counts.empty()) {
    add(line, "  ");
    add(line, counts);
  }
  const Mark status = mark(call, view);
  if (!status.word.empty()) part(status.word, status.style);
  if (view.elapsed)
    if (const auto time = view.elapsed(call.id); time && *time >= shortest_shown)
      part(time_text(*time), aside);
  return line;
}

std::string_view old_text(const v1::Diff& change) {
  return change.oldText ? std::string_view(*change.oldText) : std::string_view();
}

// Comparing it takes longer than a frame should; /show does it.
constexpr std::size_t too_long_for_brief = 256 * 1024;

// A fence around the whole of it is no part of it.
std::string_view without_fence(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.starts_with("```") || !text.ends_with("\n```")) return text;
  text.remove_suffix(3);
  static_cast<void>(take_line(text));
  return text;
}

// What was read, found or printed is no Markdown, unless it says so: its lines stay as they are.
bool is_output(v1::ToolKind kind, std::string_view text) {
  const bool reads =
      kind == v1::ToolKind::read || kind == v1::ToolKind::search || kind == v1::ToolKind::execute;
  return reads && without_fence(text).find("```") == text.npos;
}

struct Body {
  const SessionState& state;
  const View& view;
  v1::ToolKind kind = v1::ToolKind::other;

  Lines operator()(const v1::Content& content) const {
    const auto* block = std::get_if<v1::TextContent>(&content.content);
    if (!block || for_assistant_only(content.content))
      return first_lines(content_lines(content.content, view, TextAs::markdown), view.content_lines,
                         view.columns);
    const bool output = is_output(kind, block->text);
    const std::string_view text = output ? without_fence(block->text) : block->text;
    // Only what can be seen is parsed.
    const std::size_t most = view.content_lines * std::max<std::size_t>(view.columns, 1) * 4;
    const bool whole = most == 0 || text.size() <= most;
    const std::string_view seen = whole ? text : text.substr(0, character_start(text, most));
    Lines lines = output ? written_lines(seen, view.columns) : markdown_lines(seen, view.columns);
    if (whole) return first_lines(std::move(lines), view.content_lines, view.columns);
    if (lines.size() > view.content_lines) lines.resize(view.content_lines);
    lines.push_back(fit(line_of("… of " + size_text(text.size()), aside), view.columns));
    return lines;
  }
  Lines operator()(const v1::Diff& change) const {
    const TextDiff compared = diff(old_text(change), change.newText);
    Line head = line_of(place_text(change.path, {}, view), {.bold = true});
    add(head, change.oldText ? "  " : "  new  ");
    add(head, diff_counts(compared));
    Lines lines = {fit(head, view.columns)};
    for (Line& line : diff_lines(compared, view.columns, view.content_lines, view.whole_lines))
      lines.push_back(std::move(line));
    return lines;
  }
  Lines operator()(const v1::Terminal& content) const {
    const TerminalView* terminal = state.terminal(content.terminalId);
    if (!terminal)
      return {fit(line_of("terminal " + content.terminalId + ": unknown", aside), view.columns)};
    Lines lines = output_lines(terminal->output, terminal->truncated, view);
    lines.push_back(fit(line_of(exit_text(*terminal), {.bold = true}), view.columns));
    return lines;
  }
  Lines operator()(const Unknown& content) const {
    return {fit(line_of("▪ content of an unknown kind · " + content.tag, aside), view.columns)};
  }
};

bool failed(const TerminalView& terminal) {
  return terminal.exit_status &&
         !(terminal.exit_status->exitCode && *terminal.exit_status->exitCode == 0);
}

bool has_failed_command(const SessionState& state, const ToolCallState& call) {
  // Of a session that was resumed there are no terminals.
  if (!failed_exit_said(call).empty()) return true;
  return std::any_of(call.content.begin(), call.content.end(), [&](const auto& content) {
    const auto* terminal = std::get_if<v1::Terminal>(&content);
    const TerminalView* const shown =
        terminal == nullptr ? nullptr : state.terminal(terminal->terminalId);
    return shown != nullptr && failed(*shown);
  });
}

// The call's own line shows this path.
bool names(const ToolCallState& call, const std::string& place) {
  if (call.title.find(place) != std::string::npos) return true;
  return std::any_of(call.locations.begin(), call.locations.end(), [&](const auto& location) {
    return location.path == place || location.path.ends_with("/" + place);
  });
}

// A few lines of a text that may be long: the first ones, or the last.
class Excerpt {
 public:
  // `wraps`: a line that is too long is wrapped, not cut, if that hides no other.
  Excerpt(std::size_t most, bool last, std::size_t columns, bool wraps)
      : most_(most), last_(last), columns_(columns), wraps_(wraps) {}

  void add(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    for (std::size_t left = count_lines(text); left > 0; --left) {
      const std::string_view line = take_line(text);
      if (last_ ? left > most_ : lines_.size() >= most_)
        ++hidden_;
      else
        lines_.push_back(seen(line));
    }
    const std::size_t over = last_ && lines_.size() > most_ ? lines_.size() - most_ : 0;
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(over));
    hidden_ += over;
  }
  // With how much is not there, at the place where it would be.
  Lines lines(const std::function<std::string()>& how_to_see_it) const {
    Lines out;
    for (const Line& line : lines_)
      append(out, wraps_ && hidden_ == 0 ? wrap(line, columns_) : Lines{fit(line, columns_)});
    const std::size_t over = out.size() > most_ ? out.size() - most_ : 0;
    const auto first = last_ ? out.begin() : out.end() - static_cast<std::ptrdiff_t>(over);
    out.erase(first, first + static_cast<std::ptrdiff_t>(over));
    if (const std::size_t hidden = hidden_ + over; hidden > 0)
      out.insert(
          last_ ? out.begin() : out.end(),
          fit(line_of("… " + counted(hidden, "more line") + how_to_see_it(), aside), columns_));
    return out;
  }

 private:
  Line seen(std::string_view line) const {
    if (const auto back = line.rfind('\r'); back != line.npos) line.remove_prefix(back + 1);
    // Of a line of a megabyte no more than fits is looked at.
    line = line.substr(0, character_start(line, columns_ * 16 + 64));
    return line_of(safe_output(line), aside);
  }

  std::size_t most_;
  bool last_;
  std::size_t columns_;
  bool wraps_;
  Lines lines_;
  std::size_t hidden_ = 0;
};

// What a call that has ended has said and printed.
Lines ended_lines(const SessionState& state, const ToolCallState& call, const View& view) {
  // Why it failed is not cut.
  const bool wraps = call.status == Status::failed || has_failed_command(state, call);
  Excerpt excerpt(view.ended_lines, call.kind == v1::ToolKind::execute, view.columns, wraps);
  Lines ends;
  for (const v1::ToolCallContent& content : call.content) {
    if (const auto* said = std::get_if<v1::Content>(&content)) {
      const auto* text = std::get_if<v1::TextContent>(&said->content);
      if (text && !for_assistant_only(said->content))
        excerpt.add(without_fence(text->text));
      else
        for (const Line& line : content_lines(said->content, view, TextAs::written))
          excerpt.add(to_plain(line));
    } else if (const auto* terminal = std::get_if<v1::Terminal>(&content)) {
      const TerminalView* printed = state.terminal(terminal->terminalId);
      if (!printed) continue;
      excerpt.add(printed->output);
      if (failed(*printed)) ends.push_back(fit(line_of(exit_text(*printed), bad), view.columns));
    }
  }
  Lines lines = excerpt.lines(
      [&] { return view.number ? " · /show " + std::to_string(view.number(state, call.id)) : ""; });
  for (Line& line : ends) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

Line change_counts(const ToolCallState& call) {
  constexpr std::size_t too_long = 1 << 20;
  TextDiff sum;
  bool any = false;
  for (const v1::ToolCallContent& content : call.content) {
    const auto* change = std::get_if<v1::Diff>(&content);
    if (!change || change->newText.size() > too_long) continue;
    const TextDiff one = diff(old_text(*change), change->newText, 0);
    sum.inserted += one.inserted;
    sum.deleted += one.deleted;
    any = true;
  }
  return any ? diff_counts(sum) : Line();
}

Line tool_call_head(const SessionState& state, const ToolCallState& call, const Line& counts,
                    const View& view) {
  Mark status = mark(call, view);
  // An agent may call it done: it was carried out, and did not work.
  if (call.status == Status::completed && has_failed_command(state, call)) status = {"✗", bad, ""};
  Line line = line_of(status.sign, status.style);
  add(line, " ");
  add(line, icon(call.kind), aside);
  add(line, " ");
  std::string_view title = !call.title.empty() ? std::string_view(call.title)
                           : call.name         ? std::string_view(*call.name)
                                               : std::string_view(call.id);
  while (!title.empty() && title.back() == '\n') title.remove_suffix(1);
  // Markdown for what the icon says.
  if (title.size() > 2 && title.front() == '`' && title.find('`', 1) == title.size() - 1)
    title = title.substr(1, title.size() - 2);
  const Line end = tail(call, counts, view);
  const std::size_t used = width(line) + width(end);
  // Of a title of a megabyte no more than fits is looked at.
  Line name = line_of(title.substr(0, character_start(title, view.columns * 16 + 64)));
  if (used < view.columns) name = fit(name, view.columns - used);
  add(line, name);
  add(line, end);
  return fit(line, view.columns);
}

Lines content_of_call(const SessionState& state, const ToolCallState& call, const View& view) {
  Lines lines;
  for (const v1::ToolCallContent& content : call.content)
    for (Line& row : std::visit(Body{state, view, call.kind}, content))
      lines.push_back(std::move(row));
  return lines;
}

Lines tool_call_body(const SessionState& state, const ToolCallState& call, const View& view) {
  View inner = view;
  inner.columns = view.columns > 8 ? view.columns - 4 : view.columns;
  return indented(content_of_call(state, call, inner), line_of("  │ ", aside));
}

Lines tool_call_brief(const SessionState& state, const ToolCallState& call, const View& view) {
  View inner = view;
  inner.columns = view.columns > 8 ? view.columns - 4 : view.columns;
  inner.output_lines = view.live_lines;
  inner.content_lines = view.diff_lines;
  Lines body;
  const auto more = [&](Lines lines) {
    for (Line& line : lines) body.push_back(std::move(line));
  };
  bool changes = false;
  for (const v1::ToolCallContent& content : call.content) {
    const auto* terminal = std::get_if<v1::Terminal>(&content);
    const auto* change = std::get_if<v1::Diff>(&content);
    if (terminal && view.live_lines > 0 && !call.finished()) {
      if (const TerminalView* shown = state.terminal(terminal->terminalId)) {
        more(output_lines(shown->output, shown->truncated, inner));
        if (failed(*shown)) more({fit(line_of(exit_text(*shown), bad), inner.columns)});
      }
    } else if (change && view.diff_lines > 0 && call.status == Status::completed &&
               change->newText.size() < too_long_for_brief) {
      Lines lines = Body{state, inner}(*change);
      // What the line above says already is not said again.
      const bool only = call.content.size() == 1;
      if (only && names(call, place_text(change->path, {}, view))) lines.erase(lines.begin());
      changes = true;
      more(std::move(lines));
    }
  }
  // What an edit did is in its diff.
  if (call.finished() && view.ended_lines > 0 && !changes) more(ended_lines(state, call, inner));
  return indented(std::move(body), line_of("  │ ", aside));
}

Lines tool_call_lines(const SessionState& state, const ToolCallState& call, const View& view) {
  if (!view.unfolded) {
    Lines lines = tool_call_brief(state, call, view);
    lines.insert(lines.begin(), tool_call_head(state, call, change_counts(call), view));
    return lines;
  }
  Lines lines = tool_call_body(state, call, view);
  lines.insert(lines.begin(), tool_call_head(state, call, {}, view));
  return lines;
}

}  // namespace acp::chat
