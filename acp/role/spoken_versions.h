// Which versions of the protocol a program speaks.
#pragma once

#include <vector>

namespace acp::detail {

// {1}; with ACP_V2=1 in the environment {1, 2}.
std::vector<int> versions_of_environment();
// In order. Throws std::invalid_argument unless they are some of 1 and 2.
std::vector<int> checked_versions(std::vector<int> versions);

}  // namespace acp::detail
