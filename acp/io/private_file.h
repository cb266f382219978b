// Files that hold a conversation: for their owner alone, from the first byte.
#pragma once

#include <string>
#include <string_view>

#include "acp/io/descriptor.h"

namespace acp::io {

enum class Existing {
  replace,  // an existing file loses its content, and its mode becomes 0600
  refuse,   // no existing file is touched, not even through a link
};

// Opens a file for writing, with mode 0600. What is no regular file (a terminal, a pipe) is written
// to as it is. Throws std::runtime_error, "cannot write PATH: why", also for a file of another
// user, who could read it.
Descriptor open_private_file(const std::string& path, Existing existing);
// Writes the whole file. Throws std::runtime_error.
void write_private_file(const std::string& path, std::string_view bytes, Existing existing);

}  // namespace acp::io
