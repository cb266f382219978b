// A TCP connection of the driver's to a server on this machine. It blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench::remote {

class Socket {
 public:
  // From 127.0.0.`host`: one address has ports for no more than 28,000 connections.
  explicit Socket(std::uint16_t port, int host = 1);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;

  int descriptor() const { return fd_; }
  void send(std::string_view first, std::string_view second = {});
  // What was received and not taken. Valid until the next fill() or take().
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void take(std::size_t bytes) { begin_ += bytes; }
  // Waits for more. Throws Failure at the end.
  void fill();
  // Reads what is there. False: nothing.
  bool fill_now() { return receive(false); }
  // Until the end of a head ("\r\n\r\n"), which is taken.
  std::string head();
  // Gives the memory of an empty buffer back.
  void shrink();

 private:
  bool receive(bool waits);

  int fd_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace bench::remote
