// Finds programs on this machine: our own, and that of a command.
#pragma once

#include <optional>
#include <string>

namespace acp::chat {

// The file that this process runs. Throws std::runtime_error.
std::string own_program();

// The program that a command would start: looked for in PATH, unless there is a slash in it.
// Nothing if there is none.
std::optional<std::string> find_program(const std::string& command);

}  // namespace acp::chat
