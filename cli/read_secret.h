// Asks for a secret.
#pragma once

#include <string>

namespace acp::cli {

// Reads a line from the terminal, which does not show it; from standard input, if there is no
// terminal. Empty at its end.
std::string read_secret(const std::string& question);

}  // namespace acp::cli
