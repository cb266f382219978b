#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <stdexcept>

#include "coder/model/testing/http_server.h"

namespace acp::coder::testing {

namespace {

// Bound to a port of the system's choice.
int bound_socket(int& port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (made < 0 || ::bind(made, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(made, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error(std::strerror(errno));
  port = ntohs(address.sin_port);
  return made;
}

}  // namespace

std::string HttpServer::Request::header(const std::string& name) const {
  const std::size_t at = head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t start = at + name.size() + 4;
  return head.substr(start, head.find('\r', start) - start);
}

std::optional<HttpServer::Request> HttpServer::Connection::read() {
  const auto more = [&] {
    char buffer[64 * 1024];
    const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
    if (size > 0) rest_.append(buffer, static_cast<std::size_t>(size));
    return size > 0;
  };
  std::size_t end;
  while ((end = rest_.find("\r\n\r\n")) == std::string::npos)
    if (!more()) return {};
  Request request{rest_.substr(0, end + 2), {}};
  // The names only: values are as they came.
  bool name = false;
  for (char& c : request.head) {
    if (c == '\n') name = true;
    if (c == ':') name = false;
    if (name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const std::string length = request.header("content-length");
  const std::size_t whole = end + 4 + (length.empty() ? 0 : std::stoul(length));
  while (rest_.size() < whole)
    if (!more()) return {};
  request.body = rest_.substr(end + 4, whole - end - 4);
  rest_.erase(0, whole);
  return request;
}

void HttpServer::Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

void HttpServer::Connection::wait_for_close() {
  char buffer[1024];
  while (::recv(socket_, buffer, sizeof buffer, 0) > 0) {
  }
}

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = bound_socket(port_);
  if (::listen(listener_, 64) != 0) throw std::runtime_error(std::strerror(errno));
  accepts_ = std::thread([this] { accept_all(); });
}

void HttpServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const std::lock_guard lock(mutex_);
    Open& open = open_.emplace_back();
    open.socket = socket;
    open.thread = std::thread([this, socket] {
      Connection connection(socket);
      handler_(connection);
      ::shutdown(socket, SHUT_RDWR);
    });
  }
}

HttpServer::~HttpServer() {
  ::shutdown(listener_, SHUT_RDWR);
  accepts_.join();
  ::close(listener_);
  for (Open& open : open_) ::shutdown(open.socket, SHUT_RDWR);
  for (Open& open : open_) {
    open.thread.join();
    ::close(open.socket);
  }
}

std::string HttpServer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

int HttpServer::connections() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(open_.size());
}

std::string response(const std::string& status, const std::string& body, const std::string& type,
                     const std::string& more) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + more + "\r\n" + body;
}

std::string stream_head() {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
         "Connection: close\r\n\r\n";
}

std::string chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + std::string(bytes) + "\r\n";
}

std::string events(const std::list<std::string>& data) {
  std::string text;
  for (const std::string& one : data) text += "data: " + one + "\n\n";
  return text;
}

int unused_port() {
  int port = 0;
  ::close(bound_socket(port));
  return port;
}

}  // namespace acp::coder::testing
