// Between a WebSocket and an agent, or a client, of this process: text frames here, lines there,
// each in the pace of the other side.
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
    std::chrono::milliseconds max_stall{0};
    std::chrono::milliseconds vanish_time{0};
    std::size_t compress_from_bytes = 0;  // 0: never
  };
  struct Hooks {
    // A message of the other machine's. False: it goes no further. May be null.
    std::function<bool(std::string& text)> on_received = nullptr;
    // A message of this process', before it is sent. May be null.
    std::function<void(std::string_view text)> on_sending = nullptr;
    // Once. The reason is the other side's, or what went wrong.
    std::function<void(int code, const std::string& reason)> on_end = nullptr;
    // The local end was closed; why, if it went wrong.
    std::function<void(const std::string& why)> on_local_end = nullptr;
  };

  WebSocketPipe(Socket socket, const Options& options);
  // To be opened by accept() or handshake(); then start().
  Stream& stream() { return stream_; }

  void start(Hooks hooks);
  // From now on messages have somewhere to go.
  void attach(std::shared_ptr<LocalEnd> local);
  LocalEnd* local() { return local_.get(); }
  void write(std::string_view text);
  // In place of an answer of the local end's. One who reads none of them may ask no more.
  void reply(std::string_view text);
  // With a reason that the other side reads, if it reads at all.
  void close(int code, std::string reason);
  bool ended() const { return ended_; }

  std::uint64_t bytes_received() const { return received_; }
  std::uint64_t bytes_sent() const { return sent_; }

 private:
  void read();
  void on_read(boost::system::error_code error);
  void check_room();
  void watch_stall();
  bool must_read_first() const;
  void end(int code, const std::string& reason);

  const Options options_;
  Stream stream_;
  boost::beast::flat_buffer buffer_;
  Hooks hooks_;
  std::shared_ptr<LocalEnd> local_;
  boost::asio::steady_timer stalled_, closes_;
  std::uint64_t received_ = 0, sent_ = 0;
  std::size_t replied_ = 0;  // bytes, since everything was sent
  std::pair<int, std::string> closed_with_{0, ""};
  bool reading_ = false, held_ = false, ended_ = false;
};

}  // namespace acp::remote
