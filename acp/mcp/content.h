// MCP content as ACP has it: what a tool or a prompt gives can go into a session as it is.
#pragma once

#include "acp/json/json.h"
#include "acp/schema/v1.h"

namespace acp::mcp {

// Annotations and `_meta` are kept. What ACP has no place for (a link's icons, annotations of a
// kind it does not know) stands in `_meta.mcp` as it came: {"icons": […]}. A block that does not
// fit is an Unknown, with all that it holds.
v1::ContentBlock to_acp(JsonView block);

}  // namespace acp::mcp
