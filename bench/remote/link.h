// A client that speaks just enough of one transport: messages out, messages in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/remote/socket.h"

namespace bench::remote {

class Link {
 public:
  virtual ~Link() = default;
  virtual void send(std::string_view message, const std::string& session) = 0;
  // The next message. Valid until the next call.
  virtual std::string_view receive() = 0;
  // What the transport itself answers to what was sent.
  virtual void settle() {}
  // From now on messages are this session's, where the transport makes a difference.
  virtual void enter(const std::string&) {}
};

// Text frames; those of the client are masked with zeros, which changes nothing.
class WebSocket final : public Link {
 public:
  explicit WebSocket(std::uint16_t port, int host = 1);

  void send(std::string_view message, const std::string& session = {}) override;
  std::string_view receive() override;
  // Of what is there; nothing: no whole message.
  std::optional<std::string_view> receive_now();
  Socket& socket() { return socket_; }

 private:
  void send_frame(unsigned char kind, std::string_view payload);
  std::optional<std::string_view> frame();

  Socket socket_;
  std::size_t needed_ = 0;  // bytes of the frame that has begun
};

// Server-sent events in an answer that is chunked.
class Events {
 public:
  Events(std::uint16_t port, const std::string& connection, const std::string& session);
  std::string_view receive();

 private:
  void fill();

  Socket socket_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t chunk_ = 0;  // bytes of it that are still to come
  bool after_chunk_ = false;
};

// Requests as POSTs on one socket, one after the other. Without a session messages are those of the
// connection's stream.
class Http final : public Link {
 public:
  explicit Http(std::uint16_t port);

  void send(std::string_view message, const std::string& session) override;
  std::string_view receive() override;
  void settle() override;
  void enter(const std::string& session) override;

 private:
  void answer(std::string& head, std::string& body);

  const std::uint16_t port_;
  Socket socket_;
  std::string connection_;
  std::string initialized_, first_;  // the answer to `initialize`; handed out
  bool owes_answer_ = false;
  std::unique_ptr<Events> events_, of_session_;
};

}  // namespace bench::remote
