// One client's connection over HTTP, as the server keeps it: which of its messages may pass, and
// on which of its streams the agent's messages wait. Without I/O.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "acp/remote/message.h"
#include "acp/remote/server.h"

namespace acp::remote {

class Streams {
 public:
  explicit Streams(const ServerLimits& limits) : limits_(limits) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  struct Refusal {
    int status;
    std::string text;
  };
  // Checks a message of the client's, with its Acp-Session-Id. Returns why it may not pass;
  // otherwise remembers on which stream its answer belongs.
  std::optional<Refusal> refusal(const Message& message, const std::optional<std::string>& session);

  // Forgets a message that did not pass after all.
  void forget(const Message& message);

  // Puts a message of the agent's on its stream. Returns false if that is over a limit; complaint()
  // says why.
  bool take(const Message& message, std::string_view text);

  // Adds a reader, to the connection's own stream if it names no session. Unknown sessions are
  // allowed: the client may know them before we do. Returns false if there is a reader already.
  bool enter(const std::optional<std::string>& session, std::function<void()> on_events);
  void leave(const std::optional<std::string>& session);

  // Whether the stream's session is closed, and everything has been taken off it.
  bool is_over(const std::optional<std::string>& session);

  // Takes events off a stream; later, notes that they were written.
  std::string take_events(const std::optional<std::string>& session);
  void sent(std::size_t bytes) { buffered_ -= bytes; }

  std::string complaint() const;

  std::size_t buffered_bytes() const { return buffered_; }
  // Those that a reader will take.
  std::size_t bytes_for_readers() const;
  bool full() const { return buffered_ >= limits_.max_buffered_bytes; }
  // Counts requests of the client's that have no answer yet.
  std::size_t waiting() const { return routes_.size(); }
  // Answers them with an error: no other answer will come.
  void fail_waiting(const std::string& reason);

 private:
  struct Stream {
    std::string events;  // as they go over the wire
    bool has_reader = false;
    std::function<void()> on_events;  // of its reader: there are some again
    bool is_over = false;
  };
  Stream& stream(const std::optional<std::string>& session);
  bool add(Stream& stream, std::string_view text);

  const ServerLimits& limits_;
  Stream connection_;
  std::unordered_map<std::string, Stream> sessions_;
  // Where a request's answer goes.
  struct Route {
    std::string id;  // its JSON
    std::optional<std::string> session;
    bool closes = false;  // the session
  };
  // By the key of the id: of the client's requests, and of the agent's.
  std::unordered_map<std::string, Route> routes_;
  std::unordered_map<std::string, std::optional<std::string>> asked_;
  std::size_t buffered_ = 0;
  std::size_t unread_sessions_ = 0;
};

}  // namespace acp::remote
