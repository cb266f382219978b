#include "acp/remote/websocket_pipe.h"

#include <algorithm>
#include <utility>

#include "acp/json/json.h"
#include "acp/remote/message.h"

namespace acp::remote {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

namespace {

// More is gathered only while the other side takes it.
constexpr std::size_t max_unsent_bytes = 1024 * 1024;
constexpr std::size_t max_unread_replies = 64 * 1024;
constexpr std::size_t kept_buffer_bytes = 64 * 1024;
// To read why it is closed.
constexpr auto close_time = std::chrono::milliseconds(2'000);
// How often the other side is looked at within the time that it may take nothing.
constexpr int stall_looks = 10;
constexpr std::size_t max_reason_bytes = 123;
constexpr const char* gone = "the other side has gone without a word";

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
      closes_(stream_.get_executor()),
      alive_(stream_.get_executor()) {
  websocket::stream_base::timeout times;
  times.handshake_timeout = std::chrono::seconds(30);
  // Beast would set a timer for each message, which is a call of the system: watch_life() does not.
  times.idle_timeout = websocket::stream_base::none();
  times.keep_alive_pings = false;
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
    if (const auto self = weak.lock()) self->on_sent(bytes);
  });
  watch_life();
  read();
}

// Four looks within the time: after one without any byte the other side is asked, after three it is
// gone.
void WebSocketPipe::watch_life() {
  if (ended_) return;
  alive_.expires_after(std::max(options_.vanish_time / 4, std::chrono::milliseconds(1)));
  alive_.async_wait([weak = weak_from_this()](beast::error_code error) {
    const auto self = weak.lock();
    if (!self || error || self->ended_) return;
    self->look_for_life();
    self->watch_life();
  });
}

void WebSocketPipe::look_for_life() {
  Gathering& network = stream_.next_layer();
  // One that still takes what waits is there, and may be slow.
  const std::uint64_t taken = network.unsent() > 0 ? sent_ : 0;
  const bool silent = network.received() == seen_ && taken <= seen_taken_;
  seen_ = network.received();
  seen_taken_ = sent_;
  // What we do not read says nothing, but its system does: it refuses a ping to one that has gone.
  const bool unread = silent && !reading_;
  if (unread && has_hung_up(network.socket().native())) return end(1006, gone);
  silent_looks_ = silent && reading_ ? silent_looks_ + 1 : 0;
  if (silent_looks_ == 3) return end(1006, gone);
  if (unread || silent_looks_ == 1) ping();
}

void WebSocketPipe::ping() {
  if (std::exchange(pinging_, true)) return;
  stream_.async_ping({},
                     [self = shared_from_this()](beast::error_code) { self->pinging_ = false; });
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

void WebSocketPipe::on_sent(std::size_t bytes) {
  sent_ += bytes;
  taken_at_ = std::chrono::steady_clock::now();
  if (farewell_stall_.count() > 0) return limit_farewell(farewell_stall_);
  check_room();
  read();
  if (all_sent() && hooks_.on_all_sent) hooks_.on_all_sent();
}

bool WebSocketPipe::must_read_first() const {
  return replied_ > max_unread_replies && stream_.next_layer().unsent() > 0;
}

void WebSocketPipe::check_room() {
  if (all_sent()) replied_ = 0;
  const bool full = stream_.next_layer().unsent() > max_unsent_bytes || must_read_first();
  if (full == held_) return;
  held_ = full;
  if (local_) local_->hold(full);
  if (!full) {
    stalled_.cancel();
    return;
  }
  taken_at_ = std::chrono::steady_clock::now();
  taken_ = taken_now();
  watch_stall();
}

std::int64_t WebSocketPipe::taken_now() {
  const std::size_t waits = unacknowledged(stream_.next_layer().socket().native());
  return static_cast<std::int64_t>(sent_) - static_cast<std::int64_t>(waits);
}

void WebSocketPipe::watch_stall() {
  const auto time = std::min(options_.max_stall, options_.max_last_stall);
  stalled_.expires_after(std::max(time / stall_looks, std::chrono::milliseconds(1)));
  stalled_.async_wait([weak = weak_from_this()](beast::error_code error) {
    const auto self = weak.lock();
    if (self && !error && self->held_ && !self->ended_) self->look_for_stall();
  });
}

// The local end is not read now, and so does not report that this side has ended.
void WebSocketPipe::look_for_stall() {
  // A slow reader takes its time for what the system has taken at once.
  if (const std::int64_t taken = taken_now(); taken > taken_) {
    taken_ = taken;
    taken_at_ = std::chrono::steady_clock::now();
  }
  const bool last = local_ && local_->other_end_closed();
  const auto most = last ? options_.max_last_stall : options_.max_stall;
  if (std::chrono::steady_clock::now() - taken_at_ < most) return watch_stall();
  if (last && hooks_.on_local_end) hooks_.on_local_end("");
  close(1008, "the other side does not read");
  limit_farewell(close_time);
}

// ---- from the other machine

void WebSocketPipe::read() {
  if (reading_ || ended_ || (local_ && local_->congested()) || must_read_first()) return;
  reading_ = true;
  stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    self->reading_ = false;
    try {
      self->on_read(error);
    } catch (...) {
      // Nothing is read any more: it must not stay.
      self->close(1011, "a message could not be handled");
      throw;
    }
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
  cut(reason, max_reason_bytes);
  closed_with_ = {code, reason};
  if (local_) local_->close();
  const websocket::close_reason said(static_cast<websocket::close_code>(code), reason);
  stream_.async_close(said, [self = shared_from_this()](beast::error_code) {
    self->end(self->closed_with_.first, self->closed_with_.second);
  });
  limit_farewell(options_.max_last_stall);
}

// What was written is delivered while the other side takes it; then there is time for its goodbye.
void WebSocketPipe::limit_farewell(std::chrono::milliseconds stall) {
  farewell_stall_ = stall;
  stalled_.cancel();
  closes_.expires_after(all_sent() ? close_time : stall);
  closes_.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error) self->stream_.next_layer().socket().close();
  });
}

void WebSocketPipe::end(int code, const std::string& reason) {
  if (std::exchange(ended_, true)) return;
  // Before the local end is closed: who reads there asks for the reason at once.
  try {
    if (hooks_.on_end) hooks_.on_end(code, reason);
  } catch (...) {
    take_down();
    throw;
  }
  take_down();
}

void WebSocketPipe::take_down() {
  stalled_.cancel();
  alive_.cancel();
  if (local_) local_->close();
  // A close frame of Beast's own may still be on its way, to somebody who may not read.
  if (farewell_stall_.count() == 0) limit_farewell(close_time);
  stream_.next_layer().when_sent([self = shared_from_this()] {
    self->closes_.cancel();
    self->stream_.next_layer().socket().close();
  });
  // Not now: one of them may be calling.
  boost::asio::post(stream_.get_executor(), [self = shared_from_this()] { self->hooks_ = {}; });
}

}  // namespace acp::remote
