// Servers for tests: those from npm, and small ones in Python that keep to no rules.
#pragma once

#include <string>
#include <vector>

#include "acp/io/process/process.h"
#include "acp/schema/v1.h"

namespace acp::mcp::testing {

v1::McpServer stdio_server(std::vector<std::string> command);
v1::McpServer http_server(const std::string& url, std::vector<v1::HttpHeader> headers = {});
v1::McpServer sse_server(const std::string& url, std::vector<v1::HttpHeader> headers = {});

// A port that nobody listens at.
int free_port();

// A program that serves HTTP, until this goes.
class HttpProgram {
 public:
  // Started with PORT in its environment; it is there once somebody answers at that port.
  explicit HttpProgram(std::vector<std::string> command, int port = free_port());
  int port() const { return port_; }
  std::string url(const std::string& path) const;
  // SIGKILL, and returns when it has gone.
  void kill() { process_ = io::Process(); }

 private:
  int port_;
  io::Process process_;
};

// The programs of npm, and the one in acp/mcp/testing/hostile_server.py.
std::vector<std::string> everything(const std::string& transport);
std::vector<std::string> filesystem(const std::string& directory);
std::vector<std::string> hostile(const std::string& behaviour);

}  // namespace acp::mcp::testing
