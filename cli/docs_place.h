// Where the pages of docs/ are: beside the program that is installed, or in the checkout that it
// was built in.
#pragma once

#include <string>

namespace acp::cli {

// The directory of the pages; "docs" if they are in neither place.
std::string docs_directory();
// The text with the whole path for every docs/NAME.md in it.
std::string with_docs(std::string text, const std::string& directory);

}  // namespace acp::cli
