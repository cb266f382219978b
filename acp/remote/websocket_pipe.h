// Connects a WebSocket with an agent, or a client, of this process: text frames here, lines there,
// each at the pace of the other side.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "acp/remote/gathering.h"
#include "acp/remote/local_end.h"

namespace acp::remote {

class WebSocketPipe : public std::enable_shared_from_this<WebSocketPipe> {
 public:
  using Stream = boost::beast::websocket::stream<Gathering>;
  using CloseCode = boost::beast::websocket::close_code;

  struct Options {
    std::size_t max_message_bytes = 0;
    // The other side may take nothing for so long while there is something for it; and so long when
    // this side has ended.
    std::chrono::milliseconds max_stall{0};
    std::chrono::milliseconds max_last_stall{0};
    std::chrono::milliseconds vanish_time{0};
    std::size_t compress_from_bytes = 0;  // 0: never
  };
  struct Hooks {
    // Receives a message of the other machine; returns false to drop it. May be null.
    std::function<bool(std::string& text)> on_received = nullptr;
    // Sees a message of this process before it is sent. May be null.
    std::function<void(std::string_view text)> on_sending = nullptr;
    // Called when everything has been sent. May be null.
    std::function<void()> on_all_sent = nullptr;
    // Called once. The reason is the other side's, or an error.
    std::function<void(int code, const std::string& reason)> on_end = nullptr;
    // Called when the local end was closed; with the error, if there was one.
    std::function<void(const std::string& why)> on_local_end = nullptr;
  };

  WebSocketPipe(Socket socket, const Options& options);
  // The stream, to be opened by accept() or handshake(); then call start().
  Stream& stream() { return stream_; }

  void start(Hooks hooks);
  // Attaches the local end: from now on messages are passed on.
  void attach(std::shared_ptr<LocalEnd> local);
  LocalEnd* local() { return local_.get(); }
  void write(std::string_view text);
  // Sends an answer in place of the local end. A client that does not read these is not read from.
  void reply(std::string_view text);
  // Closes the WebSocket, with a reason for the other side. What was written is still delivered.
  void close(int code, std::string reason);
  bool ended() const { return ended_; }
  bool all_sent() const { return stream_.next_layer().unsent() == 0; }

  std::uint64_t bytes_received() const { return received_; }
  std::uint64_t bytes_sent() const { return sent_; }

 private:
  void read();
  void on_read(boost::system::error_code error);
  void on_sent(std::size_t bytes);
  void check_room();
  void watch_stall();
  void look_for_stall();
  std::int64_t taken_now();
  void limit_farewell(std::chrono::milliseconds stall);
  void watch_life();
  void look_for_life();
  void ping();
  bool must_read_first() const;
  void end(int code, const std::string& reason);
  void take_down();

  const Options options_;
  Stream stream_;
  boost::beast::flat_buffer buffer_;
  Hooks hooks_;
  std::shared_ptr<LocalEnd> local_;
  boost::asio::steady_timer stalled_, closes_, alive_;
  std::chrono::steady_clock::time_point taken_at_;  // the last time that the other side took some
  std::chrono::milliseconds farewell_stall_{0};     // 0: nothing has been closed
  std::uint64_t received_ = 0, sent_ = 0;
  std::int64_t taken_ = 0;  // by the other side, at the last look; more is progress
  std::uint64_t seen_ = 0, seen_taken_ = 0;  // bytes that had come and gone at the last look
  int silent_looks_ = 0;
  std::size_t replied_ = 0;  // bytes, since everything was sent
  std::pair<int, std::string> closed_with_{0, ""};
  bool reading_ = false, held_ = false, ended_ = false, pinging_ = false;
};

}  // namespace acp::remote
