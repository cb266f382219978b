// The implementation of a Server: its listener and its clients, all on one thread.
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "acp/remote/local_end.h"
#include "acp/remote/request_filter.h"
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
  // Whether a client waits for an answer here.
  virtual bool busy() const = 0;
  // Whether it is all of a client's connection, and that client has this name.
  virtual bool is_of(const std::string& principal, const std::string& client) const {
    static_cast<void>(principal), static_cast<void>(client);
    return false;
  }
};

// A client over HTTP: many sockets, one agent.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(Service& service, std::string id, std::string principal, std::string client);
  // Hands the other end to an agent. Returns false if it could not be started.
  bool open(const std::string& address);

  const std::string& id() const { return id_; }
  const std::string& principal() const { return principal_; }
  // Its name for itself; empty: it has none.
  const std::string& client() const { return client_; }
  Streams& streams() { return streams_; }
  bool busy() const {
    return initializing_ || streams_.waiting() > 0 || streams_.bytes_for_readers() > 0;
  }

  // Sends `initialize`; the callback gets its answer, or an empty text if there will be none.
  void initialize(const Message& message, std::string_view text,
                  std::function<void(std::string answer)> on_answer);
  void send(std::string_view text) { agent_->send(text); }
  // Runs the action at once, or when there is room in both directions. Returns false if too much
  // waits already.
  bool when_there_is_room(std::size_t bytes, std::function<void()> action);

  // Notes that a reader has taken so many bytes of events; more may come.
  void taken(std::size_t bytes);
  // A reader has taken a part of them.
  void goes_on();
  // Whether it may have one more request or stream.
  bool takes_visits() const;
  // Begins and ends a request or a stream: while there is none, the client may have vanished.
  // `on_close` of a stream is called when it should end; of the connection's own, when all others
  // have ended: for clients, its end is that of them all.
  enum class Visit : std::uint8_t { request, session_stream, own_stream };
  std::uint64_t enter(Visit kind, std::function<void()> on_close = nullptr);
  void leave(std::uint64_t visit);
  // Ends its streams and its agent, and forgets it.
  void close(const std::string& reason);
  bool closed() const { return closed_; }

 private:
  friend class Service;
  void on_message(std::string_view text);
  void check_room();
  void go_on();
  void watch_stall();
  void end_streams(Visit kind);
  void end_own_stream();
  bool has_room() const { return !streams_.full() && !agent_->congested(); }

  Service& service_;
  const std::string id_, principal_, client_;
  Streams streams_;
  Message message_;
  std::shared_ptr<LocalEnd> agent_;
  std::string initialize_key_;
  bool initializing_ = false;
  std::function<void(std::string)> on_initialized_;
  std::vector<std::function<void()>> waiting_for_room_;
  std::size_t waiting_bytes_ = 0;
  struct Visitor {
    Visit kind;
    std::function<void()> on_close;
  };
  std::map<std::uint64_t, Visitor> visits_;
  std::uint64_t next_visit_ = 1;
  boost::asio::steady_timer stalled_, absent_;
  bool closed_ = false;
};

class Service {
 public:
  explicit Service(ServerOptions options);
  ~Service();

  const ServerOptions& options() const { return options_; }
  const RequestFilter& request_filter() const { return request_filter_; }
  boost::asio::io_context& io() { return io_; }
  std::uint16_t port() const { return port_; }

  // ---- from any thread
  void start(std::function<void(Incoming)> on_client);
  void drain(std::chrono::milliseconds time);
  void stop();
  // Runs until everything has ended.
  void run();

  // ---- on its thread
  std::shared_ptr<HttpConnection> new_connection(const std::string& principal,
                                                 const std::string& client);
  // A client with this name has come: its connections of before are over, though their end may not
  // have been seen. Nothing for one without a name.
  void end_before(const std::string& principal, const std::string& client);
  // The connection, or null if it is not known, or belongs to somebody else.
  std::shared_ptr<HttpConnection> find(const std::string& id, const std::string& principal) const;
  void forget(const HttpConnection& connection);
  static std::string new_id();
  // Starts an agent, and returns our end of the transport; null if it could not be started.
  std::shared_ptr<LocalEnd> new_agent(const std::string& id, const std::string& principal,
                                      const std::string& address);
  // Returns false if the limit of agents is reached, or the server is about to end.
  bool takes_clients() const;
  void agent_ended() { --agents_; }
  bool draining() const { return draining_; }
  // A socket of this address that has not been let in, from its beginning until it is or ends.
  void add_unknown(const std::string& address) { ++unknown_[address]; }
  void remove_unknown(const std::string& address);
  // Reserves room for a request's body. Returns false if too many are on their way.
  bool take_body(std::size_t bytes);
  void body_done(std::size_t bytes) { bodies_bytes_ -= bytes; }

  void add(SocketPeer& peer) { peers_.insert(&peer), sockets_ = peers_.size(); }
  void remove(SocketPeer& peer);
  // Ends the drain if nothing that it waits for is left.
  void check_drained();
  void log(LogEntry::Level level, std::string message);
  void access(const Access& access);

  std::atomic<std::size_t> sockets_ = 0, agents_ = 0;

 private:
  void listen();
  void accept();
  void take(Socket::Tcp socket);
  void end_all(const std::string& reason);

  const ServerOptions options_;
  const RequestFilter request_filter_;
  // These outlive all peers: the context may hold the last.
  std::set<SocketPeer*> peers_;
  std::unordered_map<std::string, std::size_t> unknown_;
  std::size_t bodies_bytes_ = 0;
  boost::asio::io_context io_{1};
  std::optional<boost::asio::ssl::context> tls_;
  boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Socket::executor_type> acceptor_;
  std::uint16_t port_ = 0;
  std::function<void(Incoming)> on_client_;
  std::unordered_map<std::string, std::shared_ptr<HttpConnection>> connections_;
  boost::asio::steady_timer drain_time_;
  bool draining_ = false, ended_ = false, over_ = false;
};

// Serves a new socket: reads requests until it is closed, or becomes a stream or a WebSocket.
void serve_http(Service& service, Socket socket, std::string address);

}  // namespace acp::remote
