#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "acp/remote/local_end.h"

namespace acp::remote {

using ErrorCode = boost::system::error_code;

namespace {

// One for all: there is one thread for each context.
std::vector<char>& read_buffer() {
  thread_local std::vector<char> buffer(256 * 1024);
  return buffer;
}
// So that others have their turn.
constexpr int max_reads = 4;
// For the last that was sent, to an end that may not read at all.
constexpr auto delivery_time = std::chrono::seconds(5);

}  // namespace

bool has_hung_up(int socket) {
#ifdef POLLRDHUP
  constexpr short ends = POLLERR | POLLHUP | POLLRDHUP;
#else
  constexpr short ends = POLLERR | POLLHUP;
#endif
  pollfd looked_at{socket, ends, 0};
  return poll(&looked_at, 1, 0) > 0 && (looked_at.revents & ends) != 0;
}

std::size_t unacknowledged(int socket) {
#ifdef TIOCOUTQ
  int bytes = 0;
  if (ioctl(socket, TIOCOUTQ, &bytes) == 0 && bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return 0;
}

LocalEnd::LocalEnd(boost::asio::io_context& io, io::Descriptor descriptor,
                   std::size_t max_message_bytes)
    : socket_(io.get_executor()), frames_(rpc::Framing::newline, max_message_bytes) {
  socket_.assign(Protocol(), descriptor.release());
  socket_.native_non_blocking(true);
}

void LocalEnd::start(Events events) {
  events_ = std::move(events);
  wait_input();
}

void LocalEnd::wait_input() {
  if (waits_for_input_ || holds_ || closed()) return;
  waits_for_input_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode error) {
    self->waits_for_input_ = false;
    if (!error && !self->closed()) self->read();
  });
}

// A message that cannot be handled, for want of memory, must not look like one that never came.
void LocalEnd::read() {
  try {
    read_some();
  } catch (const std::exception& exception) {
    end(exception.what());
  }
}

void LocalEnd::read_some() {
  std::vector<char>& buffer = read_buffer();
  for (int i = 0; i < max_reads && !holds_ && !closed(); ++i) {
    const ssize_t size = recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (size <= 0) {
      const int error = errno;
      if (const auto last = frames_.end(); last && events_.on_message)
        events_.on_message(last->text);
      if (!closed() && events_.on_pause) events_.on_pause();
      if (closed()) return;
      return end(size == 0 || error == ECONNRESET ? "" : std::strerror(error));
    }
    if (!take({buffer.data(), static_cast<std::size_t>(size)})) return;
    if (static_cast<std::size_t>(size) < buffer.size()) break;
  }
  if (!closed() && events_.on_pause) events_.on_pause();
  wait_input();
}

// An event may close this.
bool LocalEnd::take(std::string_view bytes) {
  frames_.feed(bytes);
  while (const auto frame = frames_.next()) {
    if (frame->kind != rpc::FrameReader::Framed::Kind::message) {
      end("a message of " + std::to_string(frame->size) + " bytes is over the limit");
      return false;
    }
    events_.on_message(frame->text);
    if (closed()) return false;
  }
  return true;
}

void LocalEnd::send(std::string_view message) {
  if (closed()) return;
  // Also when the reader never takes everything: what was sent is not kept.
  if (sent_ > max_unread_bytes || sent_ == out_.size()) out_.erase(0, std::exchange(sent_, 0));
  out_.append(message).push_back('\n');
  if (!waits_for_room_) flush();
}

void LocalEnd::flush() {
  while (sent_ < out_.size()) {
    const ssize_t size = ::send(socket_.native_handle(), out_.data() + sent_, out_.size() - sent_,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      waits_for_room_ = true;
      socket_.async_wait(Socket::wait_write, [self = shared_from_this()](ErrorCode error) {
        self->waits_for_room_ = false;
        if (error || !self->socket_.is_open()) return;
        const bool was_congested = self->congested();
        self->flush();
        if (was_congested && !self->congested() && !self->closing_ && self->events_.on_room)
          self->events_.on_room();
      });
      return;
    }
    if (size < 0) {  // nobody reads: its end will be read
      out_.clear();
      sent_ = 0;
      break;
    }
    sent_ += static_cast<std::size_t>(size);
  }
  if (sent_ == out_.size()) std::string().swap(out_), sent_ = 0;
  if (closing_) {
    ErrorCode ignored;
    socket_.close(ignored);
    if (const auto timer = delivery_timer_.lock()) timer->cancel();
  }
}

void LocalEnd::hold(bool holds) {
  if (std::exchange(holds_, holds) && !holds) wait_input();
}

void LocalEnd::close() {
  if (closed()) return;
  closing_ = true;
  // Not now: one of them may be calling.
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->events_ = {}; });
  // Nothing is read any more; what the other end still writes must not hold it up.
  ::shutdown(socket_.native_handle(), SHUT_RD);
  if (!waits_for_room_) flush();
  if (socket_.is_open()) limit_delivery();
}

void LocalEnd::limit_delivery() {
  const auto timer =
      std::make_shared<boost::asio::steady_timer>(socket_.get_executor(), delivery_time);
  delivery_timer_ = timer;
  timer->async_wait([self = shared_from_this(), timer](ErrorCode) {
    ErrorCode ignored;
    self->socket_.close(ignored);
  });
}

void LocalEnd::end(const std::string& why) {
  const auto on_end = events_.on_end;
  close();
  if (on_end) on_end(why);
}

}  // namespace acp::remote
