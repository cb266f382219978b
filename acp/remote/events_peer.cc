// A stream of server-sent events to one client.
#include <array>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <utility>

#include "acp/remote/http_peer.h"

namespace acp::remote {

namespace {

// A client that has taken so much has not stalled.
constexpr std::size_t piece_bytes = 256 * 1024;
constexpr std::size_t copied_bytes = 16 * 1024;
// A closed session may be opened again at once: a client that has not seen the end of its stream by
// then would lose the request.
constexpr auto closed_session_time = std::chrono::seconds(5);
// How often the client is looked at within the time that it may take nothing.
constexpr int stall_looks = 8;

class EventsPeer final : public SocketPeer, public std::enable_shared_from_this<EventsPeer> {
 public:
  EventsPeer(Service& service, Socket socket, EventsRequest request)
      : service_(service),
        socket_(std::move(socket)),
        request_(std::move(request)),
        timer_(service.io()),
        began_(std::chrono::steady_clock::now()) {
    service_.add(*this);
  }
  ~EventsPeer() override { service_.remove(*this); }

  void start() {
    // Entered before, so that nobody else could.
    streams().leave(request_.session);
    streams().enter(request_.session, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->pump();
    });
    using Visit = HttpConnection::Visit;
    visit_ = request_.connection->enter(
        request_.session ? Visit::session_stream : Visit::own_stream, [weak = weak_from_this()] {
          if (const auto self = weak.lock()) self->end();
        });
    watch_client();
    std::string head = request_.version >= 11 ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                                              : "HTTP/1.0 200 OK\r\n";
    // At its end the socket is closed, and not for another request.
    head += "Connection: close\r\n";
    head +=
        "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n";
    for (const auto& [name, value] : request_.headers) head += name + ": " + value + "\r\n";
    // The client knows that silence means something.
    head += std::string(keep_alive_header) + ": " +
            std::to_string(service_.options().limits.keep_alive.count()) + "\r\n";
    // With a first comment: a proxy may hold the head back until something follows.
    write(head + "\r\n" + chunk(":\n\n"));
  }

  // Its connection is closed first, which ends its streams in their order.
  void shut(const std::string&) override {}
  // Until then the connection is.
  bool busy() const override { return request_.connection->closed() && !gone_; }

 private:
  Streams& streams() { return request_.connection->streams(); }

  // A client says nothing here: what can be read is its end.
  void watch_client() {
    socket_.async_read_some(asio::buffer(unexpected_),
                            [self = shared_from_this()](ErrorCode error, std::size_t) {
                              if (error) return self->gone("");
                              self->watch_client();
                            });
  }

  // ---- writing
  void pump() {
    if (writing_ || gone_) return;
    if (piece_at_ == events_.size()) {
      // Also the last ones: an answer may be among them.
      events_ = streams().take_events(request_.session);
      piece_at_ = 0;
    }
    if (!events_.empty()) {
      piece_ = std::min(piece_bytes, events_.size() - piece_at_);
      const auto piece = std::string_view(events_).substr(piece_at_, piece_);
      // Small ones in one packet, and in one record of TLS; of large ones, no copy.
      if (piece.size() < copied_bytes) return write(chunk(piece));
      return write(chunk_head(piece.size()), piece, request_.version < 11 ? "" : "\r\n");
    }
    if (ending_) return finish();
    wait_for_events();
  }

  std::string chunk_head(std::size_t bytes) const {
    if (request_.version < 11) return {};
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes);
    return size;
  }
  std::string chunk(std::string_view text) const {
    std::string made = chunk_head(text.size());
    made.reserve(made.size() + text.size() + 2);
    made.append(text);
    if (request_.version >= 11) made.append("\r\n");
    return made;
  }

  // What is not `bytes` must stay until it is written.
  void write(std::string bytes, std::string_view piece = {}, std::string_view tail = {}) {
    writing_ = true;
    out_ = std::move(bytes);
    written_before_ = written_;
    watch_stall();
    const std::array<asio::const_buffer, 3> parts = {asio::buffer(out_),
                                                     asio::const_buffer(piece.data(), piece.size()),
                                                     asio::const_buffer(tail.data(), tail.size())};
    asio::async_write(
        socket_, parts,
        [this](ErrorCode error, std::size_t bytes) {
          written_ = written_before_ + bytes;
          return asio::transfer_all()(error, bytes);
        },
        [self = shared_from_this()](ErrorCode error, std::size_t bytes) {
          self->request_.access.bytes_out += bytes;
          self->written(error);
        });
  }

  void watch_stall() {
    moved_at_ = std::chrono::steady_clock::now();
    look_for_stall();
  }
  void look_for_stall() {
    timer_.expires_after(std::max<std::chrono::milliseconds>(
        service_.options().limits.max_stall / stall_looks, std::chrono::milliseconds(1)));
    timer_.async_wait([weak = weak_from_this()](ErrorCode error) {
      const auto self = weak.lock();
      if (!self || error || !self->writing_) return;
      const auto now = std::chrono::steady_clock::now();
      // A slow client takes its time for what the system has taken at once.
      const auto waits = static_cast<std::int64_t>(unacknowledged(self->socket_.native()));
      const std::int64_t taken = static_cast<std::int64_t>(self->written_) - waits;
      if (taken > self->taken_) {
        self->taken_ = taken;
        self->moved_at_ = now;
        if (self->piece_ > 0) self->request_.connection->goes_on();
      }
      if (now - self->moved_at_ >= self->service_.options().limits.max_stall)
        return self->stalled();
      self->look_for_stall();
    });
  }

  void written(ErrorCode error) {
    writing_ = false;
    if (gone_) return;  // it has been counted
    if (error) return gone("");
    if (piece_ > 0) {
      const std::size_t taken = std::exchange(piece_, 0);
      if ((piece_at_ += taken) == events_.size()) {
        std::string().swap(events_);
        piece_at_ = 0;
      }
      if (!request_.connection->closed()) request_.connection->taken(taken);
    }
    if (!gone_) pump();
  }

  void wait_for_events() {
    const std::chrono::milliseconds keep_alive = service_.options().limits.keep_alive;
    const bool over = streams().is_over(request_.session);
    timer_.expires_after(over ? std::min<std::chrono::milliseconds>(keep_alive, closed_session_time)
                              : keep_alive);
    timer_.async_wait([weak = weak_from_this(), over](ErrorCode error) {
      const auto self = weak.lock();
      if (!self || error || self->writing_ || self->gone_) return;
      if (over && self->streams().is_over(self->request_.session)) return self->finish();
      self->write(self->chunk(":\n\n"));
    });
  }

  // ---- the end
  void stalled() {
    const auto self = shared_from_this();
    request_.connection->close("the client does not read");
    gone("the client does not read");
  }

  // The connection is closed: what there is for the client is still sent.
  void end() {
    if (!std::exchange(ending_, true) && !writing_) pump();
  }

  void finish() {
    if (request_.version < 11) return gone("");
    // Who sees the end may come again at once.
    if (!request_.connection->closed()) leave();
    writing_ = true;
    watch_stall();
    out_ = "0\r\n\r\n";
    asio::async_write(socket_, asio::buffer(out_),
                      [self = shared_from_this()](ErrorCode, std::size_t) { self->gone(""); });
  }

  void leave() {
    if (!std::exchange(left_, true)) streams().leave(request_.session);
  }

  void gone(const std::string& reason) {
    if (std::exchange(gone_, true)) return;
    timer_.cancel();
    socket_.close();
    if (!request_.connection->closed()) {
      // What was taken off the stream and is not on the wire is lost: there is no resumption.
      request_.connection->taken(events_.size() - piece_at_);
      leave();
    }
    request_.connection->leave(visit_);
    Access& access = request_.access;
    access.status = 200;
    access.reason = reason;
    access.time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_);
    service_.access(access);
  }

  Service& service_;
  Socket socket_;
  EventsRequest request_;
  asio::steady_timer timer_;
  const std::chrono::steady_clock::time_point began_;
  std::uint64_t visit_ = 0;
  std::string events_, out_;
  std::size_t piece_at_ = 0, piece_ = 0;
  // Bytes that the system has taken: all of them, and until the last write; and the client.
  std::size_t written_ = 0, written_before_ = 0;
  std::int64_t taken_ = 0;
  std::chrono::steady_clock::time_point moved_at_;
  char unexpected_[256];
  bool writing_ = false, ending_ = false, left_ = false, gone_ = false;
};

}  // namespace

void serve_events(Service& service, Socket socket, EventsRequest request) {
  std::make_shared<EventsPeer>(service, std::move(socket), std::move(request))->start();
}

}  // namespace acp::remote
