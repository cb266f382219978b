// WebSocket by hand: frames as RFC 6455 has them, one at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/agent/transport_http.h"

namespace acp::check {

class WebSocketClient {
 public:
  enum Opcode : unsigned char { rest = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };
  struct Received {
    unsigned char opcode = 0;  // of a message in several frames: the first one's
    std::string payload;
  };

  // Asks for the upgrade.
  explicit WebSocketClient(const Endpoint& server);

  const HttpReply& reply() const { return reply_; }
  bool open() const { return reply_.status == 101; }
  // Whether the server has accepted the upgrade correctly.
  bool accepted() const;

  void send(std::string_view message) { send_frame(text, message); }
  void send_frame(Opcode opcode, std::string_view payload, bool last = true);
  // The next message or control frame; nothing if the time is over or the connection has ended.
  std::optional<Received> receive();
  // The next message in a text frame; answers pings, and skips pongs. Nothing at the end.
  std::optional<std::string> receive_text();
  // Skips messages until the answer with this id.
  std::optional<Json> answer_to(const Json& id);
  // The code of the server's close frame, once receive has seen it: 1005 if it has none.
  std::optional<int> close_code() const { return close_code_; }
  // Describes what was received last, or why nothing was.
  std::string last_seen() const;

 private:
  bool fill(std::size_t bytes, TransportSocket::Time deadline);

  const Endpoint& server_;
  TransportSocket socket_;
  HttpReply reply_;
  std::string buffer_, seen_, partial_;
  unsigned char partial_opcode_ = 0;
  std::optional<int> close_code_;
  bool ended_ = false;
};

}  // namespace acp::check
