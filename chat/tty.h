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
  // Opens the controlling terminal. Nothing if this process has none.
  static std::optional<Tty> open();

  struct Size {
    std::size_t columns = 80, rows = 24;
  };
  // The terminal's size: 80 by 24 if it is not known; never narrower than 20 columns.
  Size size() const;

  // Shows the text and returns the typed line, without its end. Nothing if the terminal is gone, or
  // the token is set. Input typed before is dropped.
  std::optional<std::string> ask(const std::string& text, std::stop_token stop);

 private:
  explicit Tty(io::Descriptor terminal) : terminal_(std::move(terminal)) {}
  io::Descriptor terminal_;
};

}  // namespace acp::chat
