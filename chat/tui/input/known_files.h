// The files of a project, for `@`: those that git lists, or that a search finds.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "acp/io/process/process.h"

namespace acp::chat {

// Paths below `cwd`, relative to it, sorted: files, and directories with a slash at the end. What
// git ignores is left out. Without git, files that are not hidden, up to some thousands. Blocks.
// git runs in our environment with these edits.
std::vector<std::string> known_files(const std::string& cwd,
                                     std::vector<io::EnvironmentEdit> environment = {},
                                     std::stop_token stop = {});

}  // namespace acp::chat
