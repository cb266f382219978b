// The origin of a web address: scheme, host and port.
#pragma once

#include <string>
#include <string_view>

namespace acp::workspace {

// "https://example.org:443"; empty if it is no http or https address, or one that programs read in
// different ways (backslashes, blanks and control characters, a host with escapes).
std::string web_origin(std::string_view url);

}  // namespace acp::workspace
