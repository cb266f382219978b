#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "check/agent/transport_socket.h"

namespace acp::check {

namespace {

using Time = TransportSocket::Time;

int left(Time deadline) {
  const auto time =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, time.count()));
}

bool ready(int socket, short events, Time deadline) {
  pollfd waiting{socket, events, 0};
  int count;
  while ((count = poll(&waiting, 1, left(deadline))) < 0 && errno == EINTR) continue;
  return count > 0;
}

}  // namespace

TransportSocket::TransportSocket(const std::string& host, const std::string& port, Time deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); fault != 0)
    throw std::system_error(EHOSTUNREACH, std::generic_category(), gai_strerror(fault));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int error = EHOSTUNREACH;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    socket_.reset(socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_) continue;
    error = 0;
    if (connect(socket_.get(), each->ai_addr, each->ai_addrlen) != 0) error = errno;
    if (error == EINPROGRESS) {
      error = ETIMEDOUT;
      socklen_t size = sizeof error;
      if (ready(socket_.get(), POLLOUT, deadline))
        getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) return;
  }
  throw std::system_error(error, std::generic_category(), host + ":" + port);
}

bool TransportSocket::send(std::string_view bytes, Time deadline) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      if (!ready(socket_.get(), POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

TransportSocket::Read TransportSocket::read(std::string& into, Time deadline) {
  std::array<char, 65536> buffer;
  for (;;) {
    if (!ready(socket_.get(), POLLIN, deadline)) return Read::late;
    const ssize_t count = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Read::end;
    into.append(buffer.data(), static_cast<std::size_t>(count));
    return Read::some;
  }
}

void TransportSocket::wait_any(const std::vector<TransportSocket*>& sockets, Time deadline) {
  std::vector<pollfd> waiting;
  for (const TransportSocket* each : sockets) waiting.push_back({each->socket_.get(), POLLIN, 0});
  while (poll(waiting.data(), waiting.size(), left(deadline)) < 0 && errno == EINTR) continue;
}

}  // namespace acp::check
