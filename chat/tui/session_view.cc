#include "chat/tui/session_view.h"

#include <algorithm>
#include <utility>

#include "chat/render/entries.h"
#include "chat/render/text/text.h"

namespace acp::chat {

SessionView::SessionView(std::string cwd, std::size_t columns, Now now)
    : cwd_(std::move(cwd)), columns_(columns), now_(std::move(now)), transcript_(view()) {}

View SessionView::view() const {
  View view;
  view.columns = columns_;
  view.cwd = cwd_;
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
  view.rejected = [this](const v1::ToolCallId& id) { return rejected_.contains(id); };
  view.elapsed = [this](const v1::ToolCallId& id) -> std::optional<std::chrono::milliseconds> {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return {};
    return found->second.watch.elapsed(now_());
  };
  return view;
}

void SessionView::resize(std::size_t columns) {
  columns_ = columns;
  transcript_.set_view(view());
}

void SessionView::restart() {
  transcript_ = Transcript(view());
  calls_.clear();
  rejected_.clear();
  calls_revision_ = 0;
  archive_ = Archive();
  archived_ = 0;
  tidied_ = 0;
}

void SessionView::say(const std::string& text) {
  note(wrap(line_of("· " + text, aside), columns_));
}

void SessionView::say_error(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) note(wrap(line_of(take_line(rest), {.colour = Colour::red}), columns_));
}

void SessionView::note(Lines lines) {
  for (Line& line : lines) notes_.push_back(std::move(line));
}

Lines SessionView::take_notes() { return std::exchange(notes_, {}); }

void SessionView::follow_calls(const SessionState& state, bool working) {
  if (working)
    for (const std::size_t index : state.changed_since(calls_revision_))
      if (const auto* call = std::get_if<ToolCallState>(&state.timeline()[index].content)) {
        const auto now = now_();
        Times& times = calls_.try_emplace(call->id, Times{Stopwatch(now)}).first->second;
        const bool asked =
            std::find(asked_about_.begin(), asked_about_.end(), call->id) != asked_about_.end();
        if (asked) times.watch.pause(now);
        if (call->finished() && !std::exchange(times.over, true)) times.watch.pause(now);
      }
  calls_revision_ = state.revision();
}

void SessionView::turn_begins() { turn_ = Stopwatch(now_()); }

void SessionView::waits_for_person(bool waits, const std::vector<std::string>& calls) {
  const auto now = now_();
  waits ? turn_.pause(now) : turn_.go_on(now);
  if (calls == asked_about_) return;
  const auto each = [&](const std::vector<std::string>& ids, auto&& act) {
    for (const std::string& id : ids)
      if (const auto found = calls_.find(id); found != calls_.end() && !found->second.over)
        act(found->second.watch);
  };
  each(asked_about_, [&](Stopwatch& watch) { watch.go_on(now); });
  each(calls, [&](Stopwatch& watch) { watch.pause(now); });
  asked_about_ = calls;
}

TranscriptFrame SessionView::news(const SessionState& state, bool working, bool in_full) {
  Lines ours = take_notes();
  const bool ours_last = !working && !ours.empty();
  follow_calls(state, working);
  TranscriptFrame frame =
      ours_last || (in_full && !working) ? transcript_.finish(state) : transcript_.draw(state);
  Lines told = std::exchange(frame.finished, {});
  Lines& lines = frame.finished = ours_last ? std::move(told) : std::move(ours);
  if (ours_last && !lines.empty()) lines.emplace_back();
  for (Line& line : ours_last ? ours : told) lines.push_back(std::move(line));
  return frame;
}

Lines SessionView::finish(const SessionState& state) {
  Lines lines = transcript_.finish(state).finished;
  for (Line& line : take_notes()) lines.push_back(std::move(line));
  return lines;
}

void SessionView::tidy(SessionState& state, bool working) {
  // Looking costs as much as is kept: not for every frame.
  if (state.revision() - tidied_ < 512 && (working || turn_tidied_)) return;
  turn_tidied_ = !working;
  tidied_ = state.revision();
  static const Bounds bounds;
  const Transcript::Spent spent = transcript_.spent(state);
  if (spent.blocks > 64 || spent.bytes > bounds.message_bytes) {
    // What stays is the end of it.
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
}

Lines SessionView::plan(const SessionState& state, std::size_t most) const {
  Lines plan = plan_lines(state, view());
  if (plan.size() <= most) return plan;
  const std::size_t rest = plan.size() - most + 1;
  plan.resize(most - 1);
  plan.push_back(line_of("… and " + std::to_string(rest) + " more", aside));
  return plan;
}

}  // namespace acp::chat
