#include "acp/remote/testing/raw_socket.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace acp::remote::testing {

RawSocket::RawSocket(std::uint16_t port, int receive_bytes)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_bytes > 0)
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::system_error(errno, std::generic_category(), "connect");
}

bool RawSocket::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

bool RawSocket::read_more() {
  char buffer[16 * 1024];
  ssize_t size;
  do {
    size = recv(socket_.get(), buffer, sizeof buffer, 0);
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return false;
  seen_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::string RawSocket::read_to_end() {
  while (read_more()) continue;
  return std::exchange(seen_, {});
}

std::string RawSocket::read_until(std::string_view mark) {
  std::size_t at;
  while ((at = seen_.find(mark)) == std::string::npos)
    if (!read_more()) return std::exchange(seen_, {});
  std::string text = seen_.substr(0, at + mark.size());
  seen_.erase(0, text.size());
  return text;
}

std::string RawSocket::read_bytes(std::size_t size) {
  while (seen_.size() < size)
    if (!read_more()) break;
  std::string bytes = seen_.substr(0, size);
  seen_.erase(0, bytes.size());
  return bytes;
}

void RawSocket::reset() {
  const linger at_once{1, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void RawSocket::vanish() { stop_taking(socket_.get()); }

void stop_taking(int socket) {
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog filter{1, &nothing};
  if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0)
    throw std::system_error(errno, std::generic_category(), "SO_ATTACH_FILTER");
}

int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.") && answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0;
}

}  // namespace acp::remote::testing
