#include "check/wire/tap_channel_linux.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits.h>
#include <algorithm>
#include <cerrno>

namespace acp::check {
namespace {

bool is_kind(int fd, mode_t kind) {
  struct stat status = {};
  return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

}  // namespace

io::Descriptor open_unshared(int fd, bool writing) {
  // A file would be written from its beginning again. It makes nobody wait.
  if (is_kind(fd, S_IFIFO) || isatty(fd) != 0) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const int own =
        open(path.c_str(), (writing ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (own >= 0) {
      close(fd);
      return io::Descriptor(own);
    }
  }
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  close(fd);
  return io::Descriptor(own);
}

TapChannel::TapChannel(io::Descriptor in, io::Descriptor out)
    : in_(std::move(in)), out_(std::move(out)) {
  out_is_socket_ = is_kind(out_.get(), S_IFSOCK);
  out_may_wait_ = (fcntl(out_.get(), F_GETFL) & O_NONBLOCK) == 0;
}

std::size_t TapChannel::read(std::span<char> room) {
  for (;;) {
    const ssize_t count = ::read(in_.get(), room.data(), room.size());
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
    in_.reset();
    return 0;
  }
}

std::string_view TapChannel::read() {
  buffer_.resize(read_at_once);
  return {buffer_.data(), read(std::span(buffer_))};
}

std::size_t TapChannel::write_some(std::string_view bytes) {
  std::size_t done = 0;
  while (out_ && done < bytes.size()) {
    std::string_view piece = bytes.substr(done);
    ssize_t count = 0;
    if (out_is_socket_) {
      count = send(out_.get(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
      // That much can be written where poll() has said so; more might wait.
      if (out_may_wait_) piece = piece.substr(0, PIPE_BUF);
      count = ::write(out_.get(), piece.data(), piece.size());
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count < 0) {
      out_.reset();
      break;
    }
    done += static_cast<std::size_t>(count);
    if (out_may_wait_ && !out_is_socket_) break;
  }
  return done;
}

void TapChannel::write(std::string_view bytes) {
  if (!out_ || stalled_) return;
  if (sent_ == pending_.size() && timed_.empty()) {
    if (!out_may_wait_ || out_is_socket_) bytes.remove_prefix(write_some(bytes));
    if (bytes.empty() || !out_) return;
    pending_.clear();
    sent_ = 0;
  }
  pending_.append(bytes);
}

void TapChannel::write_later(FaultedWrite next) {
  if (stalled_) return;
  const TapClock::time_point now = TapClock::now();
  const TapClock::time_point last = timed_.empty() ? now : std::max(now, timed_.back().due);
  if (timed_.empty() && next.pause.count() == 0 && !next.for_good) return write(next.bytes);
  timed_bytes_ += next.bytes.size();
  timed_.push_back({last + next.pause, std::move(next.bytes), next.for_good});
}

std::optional<TapClock::time_point> TapChannel::next_due() const {
  if (stalled_ || timed_.empty()) return std::nullopt;
  return timed_.front().due;
}

void TapChannel::go_on(TapClock::time_point now) {
  while (!stalled_ && !timed_.empty() && timed_.front().due <= now) {
    if (timed_.front().for_good) {
      stalled_ = true;
      break;
    }
    pending_.append(timed_.front().bytes);
    timed_bytes_ -= timed_.front().bytes.size();
    timed_.pop_front();
  }
  if (!out_ || sent_ == pending_.size()) return;
  sent_ += write_some(std::string_view(pending_).substr(sent_));
  if (sent_ == pending_.size() || !out_) pending_.clear(), sent_ = 0;
}

}  // namespace acp::check
