// String formats of JSON Schema.
#pragma once

#include <string_view>

namespace acp::json {

// What the text should have been, if it does not have the format; null if it has, or if we do not
// check it.
const char* format_mismatch(std::string_view format, std::string_view text);

}  // namespace acp::json
