// Programs on this machine: our own, and what a name would start.
#pragma once

#include <optional>
#include <string>

namespace acp::chat {

// The file that this process runs. Throws std::runtime_error.
std::string own_program();

// What a command would start: looked for in PATH, unless there is a slash in it. Nothing if it
// would start nothing.
std::optional<std::string> find_program(const std::string& command);

}  // namespace acp::chat
