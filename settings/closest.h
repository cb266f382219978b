// Guesses what was meant by an unknown name.
#pragma once

#include <string>
#include <vector>

namespace acp::settings {

// The element of `known` that `written` was probably meant to be; empty if there is none.
std::string closest(const std::string& written, const std::vector<std::string>& known);
// "; did you mean X?", or nothing.
std::string did_you_mean(const std::string& written, const std::vector<std::string>& known);

}  // namespace acp::settings
