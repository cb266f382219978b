// Where this program is, to start it again.
#pragma once

#include <string>

namespace acp::check {

// Empty if the system does not tell.
std::string self_path();

}  // namespace acp::check
