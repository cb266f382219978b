#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "acp/http/link.h"
#include "acp/io/quiet_thread.h"

namespace acp::http {

namespace {
// Beyond these the one side waits for the other.
constexpr std::size_t max_queued_bytes = 16 * 1024 * 1024;
// How soon the connection's end is noticed while nothing is read from it.
constexpr auto look_time = std::chrono::milliseconds(200);
}  // namespace

Link::Link(io::Descriptor socket, std::unique_ptr<Dialect> dialect, LinkOptions options)
    : options_(std::move(options)),
      socket_(std::move(socket)),
      dialect_(std::move(dialect)),
      http_(options_.connect_time),
      frames_(rpc::Framing::newline, std::numeric_limits<std::size_t>::max()) {
  http_.on_headers_dropped = [this](const std::string& from, const std::string& to) {
    log(LogEntry::Level::warning, "redirected from " + from + " to " + to +
                                      ": the headers given for the first are not sent there");
  };
  thread_ = io::quiet_thread([this] { run(); });
}

Link::~Link() { thread_.join(); }

void Link::run() {
  dialect_->begin(*this);
  while (!finished_) step();
  if (lost_) end_lost();
  socket_.reset();
}

void Link::step() {
  Transfers::Wanted wanted;
  wanted.descriptor = socket_.get();
  wanted.input = socket_ && !input_ended_ && dialect_->queued_bytes() < max_queued_bytes;
  wanted.output = socket_ && sent_ < out_.size();
  std::optional<std::chrono::milliseconds> time;
  if (const auto next = timers_.next()) time = std::chrono::ceil<std::chrono::milliseconds>(*next);
  const bool looks = socket_ && !input_ended_ && !wanted.input;
  if (looks) time = std::min(time.value_or(look_time), look_time);
  http_.run(wanted, time);
  timers_.fire();
  if (finished_) return;
  if (wanted.input) read();
  if (looks) check_input();
  flush();
}

void Link::read() {
  char buffer[64 * 1024];
  const ssize_t size = recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return input_ended();
  frames_.feed({buffer, static_cast<std::size_t>(size)});
  while (const auto frame = frames_.next())
    dialect_->message(Json::from_valid(std::string(frame->text)));
}

void Link::input_ended() {
  input_ended_ = true;
  timers_.after(options_.close_time, [this] { finish(); });
  dialect_->close();
}

// Nothing is read while much waits to be sent; an end is still an end.
void Link::check_input() {
#ifdef POLLRDHUP
  constexpr short ends = POLLHUP | POLLRDHUP;
#else
  constexpr short ends = POLLHUP;
#endif
  pollfd input{socket_.get(), ends, 0};
  if (socket_ && !input_ended_ && poll(&input, 1, 0) > 0 && (input.revents & ends) != 0)
    input_ended();
}

void Link::give(std::string_view line) {
  if (finished_) return;
  // Also when the connection never reads everything: what was sent is not kept.
  if (sent_ > max_out_bytes) out_.erase(0, std::exchange(sent_, 0));
  out_ += line;
  out_ += '\n';
  if (held()) http_.hold(true);
}

void Link::flush() {
  send_out();
  if (!held()) http_.hold(false);
}

void Link::send_out() {
  while (sent_ < out_.size()) {
    const ssize_t size =
        send(socket_.get(), out_.data() + sent_, out_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      if (errno != EAGAIN) out_.clear(), sent_ = 0;  // nobody reads: the end of input will follow
      break;
    }
    sent_ += static_cast<std::size_t>(size);
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  }
}

void Link::log(LogEntry::Level level, std::string message) {
  if (options_.log) options_.log(level, std::move(message));
}

void Link::lost(std::string reason) {
  if (finished_) return;
  lost_ = std::move(reason);
  finish();
}

void Link::end_lost() {
  deliver();
  // The reason first: else the end of the stream would be one.
  if (!input_ended_ && options_.on_lost) options_.on_lost(std::move(*lost_));
  // What nobody has read would turn the end of the stream into a reset, and hide the reason.
  shutdown(socket_.get(), SHUT_RD);
  char unread[4096];
  while (recv(socket_.get(), unread, sizeof unread, MSG_DONTWAIT) > 0) continue;
}

// Needs no time limit: a connection that does not read closes its end at last.
void Link::deliver() {
  while (!input_ended_ && sent_ < out_.size()) {
    pollfd ready{socket_.get(), POLLIN | POLLOUT, 0};
    poll(&ready, 1, -1);
    if ((ready.revents & ~POLLOUT) != 0) {
      // It is for a server that cannot be used any more.
      char unread[4096];
      const ssize_t size = recv(socket_.get(), unread, sizeof unread, MSG_DONTWAIT);
      input_ended_ = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
    }
    send_out();
  }
}

}  // namespace acp::http
