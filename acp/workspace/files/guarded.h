// Changes that need a person's consent in every mode: files in git's own directory, or in .acp, can
// run commands later, when nobody is asked.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "acp/workspace/files/boundary.h"

namespace acp::workspace {

// What is about to happen to a path.
enum class Change {
  write,   // of a file, or of what a link leads to; making a directory
  remove,  // also by moving it away
  arrive,  // where something is moved to
};
// "write", "remove", "arrive"
constexpr const char* to_string(Change value) {
  switch (value) {
    case Change::write:
      return "write";
    case Change::remove:
      return "remove";
    case Change::arrive:
      return "arrive";
  }
  return "";
}

// Why this change needs a person's consent; nothing if it does not. Git's own directory is known by
// its name, by what is in it, and by the .git file or link of a worktree or submodule that names
// it. Throws FileError if the path leads out of the boundary, Cancelled once it is stopped.
std::optional<std::string> guarded_reason(const Boundary& boundary, const std::string& path,
                                          Change change, const std::stop_token& stop = {});

}  // namespace acp::workspace
