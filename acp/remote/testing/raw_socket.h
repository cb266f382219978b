// A client that writes what it likes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "acp/io/descriptor.h"

namespace acp::remote::testing {

class RawSocket {
 public:
  // To this port of loopback. With a size, the system takes only so much before it is read here.
  explicit RawSocket(std::uint16_t port, int receive_bytes = 0);
  explicit RawSocket(io::Descriptor socket) : socket_(std::move(socket)) {}

  // False: the other side has closed.
  bool send(std::string_view bytes);
  // Until the other side closes.
  std::string read_to_end();
  // Until this has come; what came.
  std::string read_until(std::string_view mark);
  // So many bytes; fewer at the end.
  std::string read_bytes(std::size_t size);
  // The system sends a reset instead of an end.
  void reset();
  // As a machine that has lost its power: what comes is neither taken nor confirmed, not even an
  // end, and nothing may be sent.
  void vanish();
  void close() { socket_.reset(); }
  int native() const { return socket_.get(); }

 private:
  // False at the end.
  bool read_more();

  io::Descriptor socket_;
  std::string seen_;
};

// Does so for any socket.
void stop_taking(int socket);

// "HTTP/1.1 404 Not Found…" → 404; 0 if it is no answer.
int status_of(const std::string& answer);

}  // namespace acp::remote::testing
