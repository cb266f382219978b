// Requests over HTTP: what 4.2 of the protocol's transports answers to each.
#include "acp/remote/http_peer.h"

#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <utility>

#include "acp/json/json.h"

namespace acp::remote {

namespace {

constexpr auto known_idle_time = std::chrono::seconds(75);   // between two requests
constexpr auto unknown_idle_time = std::chrono::seconds(5);  // of one that was not let in
constexpr auto linger_time = std::chrono::seconds(2);  // for the client to read why it is closed
constexpr std::size_t linger_bytes = 32 * 1024 * 1024;
// Of a body at a time; and so the most that may stand before a chunk, and after the last.
constexpr std::size_t body_piece_bytes = 64 * 1024;

constexpr const char* text_plain = "text/plain; charset=utf-8";
constexpr const char* application_json = "application/json";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

RequestHead head_of(const http::request_header<>& request, const std::string& address) {
  RequestHead head;
  head.method = std::string(request.method_string());
  head.target = std::string(request.target());
  head.address = address;
  for (const auto& field : request) {
    std::string& value = head.headers[lower(view(field.name_string()))];
    // As if it were one: a list.
    if (!value.empty()) value += ", ";
    value += view(field.value());
  }
  return head;
}

std::string media_type(const std::string& value) {
  std::string type = lower(value.substr(0, value.find(';')));
  while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
  type.erase(0, type.find_first_not_of(" \t"));
  return type;
}

class HttpPeer final : public SocketPeer, public std::enable_shared_from_this<HttpPeer> {
 public:
  HttpPeer(Service& service, Socket socket, std::string address)
      : service_(service),
        socket_(std::move(socket)),
        address_(std::move(address)),
        timer_(service.io()),
        buffer_(service.options().limits.max_header_bytes + body_piece_bytes) {
    service_.add(*this);
    service_.add_unknown(address_);
  }
  ~HttpPeer() override {
    became_known();
    body_done();
    service_.remove(*this);
  }

  void start() {
    if (socket_->tls() == nullptr) return read_head();
    limit_time(service_.options().limits.request_time);
    socket_->handshake(asio::ssl::stream_base::server,
                       [self = shared_from_this()](ErrorCode error) {
                         if (!error) self->read_head();
                       });
  }

  void shut(const std::string&) override {
    if (!socket_) return;
    if (!busy_ || reads_body_) return socket_->close();
    closes_ = true;
    limit_time(linger_time);
  }
  bool busy() const override { return busy_; }

 private:
  // ---- reading
  void limit_time(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([weak = weak_from_this()](ErrorCode error) {
      if (const auto self = weak.lock(); self && !error && self->socket_) self->socket_->close();
    });
  }

  void read_head() {
    const ServerLimits& limits = service_.options().limits;
    head_ = {};
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits.max_header_bytes));
    parser_->body_limit(limits.max_body_bytes);
    limit_time(served_ == 0 ? std::chrono::milliseconds(limits.request_time) : idle_time());
    http::async_read_header(*socket_, buffer_, *parser_,
                            [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
                              self->access_.bytes_in = bytes;
                              self->on_head(error);
                            });
  }

  void on_head(ErrorCode error) {
    began_ = std::chrono::steady_clock::now();
    access_.address = address_;
    access_.method = std::string(parser_->get().method_string());
    access_.path = std::string(parser_->get().target()).substr(0, 200);
    access_.path = access_.path.substr(0, access_.path.find('?'));
    if (error) return on_broken(error);
    busy_ = true;
    ++served_;
    head_ = head_of(parser_->get(), address_);
    try {
      route();
    } catch (const std::exception& exception) {
      if (!socket_) throw;  // it belongs to somebody else by now
      service_.log(LogEntry::Level::error,
                   std::string("a request could not be answered: ") + exception.what());
      refuse(500, "Internal Server Error");
    }
  }

  void on_broken(ErrorCode error) {
    if (error == http::error::end_of_stream || error == asio::error::operation_aborted ||
        error == http::error::partial_message ||
        error.category() != http::make_error_code(http::error::bad_method).category())
      return;  // there is nobody to answer
    closes_ = true;
    if (error == http::error::header_limit) return reply(431, "The headers are too large");
    if (error == http::error::body_limit) return reply(413, "The body is too large");
    reply(400, "This is no HTTP request: " + error.message());
  }

  // ---- answering
  void reply(int status, std::string body, const char* type = text_plain,
             std::map<std::string, std::string> headers = {}) {
    limit_time(service_.options().limits.request_time);
    http::response<http::string_body> response(static_cast<http::status>(status),
                                               parser_->get().version());
    // What stands in an unread body is no request.
    if (!parser_->is_done()) closes_ = true;
    // While the server drains, clients still answer their agents here.
    const bool stays = !service_.draining() || !access_.connection_id.empty();
    response.keep_alive(parser_->get().keep_alive() && !closes_ && stays);
    closes_ = !response.keep_alive();
    if (status == 499) response.reason("Client Closed Request");
    if (!body.empty()) response.set(http::field::content_type, type);
    for (const auto& [name, value] : headers) response.set(name, value);
    for (const auto& [name, value] : service_.request_filter().headers_for(head_))
      response.set(name, value);
    response.body() = std::move(body);
    response.prepare_payload();
    if (status == 204) response.erase(http::field::content_length);
    if (head_.method == "HEAD") response.body().clear();  // but its length
    access_.status = status;
    response_ = std::move(response);
    http::async_write(*socket_, response_,
                      [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
                        self->access_.bytes_out = bytes;
                        self->replied(error);
                      });
  }
  void refuse(int status, const std::string& text) { reply(status, text); }
  void too_much(const std::string& text) { reply(503, text, text_plain, {{"Retry-After", "10"}}); }

  void replied(ErrorCode error) {
    log();
    busy_ = false;
    leave();
    response_ = {};
    service_.check_drained();
    if (error) return;
    if (!closes_) {
      if (!watches_) return read_head();
      return limit_time(idle_time());  // what is read goes on with it
    }
    ErrorCode ignored;
    if (socket_->tls() == nullptr)
      socket_->tcp().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    limit_time(linger_time);
    if (!watches_) linger(0);
  }

  // Until the client has read the answer: closed with unread input, the system would take it back.
  void linger(std::size_t passed_over) {
    if (passed_over > linger_bytes) return socket_->close();
    buffer_.clear();
    socket_->async_read_some(buffer_.prepare(64 * 1024), [self = shared_from_this(), passed_over](
                                                             ErrorCode error, std::size_t bytes) {
      if (!error) self->linger(passed_over + bytes);
    });
  }

  void log() {
    access_.time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_);
    service_.access(access_);
    access_ = {};
  }

  // ---- what is asked for
  void route() {
    const std::string& path = access_.path;
    if (head_.headers["host"].find(',') != std::string::npos) return refuse(400, "Two hosts");
    if (path == "/health") {
      if (head_.method == "GET" && service_.draining()) return refuse(503, "shutting down");
      if (head_.method == "GET") return reply(200, "ok");
      return refuse(405, "Method Not Allowed");
    }
    if (const auto coding = head_.headers.find("transfer-encoding");
        coding != head_.headers.end() &&
        (lower(coding->second) != "chunked" || parser_->get().version() < 11)) {
      closes_ = true;  // where this request ends is not known
      return refuse(400, "A Transfer-Encoding that is not \"chunked\"");
    }
    if (path != service_.options().path) return refuse(404, "Not Found");
    Admission decision = service_.request_filter().decide(head_);
    if (!decision.address.empty()) access_.address = decision.address;
    if (decision.status != 200)
      return reply(decision.status, decision.text, text_plain, decision.headers);
    became_known();
    principal_ = decision.principal;
    if (head_.method == "POST") return read_body();
    if (head_.method == "GET") return get();
    if (head_.method == "DELETE") return remove();
    if (head_.method == "OPTIONS" && !service_.request_filter().headers_for(head_).empty())
      return reply(204, "");
    reply(405, "Method Not Allowed", text_plain, {{"Allow", "GET, POST, DELETE"}});
  }

  // Null if the request has been answered.
  std::shared_ptr<HttpConnection> connection() {
    const std::string id = head_.header("acp-connection-id");
    if (id.empty()) {
      refuse(400, "Missing Acp-Connection-Id");
      return nullptr;
    }
    auto found = service_.find(id, principal_);
    if (!found) {
      refuse(404, "Unknown Acp-Connection-Id");
    } else {
      access_.connection_id = found->id().substr(0, 8);
    }
    return found;
  }
  std::optional<std::string> session() const {
    const auto found = head_.headers.find("acp-session-id");
    return found == head_.headers.end() ? std::nullopt : std::optional(found->second);
  }

  void get() {
    const auto& request = parser_->get();
    if (beast::websocket::is_upgrade(request)) {
      if (service_.draining()) return too_much("No more connections now");
      if (!parser_->is_done() || buffer_.size() > 0) {
        closes_ = true;
        return refuse(400, "Bytes before the answer to an upgrade");
      }
      HttpRequest upgrade = parser_->release();
      take_leave();
      return serve_websocket(service_, *std::exchange(socket_, std::nullopt), std::move(upgrade),
                             principal_, std::move(access_));
    }
    if (lower(head_.header("upgrade")) == "websocket") return refuse(426, "Upgrade Required");
    if (lower(head_.header("accept")).find("text/event-stream") == std::string::npos)
      return refuse(406, "Not Acceptable");
    EventsRequest events;
    events.connection = connection();
    if (!events.connection) return;
    events.session = session();
    if (!events.connection->takes_visits()) return too_much("Too many streams and requests");
    if (!events.connection->streams().enter(events.session, nullptr))
      return refuse(409, "Outbound stream already has an active receiver");
    events.headers = service_.request_filter().headers_for(head_);
    events.version = request.version();
    events.access = std::move(access_);
    take_leave();
    serve_events(service_, *std::exchange(socket_, std::nullopt), std::move(events));
  }
  void take_leave() {
    timer_.cancel();
    busy_ = false;
  }

  void remove() {
    const auto found = connection();
    if (!found) return;
    found->close("the client has closed it");
    reply(202, "");
  }

  // ---- POST
  void read_body() {
    if (media_type(head_.header("content-type")) != application_json)
      return refuse(415, "Unsupported Media Type");
    // Its length is not always known.
    const std::size_t most = service_.options().limits.max_body_bytes;
    body_bytes_ = static_cast<std::size_t>(parser_->content_length().value_or(most));
    if (!service_.take_body(body_bytes_)) {
      body_bytes_ = 0;
      return too_much("Too many large requests at a time");
    }
    limit_time(service_.options().limits.request_time);
    reads_body_ = true;
    if (lower(head_.header("expect")) != "100-continue") return read_rest();
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(*socket_, asio::buffer(go_on),
                      [self = shared_from_this()](ErrorCode error, std::size_t) {
                        if (!error) self->read_rest();
                      });
  }
  void read_rest() {
    http::async_read(*socket_, buffer_, *parser_,
                     [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
                       self->access_.bytes_in += bytes;
                       self->reads_body_ = false;
                       self->body_done();
                       if (error) return self->on_broken(error);
                       self->timer_.cancel();
                       self->post();
                     });
  }

  void post() {
    std::string& text = parser_->get().body();
    // Towards the agent a message is one line.
    if (text.find_first_of("\r\n") != std::string::npos)
      if (auto parsed = Json::parse(text, {.depth = 512, .bytes = text.size()}))
        text = parsed->text();
    message_.read(text);
    using Kind = Message::Kind;
    switch (message_.kind) {
      case Kind::not_json:
        return refuse(400, "Invalid JSON");
      case Kind::batch:
        return reply(400,
                     R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"
                     R"("message":"Invalid request: JSON-RPC batches are not supported"}})",
                     application_json);
      case Kind::not_a_message:
        return refuse(400, "Invalid JSON-RPC message");
      default:
        break;
    }
    // Also without an id, which has an answer of its own.
    if (message_.kind != Kind::answer && message_.method == "initialize") return initialize(text);
    const auto found = connection();
    if (!found) return;
    if (!found->takes_visits()) return too_much("Too many streams and requests");
    if (const auto refused = found->streams().refusal(message_, session()))
      return refuse(refused->status, refused->text);
    visit(found);
    waits_ = true;
    // The message has come as a whole, and is passed on though its client may have gone by then.
    const auto body = std::make_shared<const std::string>(std::move(text));
    const auto go_on = [weak = weak_from_this(), found, body] {
      if (!found->closed()) found->send(*body);
      const auto self = weak.lock();
      if (!self || self->gone_) return;
      self->waits_ = false;
      if (found->closed()) return self->refuse(404, "Unknown Acp-Connection-Id");
      self->reply(202, "");
    };
    const bool has_room = found->when_there_is_room(body->size(), go_on);
    if (!has_room) {
      waits_ = false;
      found->streams().forget(message_);
      return too_much("Too much waits for this agent");
    }
    if (waits_) watch_client();
  }

  void initialize(const std::string& text) {
    if (head_.headers.contains("acp-connection-id"))
      return refuse(400, "Initialize not allowed on existing connection");
    if (message_.id.empty() || message_.id == "null")
      return refuse(400, "Initialize request must include an ID");
    if (id_is_longer(message_.id, service_.options().limits.max_id_length))
      return refuse(400, "An id is too long");
    const std::string client = head_.header(client_header);
    service_.end_before(principal_, client);
    if (!service_.takes_clients()) return too_much("No more connections now");
    const auto made = service_.new_connection(principal_, client);
    if (!made->open(access_.address)) return too_much("The agent cannot be started now");
    access_.connection_id = made->id().substr(0, 8);
    visit(made);
    waits_ = initializes_ = true;
    made->initialize(message_, text, [self = shared_from_this(), made](const std::string& answer) {
      self->waits_ = self->initializes_ = false;
      if (self->gone_) return;
      if (answer.empty())
        return self->reply(500,
                           R"({"jsonrpc":"2.0","id":)" + std::string(self->message_.id) +
                               R"(,"error":{"code":-32603,"message":"Initialize failed"}})",
                           application_json);
      self->reply(200, answer, application_json, {{"Acp-Connection-Id", made->id()}});
    });
    if (waits_) watch_client();
  }

  // While a request waits: what is read belongs to the next one, or is the client's end.
  void watch_client() {
    const std::size_t room = buffer_.max_size() - buffer_.size();
    if (room == 0) return client_gone();  // or one who asks more than may wait
    watches_ = true;
    socket_->async_read_some(buffer_.prepare(std::min<std::size_t>(room, 4096)),
                             [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
                               self->watches_ = false;
                               self->buffer_.commit(bytes);
                               if (error) return self->client_gone();
                               if (self->waits_) return self->watch_client();
                               if (self->busy_) return;  // the answer is on its way
                               if (self->closes_) return self->linger(0);
                               self->read_head();
                             });
  }

  void client_gone() {
    if (!waits_) return;
    gone_ = true;
    access_.status = 499;
    log();
    busy_ = false;
    socket_->close();
    // One that does not wait for the answer to `initialize` cannot use the connection.
    if (initializes_ && visited_) visited_->close("the client did not wait for the answer");
    leave();
    service_.check_drained();
  }

  void became_known() {
    if (!std::exchange(known_, true)) service_.remove_unknown(address_);
  }
  std::chrono::seconds idle_time() const { return known_ ? known_idle_time : unknown_idle_time; }
  void body_done() { service_.body_done(std::exchange(body_bytes_, 0)); }

  void visit(const std::shared_ptr<HttpConnection>& connection) {
    visited_ = connection;
    visit_ = connection->enter(HttpConnection::Visit::request);
  }
  void leave() {
    if (visited_) visited_->leave(visit_);
    visited_ = nullptr;
  }

  Service& service_;
  std::optional<Socket> socket_;  // none once it has been handed on
  const std::string address_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  RequestHead head_;
  std::string principal_;
  Message message_;
  Access access_;
  std::chrono::steady_clock::time_point began_;
  std::size_t served_ = 0;
  std::shared_ptr<HttpConnection> visited_;
  std::uint64_t visit_ = 0;
  bool busy_ = false, closes_ = false, gone_ = false;
  bool reads_body_ = false;
  bool known_ = false;          // a request was let in
  std::size_t body_bytes_ = 0;  // reserved for the one that is read
  // For the agent, which takes its time; and what the client does meanwhile.
  bool waits_ = false, initializes_ = false, watches_ = false;
};

}  // namespace

void serve_http(Service& service, Socket socket, std::string address) {
  std::make_shared<HttpPeer>(service, std::move(socket), std::move(address))->start();
}

}  // namespace acp::remote
