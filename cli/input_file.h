// Files that the user names, read with a limit, and the reasons why one cannot be read.
#pragma once

#include <optional>
#include <string>

namespace acp::cli {

// Reads to the end. Nothing if that fails: errno says why. Throws BadUsage for more than 64 MiB,
// which no model takes; `name` says of what.
std::optional<std::string> read_to_end(int descriptor, const std::string& name);

// The content of a file. Throws BadUsage, with the reason, if it cannot be read or is too large.
std::string whole_file(const std::string& path);

// "cannot read PATH: why". Of what can be read after all: without a reason.
std::string cannot_read(const std::string& path);
// Whether it is a directory, which opens and cannot be read.
bool is_directory(const std::string& path);

}  // namespace acp::cli
