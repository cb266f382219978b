// What was probably meant by a name that is not known.
#pragma once

#include <string>
#include <vector>

namespace acp::settings {

// The one of `known` that `written` was probably meant to be; empty if there is none.
std::string closest(const std::string& written, const std::vector<std::string>& known);
// "; did you mean X?", or nothing.
std::string did_you_mean(const std::string& written, const std::vector<std::string>& known);

}  // namespace acp::settings
