#include "acp/remote/websocket_client.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "acp/http/silence.h"
#include "acp/http/status.h"
#include "acp/http/url.h"
#include "acp/io/quiet_thread.h"
#include "acp/remote/websocket_pipe.h"

namespace acp::remote {

namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;

// A server that takes nothing does not hold up for longer who has closed the connection.
constexpr auto last_stall = std::chrono::seconds(2);

// Everything on one thread of its own, but for what is asked from outside.
class WebSocketLink final : public TransportLink {
 public:
  WebSocketLink(const std::string& url, const UrlOptions& options, io::Descriptor local)
      : address_(http::parts_of(url)),
        shown_(http::shown_url(url)),
        options_(options),
        resolver_(io_.get_executor()),
        time_(io_),
        local_(std::make_shared<LocalEnd>(io_, std::move(local), options.max_message_bytes)) {
    thread_ = io::quiet_thread([this] { run(); });
  }
  ~WebSocketLink() override {
    asio::post(io_, [this] {
      if (!started_) fail("closed before the connection was established");
    });
    thread_.join();
  }

  std::string end_reason() const override {
    std::lock_guard lock(mutex_);
    return reason_;
  }

 private:
  bool secure() const { return address_.secure(); }

  void run() {
    try {
      begin();
      io_.run();
    } catch (const std::exception& exception) {
      fail(exception.what());
    }
    // What could not be delivered must not look like an open connection.
    pipe_ = nullptr;
    local_->close();
    io_.restart();
    try {
      io_.run();
    } catch (const std::exception&) {
      // It was to be delivered, and could not be: the end of it can.
    }
  }

  // ---- reaching it
  void begin() {
    time_.expires_after(options_.connect_time);
    time_.async_wait([this](ErrorCode error) {
      if (!error)
        fail("cannot reach " + shown_ + ": there is no connection within " +
             std::to_string(options_.connect_time.count()) + " ms");
    });
    if (!choose_proxy()) return;
    const std::string host = proxy_ ? proxy_->host : address_.host;
    const std::string port = proxy_ ? proxy_->port : address_.port;
    resolver_.async_resolve(host, port, [this](ErrorCode error, const Results& found) {
      if (ended_) return;
      if (error) return unreachable(error);
      connect(found);
    });
  }
  using Resolver = asio::ip::basic_resolver<tcp, Socket::executor_type>;
  using Results = Resolver::results_type;

  void connect(const Results& found) {
    if (secure()) {
      tls_.emplace(asio::ssl::context::tls_client);
      ErrorCode error;
      if (options_.ca_file.empty())
        tls_->set_default_verify_paths(error);
      else
        tls_->load_verify_file(options_.ca_file, error);
      if (error)
        return fail("the certificates of those to be trusted cannot be read: " + error.message());
      tls_->set_verify_mode(asio::ssl::verify_peer);
    }
    socket_.emplace(Socket::Tcp(io_.get_executor()), tls_ ? &*tls_ : nullptr);
    asio::async_connect(socket_->tcp(), found, [this](ErrorCode error, const tcp::endpoint&) {
      if (ended_) return;
      if (error) return unreachable(error);
      ErrorCode ignored;
      socket_->tcp().set_option(tcp::no_delay(true), ignored);
      http::limit_silence(socket_->native(), options_.vanish_time);
      proxy_ ? tunnel() : secure_it();
    });
  }

  void unreachable(ErrorCode error) {
    fail("cannot reach " + shown_ +
         (proxy_ ? " by the proxy " + proxy_->host + ":" + proxy_->port : "") + ": " +
         error.message());
  }

  // ---- a proxy
  // Returns false if there is one that cannot be used.
  bool choose_proxy() {
    std::string url = !options_.proxy.empty() ? options_.proxy : http::proxy_for(address_);
    if (url.empty()) return true;
    if (url.find("://") == std::string::npos) url.insert(0, "http://");
    std::string scheme = url.substr(0, url.find("://"));
    std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (scheme != "http") {
      fail("a WebSocket is reached by proxies of http:// alone, not of " + scheme + "://");
      return false;
    }
    proxy_ = http::parts_of(url);
    if (!proxy_->host.empty()) return true;
    fail("the proxy's address is invalid: expected http://HOST:PORT");
    return false;
  }

  void tunnel() {
    namespace bhttp = beast::http;
    const std::string target = address_.authority();
    auto request =
        std::make_shared<bhttp::request<bhttp::empty_body>>(bhttp::verb::connect, target, 11);
    request->set(bhttp::field::host, target);
    if (!proxy_->credentials.empty())
      request->set(bhttp::field::proxy_authorization, "Basic " + http::base64(proxy_->credentials));
    bhttp::async_write(socket_->tcp(), *request, [this, request](ErrorCode error, std::size_t) {
      if (ended_) return;
      if (error) return unreachable(error);
      auto parser = std::make_shared<bhttp::response_parser<bhttp::empty_body>>();
      auto buffer = std::make_shared<beast::flat_buffer>();
      parser->skip(true);
      bhttp::async_read_header(
          socket_->tcp(), *buffer, *parser, [this, parser, buffer](ErrorCode error, std::size_t) {
            if (ended_) return;
            if (error) return unreachable(error);
            const int status = static_cast<int>(parser->get().result_int());
            if (status >= 300)
              return fail("the proxy " + proxy_->host + ":" + proxy_->port + " refuses " +
                          address_.authority() + ": " + http::describe_status(status, ""));
            secure_it();
          });
    });
  }

  // ---- the two handshakes
  void secure_it() {
    if (!secure()) return upgrade();
    auto* const tls = socket_->tls();
    tls->set_verify_callback(asio::ssl::host_name_verification(address_.host));
    SSL_set_tlsext_host_name(tls->native_handle(), address_.host.c_str());
    socket_->handshake(asio::ssl::stream_base::client, [this](ErrorCode error) {
      if (ended_) return;
      if (error) return fail("no secure connection to " + shown_ + ": " + error.message());
      upgrade();
    });
  }

  void upgrade() {
    pipe_ = std::make_shared<WebSocketPipe>(
        std::move(*socket_),
        WebSocketPipe::Options{options_.max_message_bytes, std::chrono::hours(24), last_stall,
                               options_.vanish_time, options_.compress_from_bytes});
    socket_.reset();
    pipe_->stream().set_option(
        websocket::stream_base::decorator([this](websocket::request_type& request) {
          for (const auto& [name, value] : options_.headers) request.set(name, value);
          if (!options_.bearer_token.empty())
            request.set(beast::http::field::authorization, "Bearer " + options_.bearer_token);
        }));
    const auto response = std::make_shared<websocket::response_type>();
    pipe_->stream().async_handshake(*response, address_.shown_authority(), address_.target,
                                    [this, response](ErrorCode error) {
                                      time_.cancel();
                                      if (ended_) return;
                                      if (error) return refused(*response, error);
                                      start();
                                    });
  }

  void refused(const websocket::response_type& response, ErrorCode error) {
    if (error == websocket::error::upgrade_declined)
      return fail(http::describe_status(static_cast<int>(response.result_int()),
                                        without_secrets(response.body())));
    fail("no WebSocket at " + shown_ + ": " + error.message());
  }

  void start() {
    started_ = true;
    WebSocketPipe::Hooks hooks;
    hooks.on_end = [this](int code, const std::string& reason) {
      fail(code == 1000 || code == 0 ? reason
           : reason.empty() ? "the server closed the connection (" + std::to_string(code) + ")"
                            : "the server closed the connection: " + reason);
    };
    hooks.on_local_end = [this](const std::string&) {
      if (pipe_) pipe_->close(1000, "");
    };
    pipe_->start(std::move(hooks));
    pipe_->attach(local_);
  }

  // The first reason counts.
  void fail(const std::string& reason) {
    if (std::exchange(ended_, true)) return;
    {
      std::lock_guard lock(mutex_);
      reason_ = without_secrets(reason);
    }
    time_.cancel();
    resolver_.cancel();
    if (socket_) socket_->close();
    if (pipe_ && !pipe_->ended()) pipe_->stream().next_layer().socket().close();
    // Its timers would keep the thread.
    asio::post(io_, [this] { pipe_ = nullptr; });
    local_->close();
  }

  // A server's answer may repeat what it was sent.
  std::string without_secrets(std::string text) const {
    const auto hide = [&](const std::string& secret) {
      constexpr std::size_t shortest_secret = 4;
      if (secret.size() < shortest_secret) return;
      for (std::size_t at = 0; (at = text.find(secret)) != std::string::npos;)
        text.replace(at, secret.size(), "…");
    };
    hide(options_.bearer_token);
    for (const auto& [name, value] : options_.headers) hide(value);
    return text;
  }

  const http::UrlParts address_;
  const std::string shown_;
  const UrlOptions options_;
  asio::io_context io_{1};
  Resolver resolver_;
  asio::steady_timer time_;
  std::optional<asio::ssl::context> tls_;
  std::optional<http::UrlParts> proxy_;
  std::optional<Socket> socket_;
  std::shared_ptr<LocalEnd> local_;
  std::shared_ptr<WebSocketPipe> pipe_;
  mutable std::mutex mutex_;
  std::string reason_;
  bool started_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace

std::shared_ptr<TransportLink> open_websocket(const std::string& url, const UrlOptions& options,
                                              io::Descriptor local) {
  return std::make_shared<WebSocketLink>(url, options, std::move(local));
}

}  // namespace acp::remote
