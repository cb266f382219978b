// MCP servers in both versions.
//
// Where the versions differ: version 2 has no servers over SSE, and its stdio servers have a type.
// A stdio server that names its type in version 1 is one, as peers take it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// Nothing for a server that version 2 cannot express: one over SSE.
std::optional<v2::McpServer> to_v2(v1::McpServer server);
// The first of these, for a message that names it; null if there is none.
const v1::McpServer* inexpressible(const std::vector<v1::McpServer>& servers);
// Without them.
std::vector<v2::McpServer> to_v2(std::vector<v1::McpServer> servers);

// A server of an unknown type stays one.
v1::McpServer to_v1(v2::McpServer server);
std::vector<v1::McpServer> to_v1(std::vector<v2::McpServer> servers);

}  // namespace acp::detail::versions
