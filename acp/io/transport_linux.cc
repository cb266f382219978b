#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "acp/io/transport.h"

namespace acp {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A description of our own where the system lets us: a process that shares the old one would be
// surprised by O_NONBLOCK. A socket needs none: its calls can be non-blocking one by one.
io::Descriptor own(int descriptor, int mode) {
  struct stat about;
  if (fstat(descriptor, &about) != 0) fail("stdio");
  if (S_ISFIFO(about.st_mode)) {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const int reopened = open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC);
    if (reopened >= 0) return io::Descriptor(reopened);
  }
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) fail("stdio");
  return io::Descriptor(copy);
}

}  // namespace

Transport stdio() {
  static std::atomic<bool> taken = false;
  if (taken.exchange(true)) throw std::logic_error("acp::stdio() can be taken once");
  Transport transport{own(STDIN_FILENO, O_RDONLY), own(STDOUT_FILENO, O_WRONLY)};
  const io::Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null || dup2(null.get(), STDIN_FILENO) < 0) fail("stdin");
  // Without a stderr, stray output goes nowhere.
  if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    const io::Descriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (!nowhere || dup2(nowhere.get(), STDOUT_FILENO) < 0) fail("stdout");
  }
  return transport;
}

std::pair<Transport, Transport> memory_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
    fail("socketpair");
  return {Transport{io::Descriptor(ends[0]), {}}, Transport{io::Descriptor(ends[1]), {}}};
}

}  // namespace acp
