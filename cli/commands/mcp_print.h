// What MCP servers list and answer, for people to read.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "acp/mcp/server.h"
#include "acp/schema/v1.h"

namespace acp::cli {

// Its first line.
std::string first_line(std::string_view text);

void print_info(std::ostream& out, const mcp::InitializeResult& info);
// Text as it is; of anything else, what it is.
void print(std::ostream& out, const v1::ContentBlock& content);
void print(std::ostream& out, const mcp::ResourceContents& contents, bool is_terminal);

}  // namespace acp::cli
