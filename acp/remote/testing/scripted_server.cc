#include "acp/remote/testing/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cctype>
#include <utility>

namespace acp::remote::testing {

std::string RawRequest::header(const std::string& name) const {
  const std::string mark = "\r\n" + name + ": ";
  const std::size_t at = head.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t from = at + mark.size();
  return head.substr(from, head.find("\r\n", from) - from);
}

std::string RawRequest::rpc_method() const {
  return body.view()["method"].as_string().value_or("");
}

std::optional<RawRequest> read_request(RawSocket& socket) {
  RawRequest request;
  request.head = socket.read_until("\r\n\r\n");
  if (!request.head.ends_with("\r\n\r\n")) return std::nullopt;
  request.method = request.head.substr(0, request.head.find(' '));
  for (char& c : request.head) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string length = request.header("content-length");
  if (!length.empty())
    if (auto body = Json::parse(socket.read_bytes(std::stoul(length))))
      request.body = std::move(*body);
  return request;
}

// ---- ScriptedServer

ScriptedServer::ScriptedServer(Serve serve)
    : serve_(std::move(serve)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (bind(listener_.get(), any, size) != 0 || listen(listener_.get(), 100) != 0 ||
      getsockname(listener_.get(), any, &size) != 0)
    throw std::runtime_error("cannot listen");
  port_ = ntohs(address.sin_port);
  accepts_ = std::thread([this] { accept_all(); });
}

void ScriptedServer::accept_all() {
  while (true) {
    io::Descriptor accepted(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted) return;
    const auto socket = std::make_shared<RawSocket>(std::move(accepted));
    std::lock_guard lock(mutex_);
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket] {
      serve_(*socket);
      shutdown(socket->native(), SHUT_RDWR);
    });
  }
}

void ScriptedServer::vanish() {
  std::lock_guard lock(mutex_);
  for (const auto& socket : sockets_) socket->vanish();
}

ScriptedServer::~ScriptedServer() {
  shutdown(listener_.get(), SHUT_RDWR);
  accepts_.join();
  for (const auto& socket : sockets_) shutdown(socket->native(), SHUT_RDWR);
  for (std::thread& thread : threads_) thread.join();
}

// ---- PlayedServer

PlayedServer::~PlayedServer() {
  std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::string PlayedServer::answer(const RawRequest& request, const std::string& result) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(request.body.view()["id"].text()) +
         R"(,"result":)" + result + "}";
}

std::string PlayedServer::response(int status, const std::string& headers,
                                   const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void PlayedServer::say(const std::string& stream, const std::string& event) {
  write(stream, "data: " + event + "\n\n");
}

void PlayedServer::say_last(const std::string& stream, const std::string& event) {
  write(stream, "data: " + event + "\n\n", true);
}

void PlayedServer::write(const std::string& stream, const std::string& bytes) {
  write(stream, bytes, false);
}

void PlayedServer::end_stream(const std::string& stream) { write(stream, "", true); }

void PlayedServer::write(const std::string& stream, const std::string& bytes, bool then_ends) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || streams_.contains(stream); });
  if (ended_) return;
  streams_[stream]->send(bytes);
  if (!then_ends) return;
  shutdown(streams_[stream]->native(), SHUT_RDWR);
  streams_.erase(stream);
}

void PlayedServer::keep_stream(const std::string& session, RawSocket& socket) {
  {
    std::lock_guard lock(mutex_);
    socket.send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n:\n\n");
    streams_[session] = &socket;
    changed_.notify_all();
  }
  socket.read_to_end();
  std::lock_guard lock(mutex_);
  if (const auto found = streams_.find(session);
      found != streams_.end() && found->second == &socket)
    streams_.erase(found);
}

void PlayedServer::serve(RawSocket& socket) {
  while (const auto request = read_request(socket)) {
    if (hook_(*this, *request, socket)) return;
    if (request->method == "GET") return keep_stream(request->session(), socket);
    const std::string method = request->rpc_method();
    if (method == "initialize") {
      socket.send(response(
          200, "Content-Type: application/json\r\nAcp-Connection-Id: c\r\n",
          answer(*request, R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true}})")));
      continue;
    }
    socket.send(response(202));
    if (request->method == "DELETE") continue;
    if (method == "session/new") say("", answer(*request, R"({"sessionId":"s"})"));
    if (method == "session/load") say("", answer(*request, "{}"));
    if (method == "session/prompt") say("s", answer(*request, R"({"stopReason":"end_turn"})"));
    if (method == "_libacp/sync") {
      const std::string id(request->body.view()["id"].text());
      say(request->session(),
          R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32601,"message":"no"}})");
    }
  }
}

}  // namespace acp::remote::testing
