// The person at the terminal, wherever standard input and output go.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

#include "acp/io/descriptor.h"

namespace acp::chat {

class Tty {
 public:
  // The controlling terminal. Nothing if this process has none.
  static std::optional<Tty> open();

  struct Size {
    std::size_t columns = 80, rows = 24;
  };
  // 80 by 24 if it is not known; never narrower than 20 columns.
  Size size() const;

  // Shows the text and gives the line that is typed, without its end. Nothing if there is none: the
  // terminal is gone, or nobody wants to know any more. What was typed before does not count.
  std::optional<std::string> ask(const std::string& text, std::stop_token stop);

 private:
  explicit Tty(io::Descriptor terminal) : terminal_(std::move(terminal)) {}
  io::Descriptor terminal_;
};

}  // namespace acp::chat
