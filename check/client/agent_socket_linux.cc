#include "check/client/agent_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iostream>
#include <system_error>

namespace acp::check {
namespace {

[[noreturn]] void failed(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    failed(path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

bool write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && (errno == EINTR)) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// One direction of the relay, when there is something to move. False at its end.
bool move_some(int from, int to) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(from, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  return count > 0 && write_all(to, buffer.data(), static_cast<std::size_t>(count));
}

}  // namespace

PrivateDirectory::PrivateDirectory(std::filesystem::path given) : path_(std::move(given)) {
  if (!path_.empty()) {
    if (chmod(path_.c_str(), 0700) != 0) failed(path_.string());
    return;
  }
  std::string name =
      (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "acp-check-XXXXXX")
          .string();
  if (mkdtemp(name.data()) == nullptr) failed(name);  // with mode 0700
  path_ = name;
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool remove_left_socket(const std::filesystem::path& path) {
  struct stat about {};
  if (lstat(path.c_str(), &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
  const sockaddr_un address = address_of(path.string());
  io::Descriptor visitor;
  visitor.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool nobody =
      connect(visitor.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno == ECONNREFUSED;
  return nobody && unlink(path.c_str()) == 0;
}

AgentSocket::AgentSocket(std::filesystem::path path) : path_(std::move(path)) {
  const sockaddr_un address = address_of(path_.string());
  socket_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket_.get() < 0) failed("socket");
  const auto bound = [&] {
    return bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  };
  // Nobody gets in before listen().
  if ((!bound() && !(errno == EADDRINUSE && remove_left_socket(path_) && bound())) ||
      chmod(path_.c_str(), 0600) != 0 || listen(socket_.get(), 4) != 0)
    failed(path_.string());
}

AgentSocket::~AgentSocket() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::optional<AgentSocket::Visitor> AgentSocket::wait(std::chrono::milliseconds time) const {
  pollfd ready{socket_.get(), POLLIN, 0};
  const int polled = poll(&ready, 1, static_cast<int>(time.count()));
  if (polled <= 0) return std::nullopt;
  const int accepted = accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (accepted < 0) return std::nullopt;
  Visitor visitor;
  visitor.transport.in.reset(accepted);
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) visitor.process = who.pid;
  return visitor;
}

int relay(const SocketRelayOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  if (options.stubborn) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
  }
  io::Descriptor wire;
  wire.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(options.socket);
  if (connect(wire.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::cerr << "acp check relay: " << options.socket << ": " << std::strerror(errno) << '\n';
    return 1;
  }
  bool input = true, output = true;
  while (input || output) {
    std::array<pollfd, 2> ready{pollfd{input ? STDIN_FILENO : -1, POLLIN, 0},
                                pollfd{output ? wire.get() : -1, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return 1;
    if (output && ready[1].revents != 0 && !move_some(wire.get(), STDOUT_FILENO)) {
      output = false;
      close(STDOUT_FILENO);
      if ((ready[1].revents & POLLHUP) != 0) break;  // both directions are over
    }
    if (input && ready[0].revents != 0 && !move_some(STDIN_FILENO, wire.get())) {
      input = false;
      shutdown(wire.get(), SHUT_WR);
    }
  }
  while (options.stubborn) pause();
  return 0;
}

bool send_signal(int process, int signal) { return process > 0 && kill(process, signal) == 0; }

bool process_exists(int process) {
  if (process <= 0 || (kill(process, 0) != 0 && errno == ESRCH)) return false;
  // One that nobody has waited for yet is gone, too.
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno != ENOENT;
  std::array<char, 512> buffer;
  const ssize_t count = read(file, buffer.data(), buffer.size());
  close(file);
  const std::string_view text(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  const std::size_t name = text.rfind(')');
  return name == std::string_view::npos || name + 2 >= text.size() || text[name + 2] != 'Z';
}

std::optional<int> signal_from(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size())
    return number > 0 && number < NSIG ? std::optional(number) : std::nullopt;
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int each = 1; each < NSIG; ++each) {
    const char* const known = sigabbrev_np(each);
    if (known != nullptr && name == known) return each;
  }
  return std::nullopt;
}

}  // namespace acp::check
