// The client's side of Streamable HTTP: each message is a POST, and the server's messages come on
// streams of events: one for the connection, one for each session.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "acp/http/event_stream.h"
#include "acp/http/link.h"
#include "acp/remote/client.h"
#include "acp/remote/message.h"

namespace acp::remote {

class HttpDialect final : public http::Dialect {
 public:
  HttpDialect(std::string url, UrlOptions options);

  void begin(http::Link& link) override;
  void message(Json message) override;
  std::size_t queued_bytes() const override { return queued_bytes_; }
  void close() override;

 private:
  // A message on its way.
  struct Post {
    std::string text;
    Message::Kind kind = Message::Kind::notification;
    std::string method = {};
    Json id = {};  // absent if it has none
    std::optional<std::string> session = {};
    bool is_sync = false;
    bool replaces = false;  // an error, in place of an answer that the server did not take
    std::chrono::steady_clock::time_point tried_until = {};  // an answer that was refused
  };
  // One queue for requests and notifications, in their order, and one for answers: a server that
  // holds a request back until it has an answer gets it.
  struct Queue {
    std::deque<Post> posts;
    http::Transfers::Id transfer = 0;  // of the first
    io::Timers::Id pause = 0;          // before the first is sent again
  };
  struct Stream {
    enum class State { opening, open, closed };
    State state = State::opening;
    http::Transfers::Id transfer = 0;
    http::EventStream events;
    http::Transfers::Head head = {};
    io::Timers::Id opens_in_time = 0;
    std::chrono::steady_clock::time_point heard = {};
    std::chrono::steady_clock::time_point said = {};  // the last that was no comment
    std::string body = {};                            // of an answer that is no stream
    bool gave_messages = false;
    bool is_retry = false;  // opened because the one before ended while requests waited
    bool is_over = false;   // its session is closed: the server ends it, or we do
  };
  // A request that waits for its answer.
  struct Waiting {
    Json id;
    std::string method;
    std::optional<std::string> session;
  };

  // ---- sending
  void pump(Queue& queue);
  void post(Queue& queue);
  void posted(Queue& queue, const http::Transfers::Head& head, const std::string& body,
              const http::Transfers::Failure* failure);
  void initialized(const http::Transfers::Head& head, const std::string& body);
  void refused(Post post, const http::Transfers::Head& head, const std::string& body);
  void answer_refused(Post post, const http::Transfers::Head& head, const std::string& why);
  void put_first(Queue& queue, Post post);
  void refuse(const Post& post, const std::string& why);
  void fail(const Json& id, const std::string& message, int status = 0,
            const std::string& body = {});
  http::Transfers::Request request(std::string method,
                                   const std::optional<std::string>& session) const;

  // ---- receiving
  void open(const std::optional<std::string>& session);
  void on_head(const std::optional<std::string>& session, const http::Transfers::Head& head);
  void on_body(const std::optional<std::string>& session, std::string_view bytes);
  void on_end(const std::optional<std::string>& session, const http::Transfers::Failure* failure);
  void message_too_large();
  void check_signs_of_life();
  void on_event(const std::optional<std::string>& session, http::EventStream::Event&& event);
  // A load's answer and what the session replays come on two streams.
  void synchronize(const std::string& session, std::string answer);
  void synchronized(const std::string& key);
  void watch_replay(const std::string& key);
  void session_closed(const std::string& session);
  void take_cookies(const http::Transfers::Head& head);
  void release_loads(const std::string& session);
  // The connection is over; what its streams still carry is taken before it is lost.
  void end(const std::string& reason);
  void watch_end();
  bool streams_are_open() const;
  void lost(const std::string& reason);
  std::string without_secrets(std::string text) const;

  http::Link* link_ = nullptr;
  const std::string url_;
  const UrlOptions options_;
  std::string connection_id_;
  Queue asking_, answering_;
  std::size_t queued_bytes_ = 0;
  std::map<std::optional<std::string>, std::unique_ptr<Stream>> streams_;
  std::unordered_map<std::string, Waiting> waiting_;  // by the key of the id
  // The server's requests: where they came from.
  std::unordered_map<std::string, std::optional<std::string>> asked_;
  struct Held {
    std::string answer;
    std::string session;
    io::Timers::Id timer = 0;
    std::chrono::steady_clock::time_point heard = {};  // since when it is waited for
  };
  std::unordered_map<std::string, Held> held_;  // by the key of the request that makes an order
  std::uint64_t next_sync_ = 1;
  std::map<std::string, std::string> cookies_;
  Message message_;
  bool shows_signs_of_life_ = false;                  // the server, on streams that are silent
  std::chrono::milliseconds longest_pause_{0};        // between two of them, as it says
  std::string end_reason_;                            // once the connection is over
  std::chrono::steady_clock::time_point heard_ = {};  // the last that was no comment
  bool closing_ = false;
};

}  // namespace acp::remote
