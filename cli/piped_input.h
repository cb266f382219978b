// Text that another program pipes into standard input, in addition to a prompt.
#pragma once

#include <optional>
#include <string>

namespace acp::cli {

struct PipedInput {
  std::string text;     // empty: there is none
  std::string warning;  // what the user should know of it; empty: nothing
};

// Reads a pipe or file to its end; returns nothing if a pipe stays silent for `wait_seconds` (it
// may only be inherited), or if it is a terminal or a socket.
PipedInput piped_input(int wait_seconds);

// Reads standard input to its end, without a time limit. Nothing if it cannot be read. Throws
// BadUsage for more than 64 MiB, which no model takes.
std::optional<std::string> whole_input();

}  // namespace acp::cli
