#pragma once

#include <string_view>
#include <vector>

#include "acp/schema/v1.h"

namespace acp::detail {

// Whether the protocol takes the path as absolute; also paths with drive letters.
bool is_absolute(std::string_view path);

// Throw Refused, naming the field, for a path that is not absolute and for a line before the first.
void require_absolute(std::string_view field, std::string_view path);
void require_absolute(const std::vector<v1::ToolCallContent>& content);
void require_absolute(const std::vector<v1::ToolCallLocation>& locations);

}  // namespace acp::detail
