// What a command has printed, as text: the last of it, within a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace acp::workspace {

// Keeps the last `limit` bytes, cut from the front between characters. What it gives out is UTF-8:
// a byte that is not becomes U+FFFD. Memory stays within twice the limit.
class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t limit) : limit_(limit) {}

  // Gives what is new as text; a character that is not complete yet waits for its rest.
  std::string append(std::string_view bytes);
  // At the end: what waits is no character any more.
  std::string finish();

  std::string_view text() const;
  // Something was cut off.
  bool truncated() const { return dropped_ > 0 || text_.size() > limit_; }
  // All that was printed, as text, cut off or not.
  std::size_t total_bytes() const { return dropped_ + text_.size(); }

 private:
  void keep(std::string_view valid);

  std::size_t limit_;
  std::string text_;     // valid
  std::string waiting_;  // the beginning of a character
  std::size_t dropped_ = 0;
};

}  // namespace acp::workspace
