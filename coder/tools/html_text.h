// Converts HTML to text.
#pragma once

#include <string>
#include <string_view>

namespace acp::coder {

// Removes tags, and scripts and styles with their content; puts blocks on lines of their own;
// decodes the usual entities. Never fails.
std::string html_text(std::string_view html);

}  // namespace acp::coder
