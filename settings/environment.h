// All variables of this process.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace acp::settings {

// Names and values. Nobody may change the environment meanwhile.
std::vector<std::pair<std::string, std::string>> all_variables();

}  // namespace acp::settings
