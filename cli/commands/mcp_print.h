// Prints lists and results of MCP servers for people.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "acp/mcp/server.h"
#include "acp/schema/v1.h"

namespace acp::cli {

// The first line of a text.
std::string first_line(std::string_view text);

void print_info(std::ostream& out, const mcp::InitializeResult& info);
// Prints text as it is, and a description of other content.
void print(std::ostream& out, const v1::ContentBlock& content);
void print(std::ostream& out, const mcp::ResourceContents& contents, bool is_terminal);

}  // namespace acp::cli
