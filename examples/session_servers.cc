#include "session_servers.h"

#include <chrono>
#include <utility>

void SessionServers::open(const std::string& session, std::vector<acp::v1::McpServer> configs) {
  ServersPtr servers;
  if (!configs.empty()) {
    const acp::mcp::Client client("example", "1.0");
    acp::mcp::ServersOptions options;
    options.start_time = std::chrono::seconds(10);
    servers = std::make_shared<acp::mcp::Servers>(client, std::move(configs), options);
  }
  // What stood here before is left without the lock.
  const std::lock_guard lock(mutex_);
  std::swap(servers_[session], servers);
}

void SessionServers::close(const std::string& session) {
  ServersPtr servers;
  const std::lock_guard lock(mutex_);
  if (const auto found = servers_.find(session); found != servers_.end()) {
    servers = std::move(found->second);
    servers_.erase(found);
  }
}

std::string SessionServers::describe(const std::string& session) const {
  ServersPtr servers;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = servers_.find(session); found != servers_.end()) servers = found->second;
  }
  std::string text;
  if (servers == nullptr) return text;
  for (const auto& [server, tool] : servers->tools()) text += server + ": " + tool.name + "\n";
  for (const auto& [server, reason] : servers->failures())
    text += server + ": not connected: " + reason + "\n";
  return text;
}
