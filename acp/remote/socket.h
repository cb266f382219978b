// A TCP socket on Asio, plain or with TLS: one type, so that what is built on it is compiled once.
#pragma once

#include "acp/remote/openssl.h"  // before Asio

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <optional>
#include <utility>

namespace acp::remote {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

class Socket {
 public:
  using executor_type = asio::io_context::executor_type;
  using Tcp = asio::basic_stream_socket<asio::ip::tcp, executor_type>;

  // Without a context it stays plain.
  Socket(Tcp tcp, asio::ssl::context* tls) : tcp_(std::make_unique<Tcp>(std::move(tcp))) {
    if (tls != nullptr) tls_ = std::make_unique<asio::ssl::stream<Tcp&>>(*tcp_, *tls);
  }

  executor_type get_executor() { return tcp_->get_executor(); }
  Tcp& tcp() { return *tcp_; }
  // Null if it is plain.
  asio::ssl::stream<Tcp&>* tls() { return tls_.get(); }

  template <class Handler>
  void handshake(asio::ssl::stream_base::handshake_type side, Handler handler) {
    tls_->async_handshake(side, std::move(handler));
  }
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    else
      tcp_->async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    if (tls_)
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    else
      tcp_->async_write_some(buffers, std::forward<Handler>(handler));
  }
  int native() { return tcp_->native_handle(); }
  // Closes the socket; pending operations fail.
  void close() {
    ErrorCode ignored;
    tcp_->shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    tcp_->close(ignored);
  }

 private:
  std::unique_ptr<Tcp> tcp_;  // its address stays when this moves
  std::unique_ptr<asio::ssl::stream<Tcp&>> tls_;
};

}  // namespace acp::remote
