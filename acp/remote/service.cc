#include "acp/remote/service.h"

#include <sys/random.h>

#include <boost/asio/post.hpp>
#include <cstdio>
#include <system_error>
#include <utility>

#include "acp/error.h"
#include "acp/http/silence.h"
#include "acp/io/transport.h"

namespace acp::remote {

namespace {

using asio::ip::tcp;

// At the end, for clients to read why.
constexpr auto farewell_time = std::chrono::seconds(5);

// A UUID of version 4. A client that knows it can use the connection.
std::string new_connection_id() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw std::system_error(errno, std::generic_category(), "getrandom");
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

// An address of IPv4 has one name, also on a socket that takes both kinds.
std::string name_of(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

}  // namespace

Service::Service(ServerOptions options)
    : options_(std::move(options)), request_filter_(options_), acceptor_(io_), drain_time_(io_) {
  if (!options_.certificate_file.empty()) {
    tls_.emplace(asio::ssl::context::tls_server);
    tls_->set_options(asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
    ErrorCode error;
    tls_->use_certificate_chain_file(options_.certificate_file, error);
    if (error)
      throw LocalFailure("the certificate cannot be used: " + options_.certificate_file + ": " +
                         error.message());
    tls_->use_private_key_file(options_.key_file, asio::ssl::context::pem, error);
    if (error)
      throw LocalFailure("the key cannot be used: " + options_.key_file + ": " + error.message());
  }
  listen();
}

Service::~Service() {
  // Waiting work keeps peers alive; they unregister here.
  connections_.clear();
}

void Service::listen() {
  ErrorCode error;
  const auto address = asio::ip::make_address(options_.address, error);
  if (error) throw LocalFailure("no numeric address: " + options_.address);
  const tcp::endpoint endpoint(address, options_.port);
  const auto check = [&](const char* what) {
    if (error)
      throw std::system_error(
          error.value(), std::generic_category(),
          std::string(what) + " " + options_.address + ":" + std::to_string(options_.port));
  };
  acceptor_.open(endpoint.protocol(), error);
  check("cannot listen on");
  acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  acceptor_.bind(endpoint, error);
  check("cannot listen on");
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  check("cannot listen on");
  port_ = acceptor_.local_endpoint().port();
}

void Service::start(std::function<void(Incoming)> on_client) {
  on_client_ = std::move(on_client);
  accept();
}

void Service::accept() {
  acceptor_.async_accept(io_.get_executor(), [this](ErrorCode error, Socket::Tcp socket) {
    if (!acceptor_.is_open()) return;
    // The next is waited for first: whatever fails below, it is accepted.
    if (error) {
      // Out of descriptors: others may end meanwhile.
      const auto pause = std::make_shared<asio::steady_timer>(io_, std::chrono::milliseconds(100));
      pause->async_wait([this, pause](ErrorCode) {
        if (acceptor_.is_open()) accept();
      });
      return log(LogEntry::Level::error, "a connection cannot be accepted: " + error.message());
    }
    accept();
    take(std::move(socket));
  });
}

void Service::take(Socket::Tcp socket) {
  ErrorCode gone;
  const auto from = socket.remote_endpoint(gone);
  if (gone) return;
  const std::string address = name_of(from.address());
  const auto unknown = unknown_.find(address);
  if (peers_.size() >= options_.limits.max_sockets)
    return log(LogEntry::Level::warning, "too many sockets: one more was closed");
  if (unknown != unknown_.end() && unknown->second >= options_.limits.max_unknown_sockets)
    return log(LogEntry::Level::warning,
               "too many sockets of " + address + " that nobody knows: one more was closed");
  ErrorCode ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  acp::http::limit_silence(socket.native_handle(), options_.limits.vanish_time);
  serve_http(*this, Socket(std::move(socket), tls_ ? &*tls_ : nullptr), address);
}

void Service::remove_unknown(const std::string& address) {
  const auto found = unknown_.find(address);
  if (found != unknown_.end() && --found->second == 0) unknown_.erase(found);
}

bool Service::take_body(std::size_t bytes) {
  if (bodies_bytes_ > 0 && bodies_bytes_ + bytes > options_.limits.max_bodies_bytes) return false;
  bodies_bytes_ += bytes;
  return true;
}

// What a handler could not do ends its client: nothing else keeps that.
void Service::run() {
  while (true) {
    try {
      io_.run();
      over_ = true;
      return;
    } catch (const std::exception& exception) {
      log(LogEntry::Level::error, std::string("a client was dropped: ") + exception.what());
    }
  }
}

// ---- clients

bool Service::takes_clients() const {
  return !draining_ && agents_ < options_.limits.max_connections;
}

void Service::end_before(const std::string& principal, const std::string& client) {
  if (client.empty() || draining_) return;
  constexpr const char* reason = "the client has come again";
  // What ends leaves the lists.
  const auto connections = connections_;
  for (const auto& [id, connection] : connections)
    if (connection->principal() == principal && connection->client() == client)
      connection->close(reason);
  const auto peers = peers_;
  for (SocketPeer* const peer : peers)
    if (peers_.contains(peer) && peer->is_of(principal, client)) peer->shut(reason);
}

std::shared_ptr<HttpConnection> Service::new_connection(const std::string& principal,
                                                        const std::string& client) {
  auto connection = std::make_shared<HttpConnection>(*this, new_connection_id(), principal, client);
  connections_.emplace(connection->id(), connection);
  return connection;
}

std::shared_ptr<HttpConnection> Service::find(const std::string& id,
                                              const std::string& principal) const {
  const auto found = connections_.find(id);
  if (found == connections_.end() || found->second->principal() != principal) return nullptr;
  return found->second;
}

void Service::forget(const HttpConnection& connection) { connections_.erase(connection.id()); }

std::shared_ptr<LocalEnd> Service::new_agent(const std::string& id, const std::string& principal,
                                             const std::string& address) {
  try {
    auto [ours, theirs] = memory_pair();
    auto end =
        std::make_shared<LocalEnd>(io_, std::move(ours.in), options_.limits.max_message_bytes);
    on_client_({std::move(theirs), id, address, principal});
    ++agents_;
    return end;
  } catch (const std::exception& exception) {
    log(LogEntry::Level::error, std::string("an agent cannot be started: ") + exception.what());
    return nullptr;
  }
}

std::string Service::new_id() { return new_connection_id(); }

void Service::remove(SocketPeer& peer) {
  peers_.erase(&peer);
  sockets_ = peers_.size();
  if (ended_ && peers_.empty() && !over_) drain_time_.cancel();
  check_drained();
}

// ---- the end

void Service::drain(std::chrono::milliseconds time) {
  asio::post(io_, [this, time] {
    if (draining_) return;
    draining_ = true;  // a turn may need answers of its client, on new sockets
    drain_time_.expires_after(time);
    drain_time_.async_wait([this](ErrorCode error) {
      if (!error) end_all("the server is shutting down, and its time is over");
    });
    check_drained();
  });
}

void Service::stop() {
  asio::post(io_, [this] {
    draining_ = true;
    end_all("the server is shutting down");
  });
}

void Service::check_drained() {
  if (!draining_ || ended_) return;
  for (const auto& [id, connection] : connections_)
    if (connection->busy()) return;
  for (const SocketPeer* peer : peers_)
    if (peer->busy()) return;
  // Deferred: the caller is the peer that just became idle.
  asio::post(io_, [this] { end_all("the server is shutting down"); });
}

void Service::end_all(const std::string& reason) {
  if (std::exchange(ended_, true)) return;
  ErrorCode ignored;
  acceptor_.close(ignored);
  drain_time_.cancel();
  const auto connections = connections_;
  for (const auto& [id, connection] : connections) connection->close(reason);
  const auto peers = peers_;
  for (SocketPeer* const peer : peers)
    if (peers_.contains(peer)) peer->shut(reason);
  if (peers_.empty()) return;
  drain_time_.expires_after(farewell_time);
  drain_time_.async_wait([this](ErrorCode error) {
    if (!error) io_.stop();
  });
}

void Service::log(LogEntry::Level level, std::string message) {
  if (options_.log) options_.log({level, std::move(message)});
}

void Service::access(const Access& access) {
  if (options_.access_log) options_.access_log(access);
}

}  // namespace acp::remote
