// A WebSocket client that sends any frame it likes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "acp/remote/testing/raw_socket.h"

namespace acp::remote::testing {

class RawWebSocket {
 public:
  enum Opcode { continuation = 0, text = 1, binary = 2, closing = 8, ping = 9, pong = 10 };
  struct Frame {
    int opcode = 0;
    std::string payload = {};
  };
  struct Shape {
    bool final = true;
    bool masked = true;
    int reserved = 0;  // the three bits: 4 is what compression uses
  };

  // Asks for /acp there, with further headers, and waits for the answer.
  explicit RawWebSocket(std::uint16_t port, const std::string& headers = "", int receive_bytes = 0);
  // The server's answer to the upgrade.
  const std::string& head() const { return head_; }

  // False: the other side has closed.
  bool send(int opcode, std::string_view payload, const Shape& shape);
  bool send(int opcode, std::string_view payload) { return send(opcode, payload, Shape()); }
  // Nothing at the end.
  std::optional<Frame> read();
  // Passes over everything else. 0: it ended without a close frame.
  int read_close_code();
  RawSocket& socket() { return socket_; }

 private:
  RawSocket socket_;
  std::string head_;
};

// A frame's bytes, as a client sends them.
std::string frame_bytes(int opcode, std::string_view payload, const RawWebSocket::Shape& shape);

}  // namespace acp::remote::testing
