#pragma once

#include <string_view>

namespace acp::detail {

// As the protocol wants paths; also those of a machine with drive letters.
bool is_absolute(std::string_view path);

}  // namespace acp::detail
