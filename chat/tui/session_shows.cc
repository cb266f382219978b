// Commands that show or keep what the session holds.
#include <algorithm>
#include <utility>

#include "chat/render/content.h"
#include "chat/render/diff.h"
#include "chat/render/entries.h"
#include "chat/render/media.h"
#include "chat/render/text/text.h"
#include "chat/tui/number.h"
#include "chat/tui/session_view.h"

namespace acp::chat {

namespace {

constexpr std::size_t most_listed = 20;

std::vector<const ToolCallState*> calls_of(const SessionState& state) {
  std::vector<const ToolCallState*> calls;
  for (const SessionState::Entry& entry : state.timeline())
    if (const auto* call = std::get_if<ToolCallState>(&entry.content)) calls.push_back(call);
  return calls;
}

Line numbered(std::size_t number, Line line, std::size_t room) {
  Line out = line_of("  " + std::to_string(number) + " ", {.colour = Colour::cyan});
  add(out, line);
  return fit(out, room);
}

}  // namespace

void SessionView::show_call(const SessionState& state, const std::string& wanted) {
  const auto calls = calls_of(state);
  const std::size_t before = archive_.calls();
  if (calls.empty()) return say("There are no tool calls");
  if (wanted.empty()) {
    const std::size_t first = calls.size() > most_listed ? calls.size() - most_listed : 0;
    for (std::size_t i = first; i < calls.size(); ++i)
      note(numbered(before + i + 1, tool_call_head(state, *calls[i], {}, view()), columns_));
    return say("/show N unfolds one of them");
  }
  const auto number = number_of(wanted);
  if (!number || *number > before + calls.size())
    return say_error("There is no tool call " + wanted + ": /show lists them");
  if (*number <= before)
    return say_error("Tool call " + wanted +
                     " was so long ago that only its line is kept: /export has it");
  View whole = view();
  whole.unfolded = true;
  whole.output_lines = whole.content_lines = 0;
  const ToolCallState& call = *calls[*number - before - 1];
  note(tool_call_lines(state, call, whole));
  if (!call.content.empty()) return;
  const auto raw = [&](const char* what, const Json& json) {
    if (json.absent() || json.is_null()) return;
    note(line_of(std::string("  ") + what, {.dim = true}));
    const Lines rows = written_lines(json.text(), columns_ > 6 ? columns_ - 4 : 2);
    note(indented(rows, line_of("  │ ", {.dim = true})));
  };
  raw("input", call.raw_input);
  raw("output", call.raw_output);
  if (call.raw_input.absent() && call.raw_output.absent()) say("It has no content");
}

void SessionView::list_media(const SessionState& state) {
  const std::vector<Media> media = media_of(state);
  for (std::size_t i = 0; i < media.size(); ++i)
    for (const Line& line : content_lines(*media[i].block, view(), TextAs::written)) {
      note(numbered(i + 1, line, columns_));
      break;
    }
  say("/save N [FILE] writes one of them");
}

void SessionView::show_changes(const SessionState* state,
                               const std::map<std::string, FileChange>& written) {
  const auto show = [this](const std::string& path, bool is_new, std::string_view before,
                           std::string_view after) {
    const TextDiff found = diff(before, after);
    Line head = line_of(path, {.bold = true});
    add(head, is_new ? "  new  " : "  ");
    add(head, diff_counts(found));
    note(head);
    note(diff_lines(found, columns_, 200));
  };
  if (!written.empty()) say("Written through acp:");
  for (const auto& [path, change] : written) {
    if (change.kept)
      show(path, !change.before, change.before.value_or(""), change.after);
    else
      note(line_of(path + "  (its text is no longer kept)", {.bold = true}));
  }
  bool told = false;
  for (const ToolCallState* call : state ? calls_of(*state) : std::vector<const ToolCallState*>())
    for (const v1::ToolCallContent& content : call->content) {
      const auto* change = std::get_if<v1::Diff>(&content);
      if (!change || call->status != ToolCallState::Status::completed ||
          written.contains(change->path))
        continue;
      if (!std::exchange(told, true)) say("Reported by the agent (not verified, may be partial):");
      show(place_text(change->path, {}, view()), !change->oldText,
           change->oldText ? *change->oldText : std::string(), change->newText);
    }
  if (written.empty() && !told)
    say("No known changes: nothing was written through acp or reported by a tool call. "
        "(What commands do is not seen.)");
  if (archive_.calls() > 0)
    say("Of the first " + counted(archive_.calls(), "tool call") + " nothing is shown here");
}

void SessionView::show_log(const std::vector<std::string>& log) {
  constexpr std::size_t most = 50;
  if (log.empty()) say("The log is empty");
  for (std::size_t i = log.size() > most ? log.size() - most : 0; i < log.size(); ++i)
    note(wrap(line_of(log[i], {.dim = true}), columns_,
              {.first = line_of("  "), .rest = line_of("    ")}));
}

void SessionView::list_commands(const std::string& head, std::span<const CommandHelp> commands) {
  if (commands.empty()) return;
  note(fit(line_of(head, {.bold = true}), columns_));
  std::size_t widest = 0;
  for (const CommandHelp& one : commands)
    widest = std::max(widest, width(std::string_view(safe(one.name + " " + one.hint))));
  widest = std::min(widest, columns_ / 2);
  const Line margin = line_of(std::string(widest + 4, ' '));
  for (const CommandHelp& one : commands) {
    std::string name = fit(safe(one.name + " " + one.hint), widest);
    name += std::string(widest - std::min(widest, width(std::string_view(name))) + 2, ' ');
    Line line = line_of("  " + name, {.colour = Colour::cyan});
    add(line, one.description);
    note(wrap(line, columns_, {.first = {}, .rest = margin}));
  }
}

std::string SessionView::exported(const SessionState& state, bool markdown) const {
  std::string text = archive_.text(markdown);
  for (std::size_t i = archived_; i < state.timeline().size(); ++i)
    text += chat::exported(state.timeline()[i], markdown);
  return text;
}

}  // namespace acp::chat
