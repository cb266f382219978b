// The MCP servers that the sessions of an agent came with.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mcp/servers.h"

// For all threads.
class SessionServers {
 public:
  // Connects, which may take a while; those of an earlier opening are left.
  void open(const std::string& session, std::vector<acp::v1::McpServer> configs);
  void close(const std::string& session);
  // A line for each tool, and for each server that is not connected. Empty if there is neither.
  std::string describe(const std::string& session) const;

 private:
  using ServersPtr = std::shared_ptr<acp::mcp::Servers>;

  mutable std::mutex mutex_;
  std::map<std::string, ServersPtr> servers_;
};
