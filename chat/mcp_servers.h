// The MCP servers of a session: those of the user's settings, or those that the command line names.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/client.h"
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
// "stdio mcp-server-x --flag", "http https://…". A line for people, without variables and headers.
std::string describe(const v1::McpServer& server);

// Why a server is not passed to the agent: its program is missing, or the agent does not take its
// kind. Nothing if it is passed.
std::optional<std::string> not_taken(const v1::McpServer& server, const AgentHandle& agent);
// The same of an agent that takes its kind, or does not.
std::optional<std::string> not_taken(const v1::McpServer& server, bool takes_kind);
// The servers that the agent takes.
std::vector<v1::McpServer> taken(const std::vector<v1::McpServer>& servers,
                                 const AgentHandle& agent);

}  // namespace acp::chat
