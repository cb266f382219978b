#include "chat/render/transcript.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "chat/render/content.h"
#include "chat/render/entries.h"
#include "chat/render/markdown/markdown.h"
#include "chat/render/text/text.h"

namespace acp::chat {
namespace {

using Message = SessionState::Message;

const Message* streamed(const SessionState::Entry& entry) {
  const auto* message = std::get_if<Message>(&entry.content);
  return message && message->kind != Message::Kind::user ? message : nullptr;
}

// Calls stand together, everything else apart.
bool space_before(const SessionState& state, std::size_t index) {
  const auto call = [&](std::size_t i) {
    return std::holds_alternative<ToolCallState>(state.timeline()[i].content);
  };
  return index > 0 && !(call(index) && call(index - 1));
}

}  // namespace

// An entry that is not printed yet, or not to its end.
class Transcript::Open {
 public:
  // Those of its lines that are finished go, and are given once.
  Lines take_finished(const SessionState& state, std::size_t index, const View& view, bool final) {
    const SessionState::Entry& entry = state.timeline()[index];
    Lines lines;
    if (const Message* message = streamed(entry)) {
      feed(*message, view, final, entry.left_out);
      lines = std::exchange(waiting_, {});
    } else if (final && !given_) {
      lines = entry_lines(state, entry, view);
    }
    if (lines.empty()) return lines;
    if (!given_ && space_before(state, index)) lines.insert(lines.begin(), Line());
    given_ = true;
    return lines;
  }
  // The others, and what is finished and has not been taken.
  Lines open_lines(const SessionState& state, std::size_t index, const View& view) {
    const SessionState::Entry& entry = state.timeline()[index];
    Lines lines;
    if (const Message* message = streamed(entry)) {
      feed(*message, view, false, entry.left_out);
      lines = waiting_;
      Lines open = stream_.open_lines(view.columns);
      if (block_ < message->content.size() && !is_text(message->content[block_]))
        open = content_lines(message->content[block_], view, TextAs::markdown);
      if (!open.empty() && gap_) lines.emplace_back();
      append(lines, dressed(std::move(open), *message, entry.left_out));
    } else if (!given_) {
      lines = whole(state, entry, view);
    }
    if (!lines.empty() && !given_ && space_before(state, index))
      lines.insert(lines.begin(), Line());
    return lines;
  }
  void touch() { current_ = false; }
  Spent spent() const { return {block_, fed_}; }
  void forgotten(const Spent& spent) {
    block_ -= spent.blocks;
    fed_ -= spent.bytes;
  }

 private:
  static bool is_text(const v1::ContentBlock& block) {
    return std::holds_alternative<v1::TextContent>(block) && !for_assistant_only(block);
  }
  static Lines dressed(Lines lines, const Message& message, bool left_out) {
    for (Line& line : lines) {
      if (message.kind == Message::Kind::thought) line = dimmed(std::move(line));
      if (left_out) line = struck(std::move(line));
    }
    return lines;
  }

  // Takes what has come since. The last block may still grow, unless the message is final.
  void feed(const Message& message, const View& view, bool final, bool left_out) {
    const auto wait = [&](Lines lines) {
      if (lines.empty()) return;
      any_ = true;
      if (std::exchange(gap_, false)) waiting_.emplace_back();
      append(waiting_, dressed(std::move(lines), message, left_out));
    };
    while (block_ < message.content.size()) {
      const v1::ContentBlock& block = message.content[block_];
      const bool complete = final || block_ + 1 < message.content.size();
      if (is_text(block)) {
        const std::string& text = std::get<v1::TextContent>(block).text;
        if (fed_ < text.size()) stream_.append(std::string_view(text).substr(fed_));
        fed_ = text.size();
        if (complete) stream_.finish();
        wait(stream_.take_finished(view.columns));
      } else if (complete) {
        wait(content_lines(block, view, TextAs::markdown));
      }
      // A text may go on even after what seemed to be its end.
      if (!complete || (block_ + 1 == message.content.size() && is_text(block))) return;
      ++block_;
      fed_ = 0;
      stream_ = {};
      gap_ = any_;
    }
  }

  const Lines& whole(const SessionState& state, const SessionState::Entry& entry,
                     const View& view) {
    const auto* call = std::get_if<ToolCallState>(&entry.content);
    if (!current_ || columns_ != view.columns) {
      columns_ = view.columns;
      current_ = true;
      if (call) {
        counts_ = view.unfolded ? Line() : change_counts(*call);
        lines_ = view.unfolded ? tool_call_body(state, *call, view)
                               : tool_call_brief(state, *call, view);
        lines_.insert(lines_.begin(), Line());
      } else if (const std::size_t size = written_size(entry); size > most_drawn_again) {
        lines_ = {fit(line_of("… " + size_text(size) + " so far", {.dim = true}), view.columns)};
      } else {
        lines_ = entry_lines(state, entry, view);
      }
      if (call && entry.left_out)
        for (Line& line : lines_) line = struck(std::move(line));
    }
    if (call) {
      lines_.front() = tool_call_head(state, *call, counts_, view);  // its time goes on
      if (entry.left_out) lines_.front() = struck(std::move(lines_.front()));
    }
    return lines_;
  }

  // Of texts that come in chunks, but are not streamed.
  static std::size_t written_size(const SessionState::Entry& entry) {
    const std::vector<v1::ContentBlock>* content = nullptr;
    if (const auto* message = std::get_if<Message>(&entry.content)) content = &message->content;
    if (const auto* message = std::get_if<v1::SessionMessage>(&entry.content))
      content = message->content ? &*message->content : nullptr;
    if (const auto* compaction = std::get_if<v1::CompactionUpdate>(&entry.content))
      content = compaction->summary ? &*compaction->summary : nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0; content && i < content->size(); ++i)
      if (const auto* text = std::get_if<v1::TextContent>(&(*content)[i]))
        size += text->text.size();
    return size;
  }
  static constexpr std::size_t most_drawn_again = 8192;

  bool given_ = false;  // some of it was printed
  // A message's:
  MarkdownStream stream_;
  std::size_t block_ = 0;
  std::size_t fed_ = 0;  // bytes of this block
  bool gap_ = false;     // a blank line before the next line
  bool any_ = false;
  Lines waiting_;  // finished, and not printed yet
  // Of any other entry, as long as it is the same:
  Lines lines_;
  Line counts_;
  std::size_t columns_ = 0;
  bool current_ = false;
};

Transcript::Transcript(View view, std::size_t most_open)
    : view_(std::move(view)), most_open_(most_open) {}
Transcript::~Transcript() = default;
Transcript::Transcript(Transcript&&) noexcept = default;
Transcript& Transcript::operator=(Transcript&&) noexcept = default;

void Transcript::set_view(View view) {
  view_ = std::move(view);
  for (auto& open : open_) open->touch();
}

void Transcript::restart() {
  revision_ = 0;
  first_ = 0;
  open_.clear();
  running_prompts_.clear();
  ended_.clear();
  told_.clear();
}

void Transcript::forgotten(std::size_t count, const std::vector<std::size_t>& kept) {
  constexpr auto gone = static_cast<std::size_t>(-1);
  const auto place = [&](std::size_t index) {
    if (index >= count) return index - count + kept.size();
    const auto found = std::lower_bound(kept.begin(), kept.end(), index);
    if (found == kept.end() || *found != index) return gone;
    return static_cast<std::size_t>(found - kept.begin());
  };
  first_ = first_ >= count ? first_ - count + kept.size() : kept.size();
  std::set<std::size_t> prompts;
  for (const std::size_t index : running_prompts_)
    if (place(index) != gone) prompts.insert(place(index));
  running_prompts_ = std::move(prompts);
  std::unordered_map<std::size_t, Printed> told;
  for (const auto& [index, printed] : told_)
    if (place(index) != gone) told.emplace(place(index), printed);
  told_ = std::move(told);
  for (std::size_t& index : ended_) index = place(index);
  std::erase(ended_, gone);
}

Transcript::Spent Transcript::spent(const SessionState& state) const {
  if (open_.empty() || first_ + open_.size() != state.timeline().size()) return {};
  return streamed(state.timeline().back()) ? open_.back()->spent() : Spent();
}

void Transcript::spent_forgotten(const Spent& spent) {
  if (!open_.empty()) open_.back()->forgotten(spent);
}

// Short: what may change without being worth another line is not in it.
Transcript::Printed Transcript::printed_now(const SessionState& state, std::size_t index) const {
  View brief = view_;
  brief.columns = 80;
  brief.unfolded = false;
  brief.live_lines = brief.diff_lines = brief.ended_lines = 0;
  brief.elapsed = nullptr;
  const SessionState::Entry& entry = state.timeline()[index];
  const auto* call = std::get_if<ToolCallState>(&entry.content);
  return {.signature = std::hash<std::string>()(to_plain(entry_lines(state, entry, brief))),
          .cancelled = call && call->status == ToolCallState::Status::cancelled};
}

void Transcript::tell_late(const SessionState& state, std::size_t index, Lines& out) {
  const SessionState::Entry& entry = state.timeline()[index];
  if (const auto* prompt = std::get_if<SessionState::Prompt>(&entry.content)) {
    if (!prompt->stop_reason || running_prompts_.erase(index) == 0) return;
    if (Lines lines = turn_end_lines(*prompt, view_); !lines.empty()) {
      out.emplace_back();
      append(out, std::move(lines));
    }
    return;
  }
  const auto known = told_.find(index);
  if (known == told_.end()) return;
  const auto* call = std::get_if<ToolCallState>(&entry.content);
  if (known->second.cancelled && call && call->status != ToolCallState::Status::completed) return;
  const Printed now = printed_now(state, index);
  if (now.signature == std::exchange(known->second, now).signature) return;
  append(out, entry_lines(state, entry, view_));
}

void Transcript::follow(const SessionState& state) {
  for (const std::size_t index : state.changed_since(revision_)) {
    if (index < first_)
      ended_.push_back(index);
    else if (index - first_ < open_.size())
      open_[index - first_]->touch();
  }
  revision_ = state.revision();
  while (first_ + open_.size() < state.timeline().size()) open_.push_back(std::make_unique<Open>());
}

// Nothing that is still to come changes it, as far as one can know. The last message never is: more
// of it may come, after the turn or while a session is loaded.
bool Transcript::is_final(const SessionState& state, std::size_t index) const {
  const SessionState::Entry& entry = state.timeline()[index];
  const bool last = index + 1 == state.timeline().size();
  if (std::holds_alternative<Message>(entry.content)) return !last;
  if (!state.turn_running()) return true;
  if (const auto* call = std::get_if<ToolCallState>(&entry.content)) return call->finished();
  if (const auto* compaction = std::get_if<v1::CompactionUpdate>(&entry.content))
    return compaction->status != v1::CompactionStatus::in_progress;
  return !std::holds_alternative<v1::SessionMessage>(entry.content) || !last;
}

void Transcript::print_front(const SessionState& state, Lines& out) {
  append(out, open_.front()->take_finished(state, first_, view_, true));
  const std::size_t index = first_++;
  const SessionState::Entry& entry = state.timeline()[index];
  open_.pop_front();
  if (const auto* prompt = std::get_if<SessionState::Prompt>(&entry.content)) {
    running_prompts_.insert(index);
    if (prompt->stop_reason) ended_.push_back(index);
  } else if (!streamed(entry)) {
    told_[index] = printed_now(state, index);
  }
}

void Transcript::give_out(const SessionState& state, Lines& out) {
  while (!open_.empty() && is_final(state, first_)) {
    // The turns before this one have ended: that stands between them.
    if (std::holds_alternative<SessionState::Prompt>(state.timeline()[first_].content))
      tell_ends(state, out);
    print_front(state, out);
  }
  if (!open_.empty() && streamed(state.timeline()[first_]))
    append(out, open_.front()->take_finished(state, first_, view_, false));
}

void Transcript::tell_ends(const SessionState& state, Lines& out) {
  for (const std::size_t index : std::exchange(ended_, {})) tell_late(state, index, out);
}

TranscriptFrame Transcript::draw(const SessionState& state) {
  TranscriptFrame frame;
  follow(state);
  give_out(state, frame.finished);
  std::vector<Lines> open;
  std::size_t size = 0;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    open.push_back(open_[i]->open_lines(state, first_ + i, view_));
    size += open.back().size();
  }
  std::size_t printed = 0;
  for (; size > most_open_ && open_.size() > 1; ++printed) {
    size -= open[printed].size();
    print_front(state, frame.finished);
  }
  for (; printed < open.size(); ++printed) append(frame.open, std::move(open[printed]));
  Lines told;
  tell_ends(state, told);
  // It stands below all that was said before.
  if (!told.empty() && !state.turn_running()) frame = finish(state, std::move(frame));
  append(frame.finished, std::move(told));
  return frame;
}

TranscriptFrame Transcript::finish(const SessionState& state) { return finish(state, draw(state)); }

TranscriptFrame Transcript::finish(const SessionState& state, TranscriptFrame frame) {
  frame.open.clear();
  // The last message stays: more of it may come.
  while (open_.size() > 1 || (open_.size() == 1 && !streamed(state.timeline()[first_])))
    print_front(state, frame.finished);
  if (!open_.empty())
    append(frame.finished, open_.front()->take_finished(state, first_, view_, true));
  tell_ends(state, frame.finished);
  return frame;
}

}  // namespace acp::chat
