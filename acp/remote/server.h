// A server for agents: clients on other machines reach them over Streamable HTTP and WebSocket, at
// one address.
//
//   acp::remote::ServerOptions options;
//   options.port = 8787;
//   options.authorize = acp::remote::bearer_token(token);
//   acp::remote::Server server(options);
//   server.serve(agent);  // acp::Agent
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acp/io/transport.h"
#include "acp/log.h"

namespace acp {
class Agent;
}

namespace acp::remote {

// What one client may cost. A request over a limit is refused with an error that names it.
struct ServerLimits {
  std::size_t max_header_bytes = 8 * 1024;
  std::size_t max_body_bytes = 16 * 1024 * 1024;
  // One message over WebSocket, in either direction.
  std::size_t max_message_bytes = 32 * 1024 * 1024;
  // Output of an agent that its client has not read. Above this the agent waits, and so do the
  // client's requests.
  std::size_t max_buffered_bytes = 64 * 1024 * 1024;
  // A client that takes nothing for so long, while there is something for it, is closed.
  std::chrono::milliseconds max_stall{60'000};
  // Sessions with messages that wait for somebody to open their stream.
  std::size_t max_unread_sessions = 1024;
  // Requests of a client, and of its agent, that have no answer yet.
  std::size_t max_pending = 10'000;
  // Of request ids and session ids, in UTF-16 units.
  std::size_t max_id_length = 1024;
  // Sockets that are open at a time; more are closed as they come.
  std::size_t max_sockets = 20'000;
  // Of these, requests and streams of one client over HTTP; more are refused with 503.
  std::size_t max_sockets_per_client = 1024;
  // Sockets of one address that have not been let in yet; more are closed as they come.
  std::size_t max_unknown_sockets = 4096;
  // Bodies of requests that are on their way, of all clients together; more are refused with 503.
  std::size_t max_bodies_bytes = 256 * 1024 * 1024;
  // Agents at a time; more are refused with 503.
  std::size_t max_connections = 10'000;
  // Time for a request to arrive completely, and for an answer to be taken.
  std::chrono::milliseconds request_time{30'000};
  // Interval of keep-alives on silent streams.
  std::chrono::milliseconds keep_alive{15'000};
  // After this time a client that vanished silently is noticed: its machine confirms nothing any
  // more, or it does not answer a ping. Over HTTP its agent is kept for as long again.
  std::chrono::milliseconds vanish_time{60'000};
};

// A request's head, for Authorize.
struct RequestHead {
  std::string method;
  std::string target;                          // as it was sent
  std::map<std::string, std::string> headers;  // names in lower case
  std::string address;                         // of the client, without its port

  // Empty if there is none.
  std::string header(const std::string& name) const;
};

// Whether a request may go on.
struct Admission {
  int status = 200;  // any other is the answer
  std::string text = {};
  std::map<std::string, std::string> headers = {};
  // The client's identity: a connection can only be used by the one who opened it.
  std::string principal = {};
  // The client's own address, if the request came through a trusted reverse proxy: for the access
  // log and Incoming.
  std::string address = {};
};
// Decides about each request to the path; called on the server's thread.
using Authorize = std::function<Admission(const RequestHead&)>;

// Lets those in who send this token in `Authorization: Bearer`. It is compared in constant time.
Authorize bearer_token(std::string token);

// A client that has come, for code that serves it by itself.
struct Incoming {
  Transport transport;  // the agent's end
  std::string id;       // Acp-Connection-Id
  std::string address;
  std::string principal;
};

// One line of the access log. It has no content of messages.
struct Access {
  std::string address;
  std::string method;
  std::string path;  // without a query
  int status = 0;    // 101: a WebSocket that has ended now
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::chrono::milliseconds time{0};
  std::string connection_id = {};  // its beginning: the rest is a secret
  std::string reason = {};         // why it ended, if that is not plain
};

// Where a server listens, and for whom.
struct ServerOptions {
  // Numeric. Only this machine can reach the default.
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  std::string path = "/acp";
  // PEM files; with them the server speaks TLS alone.
  std::string certificate_file = {};
  std::string key_file = {};
  // Decides who may use the server. Null: everybody who reaches it.
  Authorize authorize = nullptr;
  // Host names that clients may use, beside those of this machine's loopback and `address`. "*":
  // any.
  std::vector<std::string> hosts = {};
  // Web pages that may use it: "https://example.org". Others are refused with 403.
  std::vector<std::string> origins = {};
  // WebSocket messages are compressed if the client can, and they are larger than this; 0: never.
  std::size_t compress_from_bytes = 1024;
  ServerLimits limits = {};
  LogHook log = nullptr;
  std::function<void(const Access&)> access_log = nullptr;
};

// Its sockets are on one thread of its own; agents run as they do elsewhere. HTTP/2 is a reverse
// proxy's job: docs/remote.md.
class Server {
 public:
  // Begins to listen. Throws std::system_error, or LocalFailure about the certificate or the
  // address.
  explicit Server(ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // stop()
  ~Server();

  // The port that it listens on.
  std::uint16_t port() const;
  // "http://127.0.0.1:8787/acp"
  std::string url() const;

  // Serves each client on a connection of its own to this agent. Returns after stop().
  void serve(Agent& agent);
  // Serve beside the caller. A function is called for each client, on the server's thread, and must
  // not block. It owns the transport; closing that ends the connection.
  void start(Agent& agent);
  void start(std::function<void(Incoming)> on_client);
  // Blocks until stop() or drain() has been called, and everything has ended.
  void wait();
  // Takes no new clients: `initialize`, upgrades and /health are answered with 503. Closes all
  // clients when none has open requests any more, or when the time is over.
  // May be called from any thread, but not from a signal handler.
  void drain(std::chrono::milliseconds time);
  // Closes everything now.
  void stop();

  // For tests and health checks.
  struct Counts {
    std::size_t sockets = 0;
    std::size_t connections = 0;
  };
  // How many there are now.
  Counts counts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acp::remote
