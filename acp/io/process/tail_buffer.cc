#include "acp/io/process/tail_buffer.h"

#include <algorithm>
#include <utility>

#include "acp/json/utf8.h"

namespace acp::io {
namespace {

// The largest size up to `size` that does not cut a character in two.
std::size_t whole_characters(std::string_view text, std::size_t size) {
  if (size >= text.size()) return text.size();
  std::size_t start = size;
  // A character has at most three bytes after its first.
  for (int back = 0; back < 3 && start > 0 && json::utf8_continues(text[start]); ++back) --start;
  const bool character =
      start > 0 && start < size &&
      json::utf8_length(text.data() + start, text.data() + text.size()) > size - start;
  return character ? start : size;
}

}  // namespace

TailBuffer::TailBuffer(std::size_t limit, OnLine on_line)
    : limit_(std::max<std::size_t>(limit, 256)),
      line_limit_(limit_ / 8),
      on_line_(std::move(on_line)) {}

void TailBuffer::append(std::string_view bytes) {
  while (!bytes.empty()) {
    // So much is enough to see where a piece can be cut. Only what is new is searched.
    const std::size_t room = line_limit_ + 4 - rest_.size();
    const std::size_t newline = bytes.substr(0, room).find('\n');
    const bool complete = newline != bytes.npos;
    rest_ += bytes.substr(0, complete ? newline : room);
    bytes.remove_prefix(complete ? newline + 1 : std::min(room, bytes.size()));
    std::string after;
    if (complete) {
      if (rest_.ends_with('\r')) rest_.pop_back();
    } else {
      if (rest_.size() < line_limit_ + 4) return;
      const std::size_t cut = whole_characters(rest_, line_limit_);
      after = rest_.substr(cut);
      rest_.resize(cut);
    }
    add_line(std::exchange(rest_, std::move(after)));
  }
}

void TailBuffer::finish() {
  if (!rest_.empty()) add_line(std::exchange(rest_, {}));
}

void TailBuffer::add_line(const std::string& line) {
  std::string valid;
  json::utf8_append(valid, line);
  lines_ += valid;
  lines_ += '\n';
  if (lines_.size() > 2 * limit_) {
    const std::size_t count = start(limit_);
    lines_.erase(0, count);
    dropped_ += count;
  }
  if (on_line_) on_line_(valid);
}

std::size_t TailBuffer::start(std::size_t room) const {
  if (lines_.size() <= room) return 0;
  // The newline before it shows that a line starts there.
  return lines_.find('\n', lines_.size() - room - 1) + 1;
}

std::string TailBuffer::text() const {
  std::string unfinished;
  json::utf8_append(unfinished, rest_);
  return lines_.substr(start(limit_ - unfinished.size())) + unfinished;
}

std::size_t TailBuffer::left_out() const {
  std::string unfinished;
  json::utf8_append(unfinished, rest_);
  return dropped_ + start(limit_ - unfinished.size());
}

}  // namespace acp::io
