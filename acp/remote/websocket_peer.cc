// A client over WebSocket.
#include <unordered_map>
#include <utility>

#include "acp/json/json.h"
#include "acp/remote/http_peer.h"
#include "acp/remote/websocket_pipe.h"

namespace acp::remote {

namespace {

namespace websocket = beast::websocket;

std::string error_message(std::string_view id, int code, std::string_view message) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"error":{"code":)" +
         std::to_string(code) + R"(,"message":)" + Json(message).text() + "}}";
}

class WebSocketPeer final : public SocketPeer, public std::enable_shared_from_this<WebSocketPeer> {
 public:
  WebSocketPeer(Service& service, Socket socket, std::string principal, Access access)
      : service_(service),
        id_(Service::new_id()),
        principal_(std::move(principal)),
        access_(std::move(access)),
        began_(std::chrono::steady_clock::now()) {
    const ServerOptions& options = service.options();
    pipe_ = std::make_shared<WebSocketPipe>(
        std::move(socket),
        WebSocketPipe::Options{options.limits.max_message_bytes, options.limits.max_stall,
                               options.limits.max_stall, options.limits.vanish_time,
                               options.compress_from_bytes});
    service_.add(*this);
  }
  ~WebSocketPeer() override { service_.remove(*this); }

  void accept(HttpRequest request) {
    access_.connection_id = id_.substr(0, 8);
    pipe_->stream().set_option(websocket::stream_base::decorator(
        [id = id_](websocket::response_type& response) { response.set("Acp-Connection-Id", id); }));
    const auto kept = std::make_shared<HttpRequest>(std::move(request));
    client_ = (*kept)[client_header];
    pipe_->stream().async_accept(*kept, [self = shared_from_this(), kept](ErrorCode error) {
      if (error) return self->log(400, error.message());
      self->start();
    });
  }

  void shut(const std::string& reason) override {
    fail_waiting(reason);
    pipe_->close(1001, reason);
  }
  bool is_of(const std::string& principal, const std::string& client) const override {
    return has_agent_ && principal_ == principal && client_ == client;
  }
  bool busy() const override { return !waiting_.empty() || !pipe_->all_sent(); }

 private:
  void start() {
    WebSocketPipe::Hooks hooks;
    const auto self = shared_from_this();
    hooks.on_received = [self](std::string& text) {
      return self->has_agent_ ? self->pass(text) : self->first(text);
    };
    hooks.on_sending = [self](std::string_view text) { self->look_at(text); };
    hooks.on_all_sent = [self] { self->check_drained(); };
    hooks.on_end = [self](int code, const std::string& reason) { self->ended(code, reason); };
    hooks.on_local_end = [self](const std::string& why) { self->agent_ended(why); };
    pipe_->start(std::move(hooks));
  }

  // Before there is an agent.
  bool first(const std::string& text) {
    message_.read(text);
    using Kind = Message::Kind;
    switch (message_.kind) {
      case Kind::not_json:
        pipe_->reply(error_message("null", -32700, "Parse error"));
        return false;
      case Kind::batch:
        pipe_->reply(
            error_message("null", -32600, "Invalid request: JSON-RPC batches are not supported"));
        return false;
      case Kind::not_a_message:
        pipe_->reply(error_message("null", -32600, "Invalid request"));
        return false;
      case Kind::answer:
        return false;
      default:
        break;
    }
    if (message_.method != "initialize") {
      pipe_->close(1002, "First message must be initialize");
    } else if (message_.id.empty() || message_.id == "null") {
      pipe_->close(1002, "Initialize request must include an ID");
    } else {
      service_.end_before(principal_, client_);
      if (!service_.takes_clients()) {
        pipe_->close(1013, "No more connections now");
        return false;
      }
      if (id_is_longer(message_.id, service_.options().limits.max_id_length)) {
        pipe_->close(1008, "An id is too long");
        return false;
      }
      auto agent = service_.new_agent(id_, principal_, access_.address);
      if (!agent) {
        pipe_->close(1013, "The agent cannot be started now");
        return false;
      }
      has_agent_ = true;
      initialize_ = message_.id;
      waiting_.emplace(id_key(message_.id), message_.id);
      pipe_->attach(std::move(agent));
      return true;
    }
    return false;
  }

  bool pass(const std::string& text) {
    message_.read(text);
    if (message_.kind == Message::Kind::notification) return message_.method != "initialize";
    if (message_.kind != Message::Kind::request) return true;
    const ServerLimits& limits = service_.options().limits;
    if (id_is_longer(message_.id, limits.max_id_length)) {
      pipe_->close(1008, "An id is too long");
      return false;
    }
    if (waiting_.size() >= limits.max_pending) {
      pipe_->reply(error_message(
          message_.id, -32603,
          "More than " + std::to_string(limits.max_pending) + " requests wait for an answer"));
      return false;
    }
    if (message_.method == "initialize") {
      pipe_->reply(
          error_message(message_.id, -32600, "Initialize not allowed on existing connection"));
      return false;
    }
    waiting_.emplace(id_key(message_.id), message_.id);
    return true;
  }

  // For answers: so it is known who waits.
  void look_at(std::string_view text) {
    if (waiting_.empty() || text.starts_with(R"({"jsonrpc":"2.0","method":)")) return;
    message_.read(text);
    if (message_.kind != Message::Kind::answer) return;
    const std::string key = id_key(message_.id);
    waiting_.erase(key);
    if (!initialize_.empty() && key == id_key(initialize_)) initialize_.clear();
    check_drained();
  }

  // Not now: the last answer is about to be written.
  void check_drained() {
    if (!waiting_.empty() || !service_.draining()) return;
    asio::post(service_.io(), [self = shared_from_this()] { self->service_.check_drained(); });
  }

  void agent_ended(const std::string& why) {
    if (!initialize_.empty()) {
      pipe_->write(error_message(initialize_, -32603, "Initialize failed"));
      return pipe_->close(1011, "Initialize failed");
    }
    const std::string reason = why.empty() ? "the agent has ended" : "the agent was ended: " + why;
    fail_waiting(reason);
    pipe_->close(1011, reason);
  }

  void fail_waiting(const std::string& reason) {
    for (const auto& [key, id] : std::exchange(waiting_, {}))
      pipe_->write(closed_answer(id, reason));
  }

  void ended(int code, const std::string& reason) {
    if (std::exchange(has_agent_, false)) service_.agent_ended();
    waiting_.clear();
    log(101, std::to_string(code) + (reason.empty() ? "" : " " + reason));
    service_.check_drained();
  }

  void log(int status, const std::string& reason) {
    access_.status = status;
    access_.reason = reason;
    access_.bytes_in = pipe_->bytes_received();
    access_.bytes_out = pipe_->bytes_sent();
    access_.time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_);
    service_.access(access_);
  }

  Service& service_;
  const std::string id_, principal_;
  std::string client_;  // its name for itself
  Access access_;
  const std::chrono::steady_clock::time_point began_;
  std::shared_ptr<WebSocketPipe> pipe_;
  Message message_;
  std::string initialize_;  // the id of that request, until it is answered
  // Requests without an answer: their ids by the keys of these.
  std::unordered_map<std::string, std::string> waiting_;
  bool has_agent_ = false;
};

}  // namespace

void serve_websocket(Service& service, Socket socket, HttpRequest request, std::string principal,
                     Access access) {
  std::make_shared<WebSocketPeer>(service, std::move(socket), std::move(principal),
                                  std::move(access))
      ->accept(std::move(request));
}

}  // namespace acp::remote
