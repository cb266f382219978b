#include "acp/remote/websocket_pipe.h"

#include <utility>

#include "acp/json/json.h"

namespace acp::remote {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

// More is gathered only while the other side takes it.
constexpr std::size_t max_unsent_bytes = 1024 * 1024;
constexpr std::size_t max_unread_replies = 64 * 1024;
constexpr std::size_t kept_buffer_bytes = 64 * 1024;
// To read why it is closed.
constexpr auto close_time = std::chrono::seconds(2);
constexpr std::size_t max_reason_bytes = 123;

void become_one_line(std::string& text) {
  if (text.find_first_of("\r\n") == std::string::npos) return;
  if (auto parsed = Json::parse(text, {.depth = 512, .bytes = text.size()})) {
    text = parsed->text();
    return;
  }
  // It is no JSON, and stays none: the receiver says so.
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
}

}  // namespace

WebSocketPipe::WebSocketPipe(Socket socket, const Options& options)
    : options_(options),
      stream_(Gathering(std::move(socket))),
      stalled_(stream_.get_executor()),
      closes_(stream_.get_executor()) {
  websocket::stream_base::timeout times;
  times.handshake_timeout = std::chrono::seconds(30);
  times.idle_timeout = options_.vanish_time;
  times.keep_alive_pings = true;
  stream_.set_option(times);
  stream_.read_message_max(options_.max_message_bytes);
  stream_.auto_fragment(false);
  websocket::permessage_deflate deflate;
  deflate.server_enable = deflate.client_enable = options_.compress_from_bytes > 0;
  // A connection should cost kilobytes, not hundreds of them.
  deflate.server_max_window_bits = deflate.client_max_window_bits = 11;
  deflate.memLevel = 3;
  deflate.server_no_context_takeover = deflate.client_no_context_takeover = true;
  deflate.msg_size_threshold = options_.compress_from_bytes;
  stream_.set_option(deflate);
}

void WebSocketPipe::start(Hooks hooks) {
  if (ended_) {  // closed while it was opened
    if (hooks.on_end) hooks.on_end(closed_with_.first, closed_with_.second);
    return;
  }
  hooks_ = std::move(hooks);
  stream_.text(true);
  stream_.next_layer().on_sent([weak = weak_from_this()](std::size_t bytes) {
    const auto self = weak.lock();
    if (!self) return;
    self->sent_ += bytes;
    if (self->held_) self->watch_stall();
    self->check_room();
    self->read();
  });
  read();
}

void WebSocketPipe::attach(std::shared_ptr<LocalEnd> local) {
  local_ = std::move(local);
  LocalEnd::Events events;
  const auto self = shared_from_this();
  events.on_message = [self](std::string_view text) {
    if (self->hooks_.on_sending) self->hooks_.on_sending(text);
    self->write(text);
  };
  events.on_pause = [self] { self->check_room(); };
  events.on_room = [self] { self->read(); };
  events.on_end = [self](const std::string& why) {
    if (self->hooks_.on_local_end) self->hooks_.on_local_end(why);
  };
  local_->start(std::move(events));
}

// ---- to the other machine

// Beast's write() returns at once here: Gathering takes everything.
void WebSocketPipe::write(std::string_view text) {
  if (ended_ || !stream_.is_open()) return;
  beast::error_code error;
  stream_.write(boost::asio::buffer(text.data(), text.size()), error);
  if (error && !ended_) end(1006, error.message());
}

void WebSocketPipe::reply(std::string_view text) {
  replied_ += text.size();
  write(text);
  check_room();
}

bool WebSocketPipe::must_read_first() const {
  return replied_ > max_unread_replies && stream_.next_layer().unsent() > 0;
}

void WebSocketPipe::check_room() {
  if (stream_.next_layer().unsent() == 0) replied_ = 0;
  const bool full = stream_.next_layer().unsent() > max_unsent_bytes || must_read_first();
  if (full == held_) return;
  held_ = full;
  if (local_) local_->hold(full);
  if (full)
    watch_stall();
  else
    stalled_.cancel();
}

void WebSocketPipe::watch_stall() {
  stalled_.expires_after(options_.max_stall);
  stalled_.async_wait([weak = weak_from_this()](beast::error_code error) {
    const auto self = weak.lock();
    if (self && !error && self->held_) self->close(1008, "the other side does not read");
  });
}

// ---- from the other machine

void WebSocketPipe::read() {
  if (reading_ || ended_ || (local_ && local_->congested()) || must_read_first()) return;
  reading_ = true;
  stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->reading_ = false;
    self->on_read(error);
  });
}

void WebSocketPipe::on_read(beast::error_code error) {
  if (error) {
    if (closed_with_.first != 0) return end(closed_with_.first, closed_with_.second);
    if (error == websocket::error::closed)
      return end(stream_.reason().code, std::string(stream_.reason().reason.c_str()));
    if (error == websocket::error::message_too_big)
      return end(1009, "a message is over the limit of " +
                           std::to_string(options_.max_message_bytes) + " bytes");
    if (error == beast::error::timeout) return end(1006, "the other side has gone without a word");
    return end(1006, error.message());
  }
  received_ += buffer_.size();
  if (stream_.got_text()) {
    const auto data = buffer_.data();
    std::string text(static_cast<const char*>(data.data()), data.size());
    become_one_line(text);
    if ((!hooks_.on_received || hooks_.on_received(text)) && local_ && !ended_) local_->send(text);
  }
  buffer_.consume(buffer_.size());
  if (buffer_.capacity() > kept_buffer_bytes) buffer_ = beast::flat_buffer();
  read();
}

// ---- the end

void WebSocketPipe::close(int code, std::string reason) {
  if (ended_ || closed_with_.first != 0) return;
  if (reason.size() > max_reason_bytes) reason.resize(max_reason_bytes);
  closed_with_ = {code, reason};
  if (local_) local_->close();
  closes_.expires_after(close_time);
  closes_.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error) self->stream_.next_layer().socket().close();
  });
  const websocket::close_reason said(static_cast<websocket::close_code>(code), reason);
  stream_.async_close(said, [self = shared_from_this()](beast::error_code) {
    self->end(self->closed_with_.first, self->closed_with_.second);
  });
}

void WebSocketPipe::end(int code, const std::string& reason) {
  if (std::exchange(ended_, true)) return;
  stalled_.cancel();
  if (local_) local_->close();
  // A close frame of Beast's own may still be on its way, to somebody who may not read.
  closes_.expires_after(close_time);
  closes_.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error) self->stream_.next_layer().socket().close();
  });
  stream_.next_layer().when_sent([self = shared_from_this()] {
    self->closes_.cancel();
    self->stream_.next_layer().socket().close();
  });
  const auto on_end = hooks_.on_end;
  // Not now: one of them may be calling.
  boost::asio::post(stream_.get_executor(), [self = shared_from_this()] { self->hooks_ = {}; });
  if (on_end) on_end(code, reason);
}

}  // namespace acp::remote
