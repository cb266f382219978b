#include <algorithm>
#include <tuple>
#include <utility>

#include "chat/remote_agent.h"
#include "chat/render/text/text.h"
#include "chat/tui/status_line.h"
#include "chat/tui/ui.h"

namespace acp::chat {

namespace {

std::string first_line(const std::string& text) {
  std::string_view rest = text;
  const std::string line(take_line(rest));
  return rest.empty() ? line : line + " …";
}

}  // namespace

void ChatUi::print(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) text += to_plain(line) + "\n";
  terminal_.write(text);
}

TranscriptFrame ChatUi::news() {
  note_waiting();
  TranscriptFrame frame;
  const auto& session = conversation_.session();
  if (session) {
    host_->tell_terminals(*session);
    session->with_state([&](const SessionState& state) {
      frame = view_.news(state, conversation_.working(), plain_);
    });
  } else {
    frame.finished = view_.take_notes();
  }
  return frame;
}

void ChatUi::tidy() {
  if (const auto& session = conversation_.session())
    session->change_state(
        [this](SessionState& state) { view_.tidy(state, conversation_.working()); });
  host_->drawn();
}

void ChatUi::draw_plain() {
  print(news().finished);
  tidy();
}

void ChatUi::draw() {
  dirty_ = false;
  if (plain_) return draw_plain();
  if (const auto& session = conversation_.session(); session && !conversation_.working())
    static_cast<void>(session->take_updates());
  TranscriptFrame frame = news();
  Lines open = std::move(frame.open);
  std::size_t cursor_row = 0, cursor_column = 0;
  Lines below_open = below(screen_.room(), cursor_row, cursor_column);
  if (!frame.finished.empty()) ends_empty_ = frame.finished.back().empty();
  if (open.empty() && ends_empty_ && below_open.front().empty()) {  // one empty line is enough
    below_open.erase(below_open.begin());
    --cursor_row;
  }
  // Of what is open, the end; the input and the questions are always seen.
  const std::size_t rows = screen_.rows() > 1 ? screen_.rows() - 1 : 1;
  const std::size_t room = rows > below_open.size() ? rows - below_open.size() : 0;
  if (open.size() > room) open.erase(open.begin(), open.end() - static_cast<std::ptrdiff_t>(room));
  cursor_row += open.size();
  for (const Line& line : below_open) open.push_back(line);
  terminal_.write(screen_.draw(frame.finished, open, cursor_row, cursor_column));
  tidy();
}

void ChatUi::present(const std::string& title, const std::function<void()>& show) {
  dirty_ = true;
  const Lines before = view_.take_notes();
  show();
  if (const Lines shown = view_.take_notes(); plain_ || shown.size() < screen_.rows()) {
    view_.note(before);
    return view_.note(shown);
  }
  // Inside the frame of a pager.
  constexpr std::size_t frame = 2;
  view_.resize(screen_.room() > 2 * frame ? screen_.room() - frame : screen_.room());
  show();
  const Lines shown = view_.take_notes();
  view_.resize(screen_.room());
  view_.note(before);
  ask(std::make_shared<PagerDialog>(line_of(title), shown,
                                    [this](const Lines& lines) { view_.note(lines); }));
}

Lines ChatUi::plan(std::size_t most) const {
  Lines plan;
  conversation_.session()->with_state(
      [&](const SessionState& state) { plan = view_.plan(state, most); });
  return plan;
}

Lines ChatUi::below(std::size_t room, std::size_t& cursor_row, std::size_t& cursor_column) {
  Lines lines;
  // In a low terminal a question has the rows that only make it easier to read.
  constexpr std::size_t low_rows = 12;
  const bool low = !dialogs_.empty() && screen_.rows() < low_rows;
  if (!low) lines.emplace_back();
  const auto more = [&](Lines added) {
    for (Line& line : added) lines.push_back(std::move(line));
  };
  // A question needs the rows.
  if (conversation_.session() && conversation_.working() && dialogs_.empty())
    more(plan(std::max<std::size_t>(screen_.rows() / 3, 3)));
  more(shell_lines(room));
  const auto& queue = conversation_.queue();
  for (std::size_t i = 0; i < queue.size() && i < 3; ++i)
    lines.push_back(fit(
        line_of("  next: " + first_line(queue[i]) +
                    (i + 1 == queue.size() && input_.empty() && dialogs_.empty() ? "  (↑ edits it)"
                                                                                 : ""),
                aside),
        room));
  if (queue.size() > 3)
    lines.push_back(line_of("  and " + std::to_string(queue.size() - 3) + " more", aside));
  const auto& attached = conversation_.attached();
  for (const std::string& name : attached)
    lines.push_back(fit(line_of("  attached: " + name +
                                    (&name == &attached.back() && input_.empty() && dialogs_.empty()
                                         ? "  (Backspace removes it)"
                                         : ""),
                                aside),
                        room));

  const EditorRows rows = input_.rows(room, std::max<std::size_t>(screen_.rows() / 3, 1));
  Lines list = input_.list(room, std::min<std::size_t>(screen_.rows() / 3, 8));

  std::optional<std::pair<std::size_t, std::size_t>> cursor;
  if (!dialogs_.empty()) {
    std::string hint = dialogs_.front()->hint();
    if (!to_dialog())
      hint = "Tab: answer this";
    else if (low && (screen_.rows() < low_rows / 2 + 2 || !dialogs_.front()->is_view()))
      hint.clear();
    // What else is on the screen; of it, the status, and the row that is never used.
    const std::size_t others =
        lines.size() + rows.rows.size() + list.size() + (hint.empty() ? 2 : 3);
    const std::size_t most = screen_.rows() > others + 2 ? screen_.rows() - others : 2;
    Dialog::Shown shown = dialogs_.front()->shown(room, most);
    // The answers are at the end.
    const std::size_t cut = shown.lines.size() > most ? shown.lines.size() - most : 0;
    shown.lines.erase(shown.lines.begin(), shown.lines.begin() + static_cast<std::ptrdiff_t>(cut));
    if (shown.cursor && to_dialog() && shown.cursor->first >= cut)
      cursor = {lines.size() + shown.cursor->first - cut, shown.cursor->second};
    more(std::move(shown.lines));
    if (!hint.empty())
      lines.push_back(
          fit(line_of("  " + hint, to_dialog() ? aside : Style{.colour = Colour::yellow}), room));
  }
  cursor_row = lines.size() + rows.cursor_row;
  cursor_column = rows.cursor_column;
  for (const Line& row : rows.rows) lines.push_back(row);
  if (cursor) std::tie(cursor_row, cursor_column) = *cursor;
  more(std::move(list));
  lines.push_back(status(room));
  return lines;
}

void ChatUi::note_waiting() {
  std::vector<std::string> calls;
  bool waits = false;
  for (const auto& dialog : dialogs_) {
    waits |= dialog->urgent;
    if (!dialog->about_call.empty()) calls.push_back(dialog->about_call);
  }
  view_.waits_for_person(waits, calls);
}

std::string ChatUi::directory_shown() const {
  if (!options_.agent.elsewhere || !conversation_.has_agent()) return short_path(options_.cwd);
  // A home directory there is none of ours.
  return session_directory(options_.agent, conversation_.agent(), options_.cwd);
}

Line ChatUi::status(std::size_t room) const {
  Status status;
  const auto& session = conversation_.session();
  if (session) session->with_state([&](const SessionState& state) { status = status_of(state); });
  if (status.model.empty()) status.model = label_;
  status.directory = directory_shown();
  if (!conversation_.phase().empty()) {
    const auto time =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - conversation_.phase_began())
            .count();
    status.activity =
        conversation_.phase() + " …" + (time > 3 ? " " + std::to_string(time) + " s" : "");
  } else if (conversation_.cancelled()) {
    status.activity = "stopping";
  } else if (conversation_.working()) {
    status.activity = std::to_string(view_.turn_time().count() / 1000) + " s";
    if (escape_stops())
      status.hint = "Esc stops";
    else if (dialogs_.front()->of_person && !dialogs_.front()->is_view())
      status.hint = "Esc closes";
  } else if (session) {
    status.hint = "/help";
  }
  return status_line(status, room);
}

}  // namespace acp::chat
