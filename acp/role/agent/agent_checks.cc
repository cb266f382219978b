// What a request that opens a session may ask for.
#include "acp/role/agent/agent_role.h"

namespace acp::detail {

bool AgentRole::check_directories(const rpc::RequestId& id, const std::string& cwd,
                                  const std::vector<std::string>& additional) {
  if (!is_absolute(cwd)) {
    refuse(id, invalid_params("params.cwd", "an absolute path", "\"" + cwd + "\""));
    return false;
  }
  if (!additional.empty() && !config_->additional_directories) {
    refuse(id, invalid_params("params.additionalDirectories",
                              "none: sessionCapabilities.additionalDirectories was not advertised",
                              std::to_string(additional.size())));
    return false;
  }
  for (std::size_t i = 0; i < additional.size(); ++i) {
    if (is_absolute(additional[i])) continue;
    refuse(id, invalid_params("params.additionalDirectories[" + std::to_string(i) + "]",
                              "an absolute path", "\"" + additional[i] + "\""));
    return false;
  }
  return true;
}

bool AgentRole::check_system_prompt(const rpc::RequestId& id,
                                    const Nullable<v1::SystemPrompt>& prompt) {
  if (!prompt.has_value()) return true;
  const auto no = [&](std::string_view path, std::string_view expected, std::string_view got) {
    refuse(id, invalid_params("params.systemPrompt" + std::string(path), expected, got));
    return false;
  };
  if (!config_->system_prompt) return no("", "none: it was not advertised", "an object");
  if (prompt->mode == v1::SystemPromptMode::unknown_)
    return no(".mode", "a known mode", prompt->mode.unlisted);
  if (prompt->mode == v1::SystemPromptMode::override && !config_->system_prompt_override)
    return no(".mode", "append", "override");
  for (const ContentBlock& block : prompt->content)
    if (!std::holds_alternative<v1::TextContent>(block))
      return no(".content", "text blocks", "another kind");
  return true;
}

bool AgentRole::check_mcp_servers(const rpc::RequestId& id,
                                  const std::vector<v1::McpServer>& servers) {
  if (!servers.empty() && config_->mcp_servers == McpServers::refused) {
    refuse(id, invalid_params("params.mcpServers", "none: this agent uses no MCP servers",
                              std::to_string(servers.size())));
    return false;
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const v1::McpServer& server = servers[i];
    const std::string place = "params.mcpServers[" + std::to_string(i) + "]";
    // A name without a slash is looked up in PATH: editors send what their users have configured.
    // What depends on a directory is nobody's program in particular.
    const auto* const stdio = std::get_if<v1::McpServerStdio>(&server);
    if (stdio != nullptr && !is_absolute(stdio->command)) {
      if (stdio->command.empty() || stdio->command.find_first_of("/\\") != std::string::npos) {
        refuse(id, invalid_params(place + ".command", "an absolute path",
                                  "\"" + stdio->command + "\""));
        return false;
      }
      log(LogEntry::Level::warning, place + ".command: not an absolute path: " + stdio->command +
                                        "; PATH is searched for it");
    }
    const v1::McpCapabilities& can = config_->mcp_capabilities;
    // Version 2 has a marker for servers on stdio; in version 1 every agent takes them.
    const char* missing = stdio != nullptr && version_2_ && !uses_mcp_servers()            ? "stdio"
                          : std::holds_alternative<v1::McpServerHttp>(server) && !can.http ? "http"
                          : std::holds_alternative<v1::McpServerSse>(server) && !can.sse   ? "sse"
                          : std::holds_alternative<v1::McpServerAcp>(server) && !can.acp   ? "acp"
                          : std::holds_alternative<Unknown>(server) ? "unknown"
                                                                    : nullptr;
    if (missing == nullptr) continue;
    refuse(id, invalid_params(place + ".type",
                              version_2_ ? "a transport that session.mcp advertises"
                                         : "a transport that mcpCapabilities advertise",
                              missing));
    return false;
  }
  return true;
}

}  // namespace acp::detail
