// Between a connection and a server that speaks HTTP: a thread that takes the connection's messages
// off one end of a socket pair, and puts what the server sends there. So order, limits and
// cancellation are the connection's own, whatever the transport.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "acp/http/transfers.h"
#include "acp/io/descriptor.h"
#include "acp/io/timers.h"
#include "acp/json/json.h"
#include "acp/log.h"
#include "acp/rpc/framing.h"

namespace acp::http {

class Link;

// How messages travel. Called on the link's thread.
class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual void begin(Link& link) = 0;
  // Sends a message of the connection.
  virtual void message(Json message) = 0;
  // Bytes that wait to be sent.
  virtual std::size_t queued_bytes() const = 0;
  // The connection is closed. Must call link.finish() before the time is over.
  virtual void close() = 0;
};

struct LinkOptions {
  std::size_t max_message_bytes = 32 * 1024 * 1024;
  std::chrono::milliseconds connect_time{10'000};
  // Time to close the session at the server.
  std::chrono::milliseconds close_time{2'000};
  // Called on the link's thread; `on_lost` once, when the server cannot be used any more.
  std::function<void(LogEntry::Level, std::string)> log = nullptr;
  std::function<void(std::string reason)> on_lost = nullptr;
};

class Link {
 public:
  Link(io::Descriptor socket, std::unique_ptr<Dialect> dialect, LinkOptions options);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  // Waits until the session at the server is closed; the other end of the socket is closed then.
  ~Link();

  // ---- for the dialect
  const LinkOptions& options() const { return options_; }
  Transfers& http() { return http_; }
  // Gives the connection one message, without newlines.
  void give(std::string_view line);
  io::Timers& timers() { return timers_; }
  // Whether reading from the server is paused: the connection has not taken what came.
  bool held() const { return out_.size() - sent_ > max_out_bytes; }
  void log(LogEntry::Level level, std::string message);
  // Ends the connection, with the reason, after it has taken what was given to it.
  void lost(std::string reason);
  void finish() { finished_ = true; }

 private:
  static constexpr std::size_t max_out_bytes = 4 * 1024 * 1024;

  void run();
  void step();
  void read();
  void check_input();
  void input_ended();
  void flush();
  void send_out();
  void deliver();
  void end_lost();

  LinkOptions options_;
  io::Descriptor socket_;
  std::unique_ptr<Dialect> dialect_;
  Transfers http_;
  rpc::FrameReader frames_;
  std::string out_;
  std::size_t sent_ = 0;
  io::Timers timers_;
  bool input_ended_ = false;
  bool finished_ = false;
  std::optional<std::string> lost_;  // why
  std::thread thread_;
};

}  // namespace acp::http
