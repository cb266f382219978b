// Our end of the socket pair between an agent, or a client, of this process and the network.
// Messages are lines here.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "acp/io/descriptor.h"
#include "acp/rpc/framing.h"

namespace acp::remote {

// Whether the other side of a socket has closed it, also if something is still to be read.
bool has_hung_up(int socket);
// Bytes that the system has taken for the other side, and that one has not; 0 where it does not
// say.
std::size_t unacknowledged(int socket);

class LocalEnd : public std::enable_shared_from_this<LocalEnd> {
 public:
  struct Events {
    std::function<void(std::string_view message)> on_message;
    // Called after the messages that came together.
    std::function<void()> on_pause;
    // Called once, last; `why` is empty if the other end was closed.
    std::function<void(const std::string& why)> on_end;
    // Called when there is room for send() again.
    std::function<void()> on_room;
  };

  LocalEnd(boost::asio::io_context& io, io::Descriptor descriptor, std::size_t max_message_bytes);
  void start(Events events);

  // Sends one message, without newlines.
  void send(std::string_view message);
  // Whether too much waits to be read by the other end: then send no more until on_room().
  bool congested() const { return out_.size() - sent_ > max_unread_bytes; }
  // Whether the other end is closed, also if reading has paused.
  bool other_end_closed() { return !closed() && has_hung_up(socket_.native_handle()); }
  // Pauses reading, or goes on.
  void hold(bool holds);
  // Closes this end. What was sent is still delivered, if the other end takes it soon. No more
  // events follow.
  void close();
  bool closed() const { return !socket_.is_open() || closing_; }

 private:
  static constexpr std::size_t max_unread_bytes = 1024 * 1024;
  using Protocol = boost::asio::local::stream_protocol;
  using Socket = boost::asio::basic_stream_socket<Protocol, boost::asio::io_context::executor_type>;

  void wait_input();
  void read();
  void read_some();
  bool take(std::string_view bytes);
  void flush();
  void limit_delivery();
  void end(const std::string& why);

  Socket socket_;
  rpc::FrameReader frames_;
  Events events_;
  std::string out_;
  std::size_t sent_ = 0;
  std::weak_ptr<boost::asio::steady_timer> delivery_timer_;
  bool holds_ = false, waits_for_input_ = false, waits_for_room_ = false, closing_ = false;
};

}  // namespace acp::remote
