#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "acp/io/wake_pipe.h"

namespace acp::io {

WakePipe::WakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  read_.reset(ends[0]);
  write_.reset(ends[1]);
}

// A full pipe is poked already.
void WakePipe::poke() const noexcept {
  const int before = errno;
  [[maybe_unused]] const ssize_t size = ::write(write_.get(), "", 1);
  errno = before;
}

void WakePipe::drain() const noexcept {
  char bytes[64];
  while (::read(read_.get(), bytes, sizeof bytes) > 0) {
  }
}

}  // namespace acp::io
