// Files that a process was writing when it was killed.
#pragma once

#include <string>

namespace acp::workspace {

// Removes them from this directory (not from those below it): regular files of ours that are named
// as Files names them, and that nobody writes to any more. A directory that cannot be read has
// none.
void remove_leftovers(const std::string& directory);

}  // namespace acp::workspace
