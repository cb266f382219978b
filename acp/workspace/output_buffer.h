// The end of a command's output, as text, within a limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace acp::workspace {

// Keeps the last `limit` bytes, cut from the front between characters. Its output is UTF-8: other
// bytes become U+FFFD. Memory stays within twice the limit.
class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t limit) : limit_(limit) {}

  // Appends bytes, and returns the new text; an incomplete character waits for its rest.
  std::string append(std::string_view bytes);
  // Ends the output, and returns the rest: an incomplete character becomes U+FFFD.
  std::string finish();

  std::string_view text() const;
  // Whether something was cut off.
  bool truncated() const { return dropped_ > 0 || text_.size() > limit_; }
  // The size of all that was printed, as text, cut off or not.
  std::size_t total_bytes() const { return dropped_ + text_.size(); }

 private:
  void keep(std::string_view valid);

  std::size_t limit_;
  std::string text_;     // valid
  std::string waiting_;  // the beginning of a character
  std::size_t dropped_ = 0;
};

}  // namespace acp::workspace
