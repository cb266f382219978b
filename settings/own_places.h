// The places of acp's own files: configuration, rules, keys, sessions. No agent has access.
#pragma once

#include <string>
#include <vector>

namespace acp::settings {

// The directories `acp` of $XDG_CONFIG_HOME, $XDG_DATA_HOME and $XDG_STATE_HOME, those in the home
// directory, these files with what is kept beside each of them, and those that the variable
// ACP_FORBIDDEN names, one a line: who starts us may have files of its own. Empty names are left
// out.
std::vector<std::string> own_places(const std::vector<std::string>& files = {});

}  // namespace acp::settings
