// Below a WebSocket: what is written is gathered, and goes out together. Beast writes one frame at
// a time; so a thousand small messages are a few writes to the network.
#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "acp/remote/socket.h"

namespace acp::remote {

class Gathering {
 public:
  using executor_type = Socket::executor_type;

  explicit Gathering(Socket socket) : state_(std::make_shared<State>(std::move(socket))) {}

  executor_type get_executor() const { return state_->socket.get_executor(); }
  Socket& socket() { return state_->socket; }

  // Bytes that wait for the network.
  std::size_t unsent() const { return state_->unsent(); }
  // Sets what is called when everything, or a large piece, has been sent.
  void on_sent(std::function<void(std::size_t)> function) { state_->on_sent = std::move(function); }

  // Bytes that have come, of whatever frames.
  std::uint64_t received() const { return state_->received; }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    state_->socket.async_read_some(
        // The handler does not keep the stream: Beast's own hold it weakly.
        buffers, [state = state_, handler = std::forward<Handler>(handler)](
                     ErrorCode error, std::size_t size) mutable {
          state->received += size;
          handler(error, size);
        });
  }
  // Writes at once and completely: so every frame stays in one piece.
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
  // For what Beast writes by itself, as its answers to pings: taken at once, and complete when
  // there is room for more. So a client that sends pings and does not read has to wait.
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    const std::size_t size = state_->error ? 0 : state_->take(buffers);
    if (state_->error || state_->unsent() < max_unread_answers)
      return asio::post(get_executor(), boost::beast::bind_front_handler(
                                            std::forward<Handler>(handler), state_->error, size));
    state_->waiting.push_back(
        [state = state_.get(), size,
         kept = std::make_shared<std::decay_t<Handler>>(std::forward<Handler>(handler))] {
          asio::post(state->socket.get_executor(),
                     boost::beast::bind_front_handler(std::move(*kept), state->error,
                                                      state->error ? 0 : size));
        });
  }
  // Required by Beast for write(); never called.
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
    state_->when_empty.push_back(std::move(function));
  }

 private:
  static constexpr std::size_t direct_bytes = 64 * 1024;
  static constexpr std::size_t max_unread_answers = 1024 * 1024;

  struct State : std::enable_shared_from_this<State> {
    explicit State(Socket socket) : socket(std::move(socket)) {}

    std::size_t unsent() const { return pending.size() + sending.size() - sent; }

    template <class Buffers>
    std::size_t take(const Buffers& buffers) {
      const std::size_t size = asio::buffer_size(buffers);
      std::size_t gone = size >= direct_bytes && !busy ? send_now(buffers) : 0;
      if (gone == size) return size;
      if (pending.capacity() < pending.size() + size - gone)
        pending.reserve(std::max(pending.size() + size - gone, 2 * pending.capacity()));
      const auto end = asio::buffer_sequence_end(buffers);
      for (auto it = asio::buffer_sequence_begin(buffers); it != end; ++it) {
        const asio::const_buffer part(*it);
        const std::size_t skipped = std::min(gone, part.size());
        gone -= skipped;
        pending.append(static_cast<const char*>(part.data()) + skipped, part.size() - skipped);
      }
      if (!busy) {
        busy = true;
        // Later writes of this turn of the loop go out together with it.
        asio::post(socket.get_executor(), [self = this->shared_from_this()] { self->send(); });
      }
      return size;
    }
    // The part of a large message that the network takes at once is not copied. An error shows up
    // when the rest is sent.
    template <class Buffers>
    std::size_t send_now(const Buffers& buffers) {
      ErrorCode failure;
      if (socket.tls() != nullptr || socket.tcp().non_blocking(true, failure)) return 0;
      const std::size_t size = socket.tcp().write_some(buffers, failure);
      if (on_sent && size > 0) on_sent(size);
      return size;
    }
    void send() {
      if (error || unsent() < max_unread_answers)
        for (const auto& call : std::exchange(waiting, {})) call();
      if (pending.empty() || error) {
        busy = false;
        for (const auto& call : std::exchange(when_empty, {})) call();
        return;
      }
      sending.swap(pending);
      write_rest();
    }
    void write_rest() {
      socket.async_write_some(
          asio::buffer(sending.data() + sent, sending.size() - sent),
          [self = this->shared_from_this()](ErrorCode failure, std::size_t size) {
            self->error = failure;
            self->sent += size;
            const bool all = self->sent == self->sending.size();
            // An idle client costs nothing here.
            if (all || failure) std::string().swap(self->sending), self->sent = 0;
            if (self->on_sent && size > 0) self->on_sent(size);
            if (all || failure)
              self->send();
            else
              self->write_rest();
          });
    }

    Socket socket;
    std::string pending, sending;
    std::size_t sent = 0;  // of `sending`
    std::uint64_t received = 0;
    std::vector<std::function<void()>> waiting;  // for room
    ErrorCode error;
    bool busy = false;
    std::function<void(std::size_t)> on_sent;
    std::vector<std::function<void()>> when_empty;
  };
  std::shared_ptr<State> state_;
};

// How Beast shuts down the layer below a WebSocket.
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
