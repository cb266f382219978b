#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "acp/io/wire.h"

namespace acp::io {

namespace {

// Holds SIGPIPE back from this thread, and takes away the one that a write has raised.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before_);
  }
  ~NoSigpipe() {
    if (raised_ && sigismember(&before_, SIGPIPE) == 0) {
      sigset_t pipe;
      sigemptyset(&pipe);
      sigaddset(&pipe, SIGPIPE);
      const timespec now{};
      while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  void raised() { raised_ = true; }

 private:
  sigset_t before_;
  bool raised_ = false;
};

ssize_t write_without_sigpipe(int descriptor, std::string_view bytes) {
  NoSigpipe guard;
  ssize_t result;
  do {
    result = ::write(descriptor, bytes.data(), bytes.size());
  } while (result < 0 && errno == EINTR);
  if (result < 0 && errno == EPIPE) {
    guard.raised();
    errno = EPIPE;
  }
  return result;
}

#ifdef __linux__
// Linux 6.18 can do it in one call; headers are often older. False, if this system, this file or
// what watches over our calls does not have it: nothing was written then.
bool write_quietly(int descriptor, std::string_view bytes, ssize_t& result) {
  constexpr int no_signal = 0x100;  // RWF_NOSIGNAL
  const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  do {
    result = pwritev2(descriptor, &piece, 1, -1, no_signal);
  } while (result < 0 && errno == EINTR);
  return result >= 0 ||
         (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS && errno != EPERM);
}
#else
bool write_quietly(int, std::string_view, ssize_t&) { return false; }
#endif

Wire::Outcome outcome(ssize_t result) {
  using Kind = Wire::Outcome::Kind;
  if (result > 0) return {Kind::done, static_cast<std::size_t>(result)};
  if (result == 0) return {Kind::ended};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {Kind::not_now};
  return {Kind::failed, 0, errno};
}

}  // namespace

Wire::End Wire::prepare(Descriptor descriptor) {
  End end;
  struct stat about;
  end.descriptor = descriptor.get();
  if (descriptor && fstat(descriptor.get(), &about) == 0) end.socket = S_ISSOCK(about.st_mode);
  if (descriptor) end.never_waits = (fcntl(descriptor.get(), F_GETFL) & O_NONBLOCK) != 0;
#ifdef F_SETPIPE_SZ
  // Large traffic gains up to a third; where it is refused, nothing is lost.
  if (descriptor && !end.socket) fcntl(descriptor.get(), F_SETPIPE_SZ, 1 << 20);
#endif
  end.own = std::move(descriptor);
  return end;
}

Wire::Wire(Transport transport)
    : in_(prepare(std::move(transport.in))), out_(prepare(std::move(transport.out))) {
  if (!out_.own && in_.socket) {
    out_.descriptor = in_.descriptor;
    out_.socket = true;
    out_.never_waits = in_.never_waits;
  }
}

Wire::~Wire() = default;

Wire::Outcome Wire::read(char* buffer, std::size_t size) {
  ssize_t result;
  do {
    result = in_.socket ? recv(in_.descriptor, buffer, size, MSG_DONTWAIT)
                        : ::read(in_.descriptor, buffer, size);
  } while (result < 0 && errno == EINTR);
  return outcome(result);
}

Wire::Outcome Wire::write(std::string_view bytes) {
  if (out_.descriptor == no_descriptor) return {Outcome::Kind::failed, 0, EBADF};
  ssize_t result;
  if (out_.socket) {
    do {
      result = send(out_.descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (result < 0 && errno == EINTR);
    return outcome(result);
  }
  if (!out_.never_waits) {
    // A pipe that is ready takes PIPE_BUF bytes without waiting; a file takes anything.
    pollfd ready{out_.descriptor, POLLOUT, 0};
    if (poll(&ready, 1, 0) <= 0) return {Outcome::Kind::not_now};
    bytes = bytes.substr(0, PIPE_BUF);
  }
  if (out_.writes_quietly) out_.writes_quietly = write_quietly(out_.descriptor, bytes, result);
  if (!out_.writes_quietly) result = write_without_sigpipe(out_.descriptor, bytes);
  return outcome(result);
}

void Wire::close_output() {
  if (out_.socket && out_.descriptor == in_.descriptor)
    shutdown(out_.descriptor, SHUT_WR);
  else
    out_.own.reset();
  out_.descriptor = no_descriptor;
}

void Wire::close() {
  close_output();
  in_.own.reset();
  in_.descriptor = no_descriptor;
}

Wire::Ready Wire::wait(bool input, bool output, std::optional<std::chrono::nanoseconds> timeout) {
  pollfd set[3] = {{wake_.descriptor(), POLLIN, 0},
                   {input ? in_.descriptor : -1, POLLIN, 0},
                   {output ? out_.descriptor : -1, POLLOUT, 0}};
  timespec time{};
  if (timeout) {
    const auto count = std::max<std::chrono::nanoseconds::rep>(timeout->count(), 0);
    time.tv_sec = static_cast<time_t>(count / 1'000'000'000);
    time.tv_nsec = static_cast<long>(count % 1'000'000'000);
  }
  // EINTR counts as nothing happened: the caller looks at the clock and tries again.
  if (ppoll(set, output ? 3 : 2, timeout ? &time : nullptr, nullptr) <= 0) return {};
  if (set[0].revents != 0) wake_.drain();
  return {set[1].revents != 0, set[2].revents != 0};
}

std::vector<PollInterest> Wire::watches(bool input, bool output) const {
  std::vector<PollInterest> result{{wake_.descriptor(), true, false}};
  if (input && in_.descriptor != no_descriptor) result.push_back({in_.descriptor, true, false});
  if (output && out_.descriptor != no_descriptor) result.push_back({out_.descriptor, false, true});
  return result;
}

}  // namespace acp::io
