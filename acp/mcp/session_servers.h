// The MCP servers that the sessions of an agent came with, which every agent has to connect to.
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

// A copy stands for the same servers. For all threads.
class SessionServers {
 public:
  // What servers learn about the agent.
  SessionServers(std::string name, std::string version);

  // Called with a server that could not be connected to, or was lost, and why; on threads of the
  // servers. Before the first session.
  SessionServers& on_trouble(
      std::function<void(const std::string& server, const std::string& reason)> hook);

  // For an agent that opens and closes sessions in no way of its own: installs its handlers for
  // both, and says which transports there are. Any other agent calls open() and close() in its own.
  SessionServers& install(Agent& agent);

  // Connects, and returns when each server is ready, has failed, or took longer than ten seconds.
  // They run in the session's directory. Those of an earlier opening are left.
  void open(const SessionContext& session, std::vector<v1::McpServer> configs);
  void close(const std::string& session);

  // Nothing, if the session brought none or is closed.
  std::shared_ptr<const Servers> find(const std::string& session) const;
  // A line for each tool, and for each server that is not connected.
  std::string describe(const std::string& session) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace acp::mcp
