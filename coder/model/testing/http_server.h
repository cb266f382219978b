// For tests: an HTTP server that does what the test wants, byte for byte.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace acp::coder::testing {

class HttpServer {
 public:
  struct Request {
    std::string head;  // with the request's line, in lower case but for that line
    std::string body;
    std::string line() const { return head.substr(0, head.find('\r')); }
    // Empty if there is none. The name is in lower case.
    std::string header(const std::string& name) const;
  };
  class Connection {
   public:
    explicit Connection(int socket) : socket_(socket) {}
    // Nothing if the client has closed it.
    std::optional<Request> read();
    void send(std::string_view bytes);
    // Returns when the client closes it.
    void wait_for_close();

   private:
    int socket_;
    std::string rest_;
  };
  // Runs for each connection, on a thread of its own; the connection is closed when it returns.
  using Handler = std::function<void(Connection&)>;

  explicit HttpServer(Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Closes all connections, and waits for the handlers.
  ~HttpServer();

  int port() const { return port_; }
  std::string url(const std::string& path = "") const;
  int connections() const;

 private:
  struct Open {
    int socket = -1;
    std::thread thread = {};
  };
  void accept_all();

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::list<Open> open_;
  std::thread accepts_;
};

// A whole answer, with its length.
std::string response(const std::string& status, const std::string& body,
                     const std::string& type = "application/json", const std::string& more = {});
// The beginning of an answer that ends with its connection.
std::string stream_head();
// One piece of an answer that is sent in chunks.
std::string chunk(std::string_view bytes);
// The events of a stream, with these data.
std::string events(const std::list<std::string>& data);

// A port that nobody listens at.
int unused_port();

}  // namespace acp::coder::testing
