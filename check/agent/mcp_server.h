// A small MCP server on stdio, for agents to connect to: it writes down what it sees.
#pragma once

#include <iosfwd>
#include <string>

#include "acp/json/json.h"

namespace acp::check {

// What the server answers; absent if nothing, because nothing was asked.
Json answer_mcp(JsonView message);

// Until `in` ends. `record` gets a line for each method, and one for ACP_CHECK_TOKEN. It has one
// tool, acp_check_echo.
int serve_mcp(std::istream& in, std::ostream& out, const std::string& record);

}  // namespace acp::check
