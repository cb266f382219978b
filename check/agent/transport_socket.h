// A TCP connection on which everything has a deadline.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/descriptor.h"

namespace acp::check {

class TransportSocket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Connects. Throws std::system_error if nobody accepts before the deadline.
  TransportSocket(const std::string& host, const std::string& port, Time deadline);

  // Sends bytes. Returns false if the server takes no more, or the time is over.
  bool send(std::string_view bytes, Time deadline);
  enum class Read { some, end, late };
  // Appends what has come.
  Read read(std::string& into, Time deadline);

  // Waits until one of them has something to read, or the time is over.
  static void wait_any(const std::vector<TransportSocket*>& sockets, Time deadline);

 private:
  io::Descriptor socket_;
};

}  // namespace acp::check
