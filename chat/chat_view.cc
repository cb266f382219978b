#include <algorithm>
#include <tuple>
#include <utility>

#include "chat/chat_ui.h"
#include "chat/entries.h"
#include "chat/text.h"

namespace acp::chat {

namespace {

const Style aside{.dim = true};

std::string first_line(const std::string& text) {
  std::string_view rest = text;
  const std::string line(take_line(rest));
  return rest.empty() ? line : line + " …";
}

}  // namespace

View ChatUi::view() const {
  View view;
  view.columns = screen_.room();
  view.cwd = options_.cwd;
  view.live_lines = 5;
  view.diff_lines = 12;
  view.ended_lines = 6;
  view.number = [this](const SessionState& state, const v1::ToolCallId& id) {
    std::size_t number = archive_.calls();
    for (const SessionState::Entry& entry : state.timeline())
      if (const auto* call = std::get_if<ToolCallState>(&entry.content)) {
        ++number;
        if (call->id == id) break;
      }
    return number;
  };
  view.elapsed = [this](const v1::ToolCallId& id) -> std::optional<std::chrono::milliseconds> {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return {};
    const Times& times = found->second;
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        (times.over ? times.ended : Clock::now()) - times.began);
  };
  return view;
}

void ChatUi::follow_calls(const SessionState& state) {
  if (turn_running_)
    for (const std::size_t index : state.changed_since(calls_revision_))
      if (const auto* call = std::get_if<ToolCallState>(&state.timeline()[index].content)) {
        const auto now = Clock::now();
        Times& times = calls_.try_emplace(call->id, Times{now, now, false}).first->second;
        if (call->finished() && !times.over) {
          times.over = true;
          times.ended = now;
        }
      }
  calls_revision_ = state.revision();
}

void ChatUi::tidy() {
  if (!session_) return;
  session_->change_state([this](SessionState& state) {
    // Looking costs as much as is kept: not for every frame.
    if (state.revision() - tidied_ < 512 && (working() || turn_tidied_)) return;
    turn_tidied_ = !working();
    tidied_ = state.revision();
    static const Bounds bounds;
    const Transcript::Spent spent = transcript_.spent(state);
    if (spent.blocks > 64 || spent.bytes > bounds.message_bytes) {
      // What stays behind is the end of it.
      SessionState::Message gone = std::get<SessionState::Message>(state.timeline().back().content);
      gone.content.resize(std::min(gone.content.size(), spent.blocks + 1));
      if (gone.content.size() > spent.blocks) {
        auto* text = std::get_if<v1::TextContent>(&gone.content.back());
        if (text)
          text->text.resize(spent.bytes);
        else
          gone.content.pop_back();
      }
      archive_.add({.content = std::move(gone)});
      state.forget_content(state.timeline().size() - 1, spent.blocks, spent.bytes);
      transcript_.spent_forgotten(spent);
    }
    const std::size_t count = too_many(state, transcript_.printed(), bounds);
    if (count == 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= archived_) archive_.add(state.timeline()[i]);
      if (const auto* call = std::get_if<ToolCallState>(&state.timeline()[i].content))
        calls_.erase(call->id);
    }
    const std::vector<std::size_t> kept = state.forget(count);
    transcript_.forgotten(count, kept);
    archived_ = kept.size();
  });
}

void ChatUi::print(const Lines& lines) {
  std::string text;
  for (const Line& line : lines) text += to_plain(line) + "\n";
  terminal_.write(text);
}

void ChatUi::say(const std::string& text) {
  for (Line& line : wrap(line_of("· " + text, aside), screen_.room()))
    notes_.push_back(std::move(line));
  dirty_ = true;
}

void ChatUi::say_error(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const Line line = line_of(take_line(rest), {.colour = Colour::red});
    for (Line& row : wrap(line, screen_.room())) notes_.push_back(std::move(row));
  }
  dirty_ = true;
}

// What the session tells now, and our own lines: what was said last stands last. Between turns that
// is ours, below all of an answer, even though more of it may come; in a turn, what is only told
// now.
Lines ChatUi::news(Frame& frame) {
  Lines ours = std::exchange(notes_, {});
  if (!session_) return ours;
  host_->tell_terminals(*session_);
  const bool ours_last = !working() && !ours.empty();
  session_->with_state([&](const SessionState& state) {
    follow_calls(state);
    frame =
        ours_last || (plain_ && !working()) ? transcript_.finish(state) : transcript_.draw(state);
  });
  Lines lines = ours_last ? std::move(frame.finished) : std::move(ours);
  if (ours_last && !lines.empty()) lines.emplace_back();
  for (Line& line : ours_last ? ours : frame.finished) lines.push_back(std::move(line));
  return lines;
}

void ChatUi::draw_plain() {
  Frame frame;
  print(news(frame));
  tidy();
  host_->drawn();
}

void ChatUi::draw() {
  dirty_ = false;
  if (plain_) return draw_plain();
  if (session_ && !working()) static_cast<void>(session_->take_updates());
  Frame frame;
  const Lines finished = news(frame);
  Lines open = std::move(frame.open);
  std::size_t cursor_row = 0, cursor_column = 0;
  const Lines below_open = below(screen_.room(), cursor_row, cursor_column);
  // Of what is open, the end; the input and the questions are always seen.
  const std::size_t rows = screen_.rows() > 1 ? screen_.rows() - 1 : 1;
  const std::size_t room = rows > below_open.size() ? rows - below_open.size() : 0;
  if (open.size() > room) open.erase(open.begin(), open.end() - static_cast<std::ptrdiff_t>(room));
  cursor_row += open.size();
  for (const Line& line : below_open) open.push_back(line);
  terminal_.write(screen_.draw(finished, open, cursor_row, cursor_column));
  tidy();
  host_->drawn();
}

Lines ChatUi::plan(std::size_t most) const {
  Lines plan;
  session_->with_state([&](const SessionState& state) { plan = plan_lines(state, view()); });
  if (plan.size() <= most) return plan;
  const std::size_t rest = plan.size() - most + 1;
  plan.resize(most - 1);
  plan.push_back(line_of("… and " + std::to_string(rest) + " more", aside));
  return plan;
}

Lines ChatUi::below(std::size_t room, std::size_t& cursor_row, std::size_t& cursor_column) {
  Lines lines;
  lines.emplace_back();
  const auto more = [&](Lines added) {
    for (Line& line : added) lines.push_back(std::move(line));
  };
  // A question needs the rows.
  if (session_ && working() && dialogs_.empty())
    more(plan(std::max<std::size_t>(screen_.rows() / 3, 3)));
  for (std::size_t i = 0; i < queue_.size() && i < 3; ++i)
    lines.push_back(fit(line_of("  next: " + first_line(queue_[i]), aside), room));
  if (queue_.size() > 3)
    lines.push_back(line_of("  and " + std::to_string(queue_.size() - 3) + " more", aside));
  for (const std::string& name : attached_names_)
    lines.push_back(fit(line_of("  attached: " + name, aside), room));

  const Line prompt = line_of("❯ ", {.bold = true, .colour = Colour::cyan});
  const EditorRows rows =
      editor_rows(editor_, prompt, room, std::max<std::size_t>(screen_.rows() / 3, 1));
  const std::size_t shown_candidates = std::min<std::size_t>(candidates_.size(), 8);

  std::optional<std::pair<std::size_t, std::size_t>> cursor;
  if (!dialogs_.empty()) {
    // What else is on the screen; of it, the hint, the status, and the row that is never used.
    const std::size_t others = lines.size() + rows.rows.size() + shown_candidates + 3 +
                               (candidates_.size() > shown_candidates ? 1 : 0);
    const std::size_t most = screen_.rows() > others + 2 ? screen_.rows() - others : 2;
    Dialog::Shown shown = dialogs_.front()->shown(room, most);
    // The answers are at the end.
    const std::size_t cut = shown.lines.size() > most ? shown.lines.size() - most : 0;
    shown.lines.erase(shown.lines.begin(), shown.lines.begin() + static_cast<std::ptrdiff_t>(cut));
    if (shown.cursor && to_dialog() && shown.cursor->first >= cut)
      cursor = {lines.size() + shown.cursor->first - cut, shown.cursor->second};
    more(std::move(shown.lines));
    if (!to_dialog())
      lines.push_back(line_of("  Tab: answer this", {.colour = Colour::yellow}));
    else if (const std::string hint = dialogs_.front()->hint(); !hint.empty())
      lines.push_back(fit(line_of("  " + hint, aside), room));
  }
  for (std::size_t i = 0; i < shown_candidates; ++i) {
    Line line = line_of("  " + candidates_[i].text, {.colour = Colour::cyan});
    add(line, "  " + candidates_[i].description, aside);
    lines.push_back(fit(line, room));
  }
  if (candidates_.size() > shown_candidates)
    lines.push_back(
        line_of("  and " + std::to_string(candidates_.size() - shown_candidates) + " more", aside));

  cursor_row = lines.size() + rows.cursor_row;
  cursor_column = rows.cursor_column;
  for (const Line& row : rows.rows) lines.push_back(row);
  if (cursor) std::tie(cursor_row, cursor_column) = *cursor;
  lines.push_back(status(room));
  return lines;
}

Line ChatUi::status(std::size_t room) const {
  Line line = line_of("  " + label_, aside);
  const auto part = [&](const std::string& text, const Style& style) {
    add(line, " · ", aside);
    add(line, text, style);
  };
  const auto seconds_since = [](Clock::time_point then) {
    return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - then).count();
  };
  if (!phase_.empty()) {
    const auto time = seconds_since(phase_began_);
    part(phase_ + " …" + (time > 3 ? " " + std::to_string(time) + " s" : ""),
         {.colour = Colour::yellow});
  }
  if (session_ && !working()) part("/help", aside);
  if (session_) {
    if (working()) {
      part(cancelled_ ? "cancelling"
                      : "working " + std::to_string(seconds_since(turn_began_)) + " s",
           {.colour = Colour::yellow});
      if (!cancelled_) part("Esc cancels", aside);
    }
    session_->with_state([&](const SessionState& state) {
      View narrow;
      narrow.columns = room > width(line) + 3 ? room - width(line) - 3 : 1;
      const Line told = status_line(state, narrow);
      if (told.empty()) return;
      add(line, " · ", aside);
      add(line, told);
    });
  }
  return fit(line, room);
}

}  // namespace acp::chat
