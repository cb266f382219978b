// Below a WebSocket: what is written is gathered, and goes out together. Beast writes one frame at
// a time; so a thousand small messages are a few writes to the network.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "acp/remote/socket.h"

namespace acp::remote {

class Gathering {
 public:
  using executor_type = Socket::executor_type;

  explicit Gathering(Socket socket) : state_(std::make_shared<State>(std::move(socket))) {}

  executor_type get_executor() const { return state_->socket.get_executor(); }
  Socket& socket() { return state_->socket; }

  // Bytes that wait for the network.
  std::size_t unsent() const { return state_->pending.size() + state_->sending.size(); }
  // Called when everything, or a large piece, has been sent.
  void on_sent(std::function<void(std::size_t)> function) { state_->on_sent = std::move(function); }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    state_->socket.async_read_some(buffers, std::forward<Handler>(handler));
  }
  // At once, whole: so every frame stays in one piece.
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, ErrorCode& error) {
    error = state_->error;
    return error ? 0 : state_->take(buffers);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    ErrorCode error;
    const std::size_t size = write_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    const std::size_t size = state_->error ? 0 : state_->take(buffers);
    asio::post(get_executor(), boost::beast::bind_front_handler(std::forward<Handler>(handler),
                                                                state_->error, size));
  }
  // For Beast, which would otherwise not let write() be called; nothing reads this way.
  template <class Buffers>
  std::size_t read_some(const Buffers&, ErrorCode& error) {
    error = asio::error::operation_not_supported;
    return 0;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers&) {
    throw boost::system::system_error(asio::error::operation_not_supported);
  }
  // Calls back when everything has been sent, or cannot be.
  void when_sent(std::function<void()> function) {
    if (unsent() == 0 || state_->error) return function();
    state_->when_empty = std::move(function);
  }

 private:
  struct State : std::enable_shared_from_this<State> {
    explicit State(Socket socket) : socket(std::move(socket)) {}

    template <class Buffers>
    std::size_t take(const Buffers& buffers) {
      const std::size_t size = asio::buffer_size(buffers);
      const std::size_t before = pending.size();
      pending.resize(before + size);
      asio::buffer_copy(asio::buffer(pending.data() + before, size), buffers);
      if (!busy) {
        busy = true;
        // What follows in this turn of the loop goes along.
        asio::post(socket.get_executor(), [self = this->shared_from_this()] { self->send(); });
      }
      return size;
    }
    void send() {
      if (pending.empty() || error) {
        busy = false;
        if (const auto call = std::exchange(when_empty, nullptr)) call();
        return;
      }
      sending.swap(pending);
      write_rest(0);
    }
    void write_rest(std::size_t from) {
      socket.async_write_some(
          asio::buffer(sending.data() + from, sending.size() - from),
          [self = this->shared_from_this(), from](ErrorCode failure, std::size_t size) {
            self->error = failure;
            if (self->on_sent && size > 0) self->on_sent(size);
            if (!failure && from + size < self->sending.size())
              return self->write_rest(from + size);
            // An idle client costs nothing here.
            std::string().swap(self->sending);
            self->send();
          });
    }

    Socket socket;
    std::string pending, sending;
    ErrorCode error;
    bool busy = false;
    std::function<void(std::size_t)> on_sent;
    std::function<void()> when_empty;
  };
  std::shared_ptr<State> state_;
};

// How Beast takes leave of what is below a WebSocket.
inline void teardown(boost::beast::role_type, Gathering& stream, ErrorCode& error) {
  error = {};
  stream.socket().close();
}
template <class Handler>
void async_teardown(boost::beast::role_type, Gathering& stream, Handler&& handler) {
  stream.when_sent([stream, handler = std::make_shared<std::decay_t<Handler>>(
                                std::forward<Handler>(handler))]() mutable {
    stream.socket().close();
    asio::post(stream.get_executor(),
               boost::beast::bind_front_handler(std::move(*handler), ErrorCode()));
  });
}
// After a time-out.
inline void beast_close_socket(Gathering& stream) { stream.socket().close(); }

}  // namespace acp::remote
