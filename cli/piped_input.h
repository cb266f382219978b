// What another program gives to this one on standard input, beside a prompt that was named.
#pragma once

#include <optional>
#include <string>

namespace acp::cli {

struct PipedInput {
  std::string text;     // empty: there is none
  std::string warning;  // what the user should know of it; empty: nothing
};

// Of a pipe or a file everything until its end, but of a pipe to which nobody writes for
// `wait_seconds` nothing: it may be one that the program only inherited. Of a terminal or a socket
// nothing.
PipedInput piped_input(int wait_seconds);

// Everything until the end, however long that takes. Nothing if it cannot be read. Throws BadUsage
// for more than 64 MiB, which no model takes and the memory may not.
std::optional<std::string> whole_input();

}  // namespace acp::cli
