// Connects to the MCP servers that an agent's sessions name, as every agent has to.
//
//   acp::mcp::SessionServers servers("my-agent", "1.0");
//   servers.install(agent);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "acp/schema/v1_names.h"

namespace acp {
class Agent;
class SessionContext;
}  // namespace acp

namespace acp::mcp {

class Servers;

// A handle: copies have the same servers. May be used by several threads.
class SessionServers {
 public:
  // The agent's name and version, for the servers.
  SessionServers(std::string name, std::string version);

  // Called with a server that could not be connected to, was lost, or has kept a session waiting
  // for two seconds, and why; on threads of the servers, or the one that opens the session. Before
  // the first session.
  SessionServers& on_trouble(
      std::function<void(const std::string& server, const std::string& reason)> hook);

  // Installs the agent's handlers that open and close sessions, and advertises the transports. An
  // agent with such handlers of its own calls open() and close() in them.
  SessionServers& install(Agent& agent);

  // Connects, and returns when each server is ready, has failed, or took longer than ten seconds.
  // They run in the session's directory. Servers of an earlier opening are closed.
  void open(const SessionContext& session, std::vector<v1::McpServer> configs);
  void close(const std::string& session);

  // The session's servers; null if it named none or is closed.
  std::shared_ptr<const Servers> find(const std::string& session) const;
  // A line for each tool, and for each server that is not connected.
  std::string describe(const std::string& session) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace acp::mcp
