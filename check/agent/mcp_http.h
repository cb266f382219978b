// The MCP server of mcp_server.h over HTTP, on loopback, for agents to connect to.
#pragma once

#include <memory>
#include <string>

namespace acp::check {

// May be used by several threads.
class McpHttpServer {
 public:
  enum class Transport { http, sse };
  // The header, with its value, that configured requests must carry.
  static constexpr const char *header = "X-Acp-Check", *header_value = "passed on";

  // Listens. Throws std::system_error.
  McpHttpServer();
  ~McpHttpServer();
  McpHttpServer(const McpHttpServer&) = delete;
  McpHttpServer& operator=(const McpHttpServer&) = delete;

  std::string url(Transport transport) const;
  // Whether such a message has come; with_header(): whether all of that transport's requests had
  // the header.
  bool seen(Transport transport, const std::string& method) const;
  bool with_header(Transport transport) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acp::check
