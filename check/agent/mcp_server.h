// A small MCP server on stdio, for agents to connect to: it records what it receives.
#pragma once

#include <iosfwd>
#include <string>

#include "acp/json/json.h"

namespace acp::check {

// The server's answer; absent if the message needs none.
Json answer_mcp(JsonView message);

// Serves until `in` ends. The file `record` gets a line for each method, and one for
// ACP_CHECK_TOKEN. It has one tool, acp_check_echo.
int serve_mcp(std::istream& in, std::ostream& out, const std::string& record);

}  // namespace acp::check
