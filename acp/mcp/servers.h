// All MCP servers of a session. If one does not start, or dies, only its tools are missing: the
// others go on, and the event is reported once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acp/mcp/client.h"

namespace acp::mcp {

// What happens to a server.
struct ServersEvent {
  // What has happened to the server.
  enum class Kind {
    ready,          // connected, its tools are there
    failed,         // it could not be connected to
    lost,           // it was connected, and is no more: its tools are gone
    tools_changed,  // it offers others now
  };
  Kind kind;
  std::string server;
  std::string reason = {};   // of failed and lost: exit code, last words, HTTP status
  bool tries_again = false;  // of failed and lost: a process is not started twice
};
// "ready", "failed", "lost", "tools_changed"
constexpr const char* to_string(ServersEvent::Kind value) {
  switch (value) {
    case ServersEvent::Kind::ready:
      return "ready";
    case ServersEvent::Kind::failed:
      return "failed";
    case ServersEvent::Kind::lost:
      return "lost";
    case ServersEvent::Kind::tools_changed:
      return "tools_changed";
  }
  return "";
}

// How servers are started and kept.
struct ServersOptions {
  // Time for each to answer `initialize`, and again to list its tools; all start at the same time.
  std::chrono::milliseconds start_time{30'000};
  // The pause before the first new attempt, which doubles each time up to the longest.
  std::chrono::milliseconds first_pause{1'000}, longest_pause{60'000};
  // Servers that are not ready after this long are reported once, while the constructor waits on.
  std::chrono::milliseconds slow_time{2'000};
  std::function<void(const std::vector<std::string>& names)> on_slow = nullptr;
  // Called one at a time, on threads of the servers; the first before the constructor returns. It
  // must not destroy the servers.
  std::function<void(const ServersEvent&)> on_event = nullptr;
};

// All MCP servers of a session.
class Servers {
 public:
  // A tool, and its server.
  struct OfferedTool {
    std::string server;
    Tool tool;
  };
  // A server that cannot be used, and why.
  struct Failure {
    std::string server;
    std::string reason;
  };

  // Returns when each server is ready or has failed.
  Servers(const Client& client, std::vector<v1::McpServer> configs, ServersOptions options = {});
  Servers(Servers&&) noexcept;
  Servers& operator=(Servers&&) noexcept;
  // Closes all of them at the same time.
  ~Servers();

  // The tools of connected servers.
  std::vector<OfferedTool> tools() const;
  // The servers that are not connected, and why.
  std::vector<Failure> failures() const;
  // Finds a server by the name in its configuration; nothing if it is not connected.
  std::optional<Server> find(const std::string& name) const;
  // Calls a tool. Throws what Server::call_tool() does; Refused, with the reason, if there is no
  // such server.
  CallToolResult call_tool(const std::string& server, std::string tool, Json arguments,
                           CallOptions options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acp::mcp
