// Between a connection and a server that speaks HTTP: a thread that takes the connection's messages
// off one end of a socket pair, and puts what the server sends there. So order, limits and
// cancellation are the connection's own, whatever the transport.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "acp/http/client.h"
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
  // From the connection.
  virtual void message(Json message) = 0;
  // Bytes that wait to be sent.
  virtual std::size_t queued_bytes() const = 0;
  // The connection is done. To be followed by link.finish(), or time is up.
  virtual void close() = 0;
};

struct LinkOptions {
  std::size_t max_message_bytes = 32 * 1024 * 1024;
  std::chrono::milliseconds connect_time{10'000};
  // To take leave of the server.
  std::chrono::milliseconds close_time{2'000};
  // Called on the link's thread, the second once: the server cannot be used any more.
  std::function<void(LogEntry::Level, std::string)> log = nullptr;
  std::function<void(std::string reason)> on_lost = nullptr;
};

class Link {
 public:
  Link(io::Descriptor socket, std::unique_ptr<Dialect> dialect, LinkOptions options);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  // Waits until the server has been taken leave of: the other end of the socket is closed by then.
  ~Link();

  // ---- for the dialect
  const LinkOptions& options() const { return options_; }
  Client& http() { return http_; }
  // To the connection: one message, without newlines.
  void give(std::string_view line);
  io::Timers& timers() { return timers_; }
  // Nothing is read from the server now: the connection has not taken what came.
  bool held() const { return out_.size() - sent_ > max_out_bytes; }
  void log(LogEntry::Level level, std::string message);
  // Nothing more will come, and this is why.
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

  LinkOptions options_;
  io::Descriptor socket_;
  std::unique_ptr<Dialect> dialect_;
  Client http_;
  rpc::FrameReader frames_;
  std::string out_;
  std::size_t sent_ = 0;
  io::Timers timers_;
  bool input_ended_ = false;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace acp::http
