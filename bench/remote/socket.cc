#include "bench/remote/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bench/wire/child.h"

namespace bench::remote {

using wire::Failure;

namespace {

// The size that reads begin with, and the one that much traffic makes of it.
constexpr std::size_t small_bytes = 4 * 1024, large_bytes = 512 * 1024;

sockaddr_in address(int host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + static_cast<std::uint32_t>(host - 1));
  address.sin_port = htons(port);
  return address;
}

void check(int result, const char* what) {
  if (result < 0) throw Failure(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Socket::Socket(std::uint16_t port, int host) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd_, "socket");
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Closed at once: thousands of them would use up the ports for a minute.
  const linger none{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  if (host != 1) {
    setsockopt(fd_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    const sockaddr_in from = address(host, 0);
    check(bind(fd_, reinterpret_cast<const sockaddr*>(&from), sizeof from), "bind");
  }
  const sockaddr_in to = address(1, port);
  check(connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to), "connect");
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Socket::Socket(Socket&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(std::exchange(other.begin_, 0)),
      end_(std::exchange(other.end_, 0)) {}

void Socket::send(std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    const iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                            {const_cast<char*>(second.data()), second.size()}};
    const ssize_t written = writev(fd_, parts, 2);
    if (written < 0 && errno == EINTR) continue;
    check(static_cast<int>(written), "the server does not take more");
    const std::size_t of_first = std::min(static_cast<std::size_t>(written), first.size());
    first.remove_prefix(of_first);
    second.remove_prefix(static_cast<std::size_t>(written) - of_first);
  }
}

bool Socket::receive(bool waits) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.empty()) buffer_.resize(small_bytes);
  if (end_ == buffer_.size()) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ > buffer_.size() / 2) buffer_.resize(std::max(large_bytes, buffer_.size() * 2));
  }
  while (true) {
    const ssize_t size =
        recv(fd_, buffer_.data() + end_, buffer_.size() - end_, waits ? 0 : MSG_DONTWAIT);
    if (size > 0) {
      end_ += static_cast<std::size_t>(size);
      return true;
    }
    if (size == 0) throw Failure("the server has closed the connection");
    if (!waits && errno == EAGAIN) return false;
    if (errno != EINTR) throw Failure(std::string("recv: ") + std::strerror(errno));
  }
}

void Socket::fill() { receive(true); }

std::string Socket::head() {
  while (true) {
    const std::size_t end = unread().find("\r\n\r\n");
    if (end != std::string_view::npos) {
      std::string head(unread().substr(0, end + 2));
      take(end + 4);
      return head;
    }
    fill();
  }
}

void Socket::shrink() {
  if (begin_ == end_) std::vector<char>().swap(buffer_), begin_ = end_ = 0;
}

}  // namespace bench::remote
