#include "acp/mcp/testing/test_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

namespace acp::mcp::testing {

namespace {

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool answers(int port) {
  const io::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = local(port);
  return connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

const std::string packages = "node_modules/@modelcontextprotocol/";

}  // namespace

v1::McpServer stdio_server(std::vector<std::string> command) {
  v1::McpServerStdio config;
  config.name = "test";
  config.command = command.front();
  config.args.assign(command.begin() + 1, command.end());
  return config;
}

v1::McpServer http_server(const std::string& url, std::vector<v1::HttpHeader> headers) {
  v1::McpServerHttp config;
  config.name = "test";
  config.url = url;
  config.headers = std::move(headers);
  return config;
}

v1::McpServer sse_server(const std::string& url, std::vector<v1::HttpHeader> headers) {
  v1::McpServerSse config;
  config.name = "test";
  config.url = url;
  config.headers = std::move(headers);
  return config;
}

int free_port() {
  const io::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = local(0);
  socklen_t size = sizeof address;
  if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

HttpProgram::HttpProgram(std::vector<std::string> command, int port) : port_(port) {
  io::ProcessOptions options;
  // What it writes goes nowhere: nobody would read it from a pipe.
  options.argv = {"sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"};
  options.argv.insert(options.argv.end(), command.begin(), command.end());
  options.environment = {{"PORT", std::to_string(port_)}};
  auto started = io::Process::start(options);
  if (!started) throw std::runtime_error(started.error().message());
  process_ = std::move(*started);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!answers(port_)) {
    if (process_.poll_exit() || std::chrono::steady_clock::now() > patience)
      throw std::runtime_error("the server did not start");
    poll(nullptr, 0, 10);
  }
}

std::string HttpProgram::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::vector<std::string> everything(const std::string& transport) {
  return {"node", packages + "server-everything/dist/index.js", transport};
}
std::vector<std::string> filesystem(const std::string& directory) {
  return {"node", packages + "server-filesystem/dist/index.js", directory};
}
std::vector<std::string> hostile(const std::string& behaviour) {
  return {"python3", "acp/mcp/testing/hostile_server.py", behaviour};
}

}  // namespace acp::mcp::testing
