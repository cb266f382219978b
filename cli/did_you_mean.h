// Names of the protocol, and the one that was probably meant.
#pragma once

#include <string>
#include <vector>

namespace acp::cli {

// The methods of all versions, each once; also those of drafts that agents still accept.
std::vector<std::string> method_names();

// "; did you mean NAME?": the one of `known` that `written` was probably meant to be, upper and
// lower case aside. Empty if there is none.
std::string did_you_mean(const std::string& written, const std::vector<std::string>& known);

}  // namespace acp::cli
