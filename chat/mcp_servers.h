// The MCP servers that a session's agent is given: those of the user's settings, or those that the
// command line names.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "settings/settings.h"

namespace acp::chat {

class NoSuchServer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `words` are the command line's: the name of one that is set, "NAME=URL", "NAME=COMMAND WORDS", or
// "none" alone; if there are any, only those count. Throws NoSuchServer, and
// SettingsError where ${NAME} is no variable.
std::vector<v1::McpServer> chosen_servers(const settings::Settings& settings,
                                          const std::vector<std::string>& words);

std::string name_of(const v1::McpServer& server);
// "stdio  mcp-server-x --flag", "http  https://…". Neither variables nor headers.
std::string describe(const v1::McpServer& server);

// Why it is not passed on: its program is not there, or the agent does not take it. Nothing if it
// is.
std::optional<std::string> not_taken(const v1::McpServer& server, const v1::McpCapabilities& can);
// Those that the agent takes.
std::vector<v1::McpServer> taken(const std::vector<v1::McpServer>& servers,
                                 const v1::McpCapabilities& can);

}  // namespace acp::chat
