// The inside of a Server: what listens, and the clients that are there. All of it on one thread.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "acp/remote/gate.h"
#include "acp/remote/local_end.h"
#include "acp/remote/server.h"
#include "acp/remote/socket.h"
#include "acp/remote/streams.h"

namespace acp::remote {

class Service;

// One socket of a client's.
class SocketPeer {
 public:
  virtual ~SocketPeer() = default;
  // Ends it in an orderly way, with a reason where there is one to be given.
  virtual void shut(const std::string& reason) = 0;
  // A client waits for an answer here.
  virtual bool busy() const = 0;
};

// A client over HTTP: many sockets, one agent.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Service& service, std::string id, std::string principal);
  // Hands the other end to an agent. False: it could not be started.
  bool open(const std::string& address);

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }
  Streams& streams() { return streams_; }
  bool busy() const { return initializing_ || streams_.waiting() > 0; }

  // Sends `initialize`; its answer, or an empty text if there will be none.
  void initialize(const Message& message, std::string_view text,
                  std::function<void(std::string answer)> on_answer);
  void send(std::string_view text) { agent_->send(text); }
  // Runs at once, or when there is room for more in both directions. False: too much waits already.
  bool when_there_is_room(std::size_t bytes, std::function<void()> action);

  // A reader has taken events off its stream, and more may come.
  void taken(std::size_t bytes);
  // A request, or a stream, begins and ends: while there is none, its client may have vanished.
  // `on_close` is called when the connection is closed.
  std::uint64_t enter(std::function<void()> on_close);
  void leave(std::uint64_t visit);
  // Ends its streams and its agent. No more of it is known.
  void close(const std::string& reason);
  bool closed() const { return closed_; }

 private:
  friend class Service;
  void on_message(std::string_view text);
  void check_room();
  void go_on();
  void watch_stall();
  void watch_presence();
  bool has_room() const { return !streams_.full() && !agent_->congested(); }

  Service& service_;
  const std::string id_, principal_;
  Streams streams_;
  Message message_;
  std::shared_ptr<LocalEnd> agent_;
  std::string initialize_key_;
  bool initializing_ = false;
  std::function<void(std::string)> on_initialized_;
  std::vector<std::function<void()>> waiting_for_room_;
  std::size_t waiting_bytes_ = 0;
  std::map<std::uint64_t, std::function<void()>> visits_;
  std::uint64_t next_visit_ = 1;
  boost::asio::steady_timer stalled_, absent_;
  bool closed_ = false;
};

class Service {
 public:
  explicit Service(ServerOptions options);
  ~Service();

  const ServerOptions& options() const { return options_; }
  const Gate& gate() const { return gate_; }
  boost::asio::io_context& io() { return io_; }
  std::uint16_t port() const { return port_; }

  // ---- from any thread
  void start(std::function<void(Incoming)> on_client);
  void drain(std::chrono::milliseconds time);
  void stop();
  // Until everything has ended.
  void run();

  // ---- on its thread
  std::shared_ptr<HttpConnection> new_connection(const std::string& principal);
  // Null if it is not known, or is somebody else's.
  std::shared_ptr<HttpConnection> find(const std::string& id, const std::string& principal) const;
  void forget(const HttpConnection& connection);
  static std::string new_id();
  // Starts an agent: our end of the transport. Null: it could not be started.
  std::shared_ptr<LocalEnd> new_agent(const std::string& id, const std::string& principal,
                                      const std::string& address);
  // False: there are as many agents as there may be, or the server is about to end.
  bool takes_clients() const;
  void agent_ended() { --agents_; }
  bool draining() const { return draining_; }

  void add(SocketPeer& peer) { peers_.insert(&peer), sockets_ = peers_.size(); }
  void remove(SocketPeer& peer);
  // Something that a drain waits for has ended.
  void check_drained();
  void log(LogEntry::Level level, std::string message);
  void access(const Access& access);

  std::atomic<std::size_t> sockets_ = 0, agents_ = 0;

 private:
  void listen();
  void accept();
  void end_all(const std::string& reason);

  const ServerOptions options_;
  const Gate gate_;
  std::set<SocketPeer*> peers_;  // outlives them all: the context may hold the last
  boost::asio::io_context io_{1};
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Socket::executor_type> acceptor_;
  std::uint16_t port_ = 0;
  std::function<void(Incoming)> on_client_;
  std::unordered_map<std::string, std::shared_ptr<HttpConnection>> connections_;
  boost::asio::steady_timer drain_time_;
  bool draining_ = false, ended_ = false, over_ = false;
};

// A socket that has just come: requests are read until it is closed or becomes something else.
void serve_http(Service& service, Socket socket, std::string address);

}  // namespace acp::remote
