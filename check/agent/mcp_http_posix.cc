#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "acp/io/descriptor.h"
#include "acp/json/json.h"
#include "check/agent/mcp_http.h"
#include "check/agent/mcp_server.h"

namespace acp::check {

namespace {

constexpr std::size_t most_bytes = 1024 * 1024;
constexpr std::string_view http_path = "/mcp", stream_path = "/sse", message_path = "/message";

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return text;
}

struct Request {
  std::string method, path, body;
  std::vector<std::pair<std::string, std::string>> headers;  // their names in small letters

  std::string value(const std::string& name) const {
    for (const auto& [one, value] : headers)
      if (one == lower(name)) return value;
    return {};
  }
};

bool read_more(int socket, std::string& into) {
  char buffer[4096];
  const ssize_t size = recv(socket, buffer, sizeof buffer, 0);
  if (size <= 0 || into.size() > most_bytes) return false;
  into.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::optional<Request> read_request(int socket) {
  std::string text;
  std::size_t head;
  while ((head = text.find("\r\n\r\n")) == std::string::npos)
    if (!read_more(socket, text)) return {};
  Request request;
  const std::size_t space = text.find(' ');
  request.method = text.substr(0, space);
  request.path = text.substr(space + 1, text.find(' ', space + 1) - space - 1);
  for (std::size_t at = text.find("\r\n"); at < head;) {
    const std::size_t end = text.find("\r\n", at + 2);
    const std::string line = text.substr(at + 2, end - at - 2);
    const std::size_t colon = line.find(':');
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    if (colon != std::string::npos)
      request.headers.emplace_back(lower(line.substr(0, colon)),
                                   value == std::string::npos ? "" : line.substr(value));
    at = end;
  }
  std::size_t length = 0;
  for (const char c : request.value("Content-Length"))
    if (c >= '0' && c <= '9' && length < most_bytes)
      length = length * 10 + static_cast<std::size_t>(c - '0');
  while (text.size() - head - 4 < length)
    if (!read_more(socket, text)) return {};
  request.body = text.substr(head + 4, length);
  return request;
}

void write_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

void respond(int socket, const std::string& status, const std::string& json = {}) {
  write_all(socket, "HTTP/1.1 " + status +
                        "\r\nConnection: close\r\nContent-Length: " + std::to_string(json.size()) +
                        (json.empty() ? "" : "\r\nContent-Type: application/json") + "\r\n\r\n" +
                        json);
}

}  // namespace

struct McpHttpServer::State {
  State();
  ~State();

  void accept_all();
  void serve(int socket);
  // Keeps the stream open until the other side closes it.
  void stream(int socket);
  void post(int socket, const Request& request);

  io::Descriptor listener;
  int port = 0;
  mutable std::mutex mutex;
  std::set<std::pair<Transport, std::string>> methods;
  std::set<Transport> without_header;
  std::set<int> open;
  int events = -1;  // the socket of the stream
  bool ending = false;
  std::vector<std::thread> serving;
  std::thread accepting;
};

McpHttpServer::State::State() : listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (!listener || bind(listener.get(), plain, size) != 0 || listen(listener.get(), 16) != 0 ||
      getsockname(listener.get(), plain, &size) != 0)
    throw std::system_error(errno, std::generic_category(), "a server on loopback");
  port = ntohs(address.sin_port);
  accepting = std::thread([this] { accept_all(); });
}

McpHttpServer::State::~State() {
  {
    const std::lock_guard lock(mutex);
    ending = true;
    shutdown(listener.get(), SHUT_RDWR);
    for (const int socket : open) shutdown(socket, SHUT_RDWR);
  }
  accepting.join();
  for (std::thread& thread : serving) thread.join();
}

void McpHttpServer::State::accept_all() {
  for (;;) {
    const int socket = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    const std::lock_guard lock(mutex);
    if (socket < 0 || ending) {
      if (socket >= 0) ::close(socket);
      return;
    }
    open.insert(socket);
    serving.emplace_back([this, socket] {
      serve(socket);
      const std::lock_guard end(mutex);
      if (events == socket) events = -1;
      open.erase(socket);
      ::close(socket);
    });
  }
}

void McpHttpServer::State::serve(int socket) {
  const std::optional<Request> request = read_request(socket);
  if (!request) return;
  const bool to_stream = request->path == stream_path || request->path == message_path;
  if (!to_stream && request->path != http_path) return respond(socket, "404 Not Found");
  if (request->value(header) != header_value) {
    const std::lock_guard lock(mutex);
    without_header.insert(to_stream ? Transport::sse : Transport::http);
  }
  if (request->method == "GET" && request->path == stream_path) return stream(socket);
  if (request->method == "POST" && request->path != stream_path) return post(socket, *request);
  respond(socket, "405 Method Not Allowed");
}

void McpHttpServer::State::stream(int socket) {
  {
    const std::lock_guard lock(mutex);
    events = socket;
    write_all(socket,
              "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n"
              "event: endpoint\ndata: " +
                  std::string(message_path) + "\n\n");
  }
  std::string ignored;
  while (read_more(socket, ignored)) ignored.clear();
}

void McpHttpServer::State::post(int socket, const Request& request) {
  const bool to_stream = request.path == message_path;
  const auto message = Json::parse(request.body);
  if (!message) return respond(socket, "400 Bad Request");
  const Json answer = answer_mcp(*message);
  {
    const std::lock_guard lock(mutex);
    const auto method = message->view()["method"].as_string();
    if (method) methods.emplace(to_stream ? Transport::sse : Transport::http, *method);
    if (to_stream && !answer.absent() && events >= 0)
      write_all(events, "event: message\ndata: " + answer.text() + "\n\n");
  }
  if (to_stream || answer.absent()) return respond(socket, "202 Accepted");
  respond(socket, "200 OK", answer.text());
}

McpHttpServer::McpHttpServer() : state_(std::make_unique<State>()) {}
McpHttpServer::~McpHttpServer() = default;

std::string McpHttpServer::url(Transport transport) const {
  return "http://127.0.0.1:" + std::to_string(state_->port) +
         std::string(transport == Transport::sse ? stream_path : http_path);
}

bool McpHttpServer::seen(Transport transport, const std::string& method) const {
  const std::lock_guard lock(state_->mutex);
  return state_->methods.contains({transport, method});
}

bool McpHttpServer::with_header(Transport transport) const {
  const std::lock_guard lock(state_->mutex);
  return !state_->without_header.contains(transport);
}

}  // namespace acp::check
