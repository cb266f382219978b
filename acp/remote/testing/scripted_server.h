// A server that says what a test likes: a thread for each socket that comes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "acp/json/json.h"
#include "acp/remote/testing/raw_socket.h"

namespace acp::remote::testing {

struct RawRequest {
  std::string method;
  std::string head;  // in lower case
  Json body;         // null if it is no JSON
  // Empty if there is none.
  std::string header(const std::string& name) const;
  std::string session() const { return header("acp-session-id"); }
  std::string rpc_method() const;
};
// Nothing at the end.
std::optional<RawRequest> read_request(RawSocket& socket);

class ScriptedServer {
 public:
  using Serve = std::function<void(RawSocket& socket)>;
  explicit ScriptedServer(Serve serve);
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;
  // Ends every socket, and waits for the threads.
  ~ScriptedServer();
  // No socket of now takes anything any more, nor says so.
  void vanish();
  std::uint16_t port() const { return port_; }
  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/acp";
  }

 private:
  void accept_all();

  const Serve serve_;
  io::Descriptor listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<std::shared_ptr<RawSocket>> sockets_;
  std::vector<std::thread> threads_;
  std::thread accepts_;
};

// A server of Streamable HTTP that does everything right, but for what a test takes from it.
class PlayedServer {
 public:
  // True: the test has answered the request, and the socket is closed after it.
  using Hook = std::function<bool(PlayedServer&, const RawRequest&, RawSocket&)>;
  explicit PlayedServer(Hook hook)
      : hook_(std::move(hook)), server_([this](RawSocket& s) { serve(s); }) {}
  ~PlayedServer();

  std::string url() const { return server_.url(); }
  void vanish() { server_.vanish(); }
  // An event on a session's stream, or the connection's (""), once that is open.
  void say(const std::string& stream, const std::string& event);
  // These bytes on it, as they are.
  void write(const std::string& stream, const std::string& bytes);
  // Ends that stream.
  void end_stream(const std::string& stream);
  // The last event of that stream: no other comes between it and the end.
  void say_last(const std::string& stream, const std::string& event);
  static std::string answer(const RawRequest& request, const std::string& result);
  static std::string response(int status, const std::string& headers = "",
                              const std::string& body = "");

 private:
  void serve(RawSocket& socket);
  void keep_stream(const std::string& session, RawSocket& socket);
  void write(const std::string& stream, const std::string& bytes, bool then_ends);

  const Hook hook_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, RawSocket*> streams_;
  bool ended_ = false;
  ScriptedServer server_;  // the last: its threads use the others
};

}  // namespace acp::remote::testing
