// Converts MCP content into ACP's: the result of a tool or a prompt can be sent in a session.
#pragma once

#include "acp/json/json.h"
#include "acp/schema/v1.h"

namespace acp::mcp {

// Annotations and `_meta` are kept. Members that ACP lacks (a link's icons, unknown annotations)
// are kept in `_meta.mcp` unchanged: {"icons": […]}. An invalid block becomes an Unknown with its
// whole content.
v1::ContentBlock to_acp(JsonView block);

}  // namespace acp::mcp
