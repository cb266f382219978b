// The end of a stream of text, for messages: what a process wrote to its stderr last.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace acp::io {

// Keeps the last `limit` bytes, by whole lines. What it gives out is UTF-8: a byte that is not
// becomes U+FFFD. Memory stays within a few times the limit, whatever comes.
class TailBuffer {
 public:
  // A line without its end, "\n" or "\r\n".
  using OnLine = std::function<void(std::string_view line)>;
  static constexpr std::size_t default_limit = 64 * 1024;

  // The limit is 256 bytes at least. A line longer than an eighth of it comes in pieces, each as a
  // line, cut between characters.
  explicit TailBuffer(std::size_t limit = default_limit, OnLine on_line = {});

  // Calls on_line for every line that is complete now.
  void append(std::string_view bytes);
  // At the end of the stream: what stands after the last newline is a line, too.
  void finish();

  // The last lines, each with its "\n", and after them what has no newline yet. At most `limit`
  // bytes.
  std::string text() const;
  // How many bytes of earlier lines text() has left out.
  std::size_t left_out() const;

 private:
  void add_line(const std::string& line);
  // Where in lines_ the text begins of which `room` bytes are to remain.
  std::size_t start(std::size_t room) const;

  std::size_t limit_;
  std::size_t line_limit_;
  OnLine on_line_;
  std::string lines_;        // complete, valid, each with its newline; up to twice the limit
  std::string rest_;         // after the last newline, as it came; as long as a piece
  std::size_t dropped_ = 0;  // from the front of lines_
};

}  // namespace acp::io
