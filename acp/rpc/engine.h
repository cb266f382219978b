// One end of a JSON-RPC 2.0 connection, without I/O: bytes go in, bytes and calls come out. It
// belongs to one thread, has no clock and no locks, and never waits. The owner of the descriptors
// feeds it and sends what it has to send; any loop can do that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "acp/json/json.h"
#include "acp/json/reader.h"
#include "acp/json/writer.h"
#include "acp/rpc/direction.h"
#include "acp/rpc/error.h"
#include "acp/rpc/framing.h"

namespace acp::rpc {

// How an engine works; given once, at its start.
struct EngineOptions {
  Framing framing = Framing::newline;
  std::size_t max_message_bytes = 32 * 1024 * 1024;
  std::size_t max_depth = 512;
  // Limit of requests without an answer, in each direction.
  std::size_t max_pending = 10'000;
  // Limit of notifications and answers that wait for a handler to finish, in bytes; more are
  // dropped, and that is reported. See queue_is_long().
  std::size_t max_queued_bytes = 64 * 1024 * 1024;
  // Unsent bytes from which congested() asks producers to wait, and queued ones from which
  // queue_is_long().
  std::size_t congestion_bytes = 1024 * 1024;
  // JSON-RPC batches: ACP has none, one revision of MCP demands them.
  bool accept_batches = false;
  // The notification that takes a request back, by its `requestId`. MCP has a name of its own.
  std::string_view cancel_method = "$/cancel_request";
  // A request of ours that must not be taken back: MCP says so of `initialize`.
  std::string_view never_cancelled = {};
  // A notification that comes by the thousands: see EngineHandler::on_streamed().
  std::string_view streamed_method = {};
};

// Names a notification while its handler runs. Zero is none.
using NotificationToken = std::uint64_t;

// A request of the other side that waits for its answer. Its id is kept as it was written.
class RequestId {
 public:
  RequestId() = default;
  explicit RequestId(JsonView id);
  // The id as it was written.
  const Json& json() const { return json_; }
  // A key that is equal for equal ids, however they are written.
  const std::string& key() const { return key_; }

 private:
  Json json_;
  std::string key_;
};

// Something that went wrong without being anybody's answer.
struct Trouble {
  // What the other side has done.
  enum class Kind {
    not_json,             // a line that is no JSON, or no UTF-8
    not_a_message,        // JSON, but not JSON-RPC
    too_large,            // a message over the limit
    unknown_answer,       // an answer to nothing that we asked
    unknown_notification  // reported by the handler of notifications
  };
  Kind kind;
  std::string what;
};
// "not_json", "not_a_message", "too_large", "unknown_answer", "unknown_notification"
constexpr const char* to_string(Trouble::Kind value) {
  switch (value) {
    case Trouble::Kind::not_json:
      return "not_json";
    case Trouble::Kind::not_a_message:
      return "not_a_message";
    case Trouble::Kind::too_large:
      return "too_large";
    case Trouble::Kind::unknown_answer:
      return "unknown_answer";
    case Trouble::Kind::unknown_notification:
      return "unknown_notification";
  }
  return "";
}

inline constexpr std::size_t max_streamed_depth = 64;

// The engine's calls to its owner, on the owner's thread, from within feed() and end_of_input().
// Views are valid until the call returns.
class EngineHandler {
 public:
  virtual ~EngineHandler() = default;
  // Receives a request, which must be answered with respond() or fail(), now or later.
  virtual void on_request(const RequestId& id, std::string_view method, JsonView params) = 0;
  // Returns true if the notification is handled; false if its handler goes on, and finished(token)
  // will follow. Until then no later notification is delivered, and no later answer.
  virtual bool on_notification(NotificationToken token, std::string_view method,
                               JsonView params) = 0;
  // Asked before the message is read, if it looks like `streamed_method` written without frills,
  // and nothing waits: `params` is what should be its params, not checked in any way. True: they
  // are an object to the last byte, less than max_streamed_depth deep, and handled. False: nothing
  // was done.
  virtual bool on_streamed(std::string_view /*params*/) { return false; }
  // Asked before anything else, past notifications that wait: true if it is one that must not stand
  // in a queue (a stop), and has been seen to.
  virtual bool on_urgent(std::string_view, JsonView) { return false; }
  // The other side no longer wants the answer. It must get one nevertheless.
  virtual void on_cancel(const RequestId& id) = 0;
  virtual void on_trouble(const Trouble&) {}
  // Called once: the input has ended, and all that came before has been handled.
  virtual void on_all_handled() {}
  // Receives every frame, as it is on the wire, without the framing.
  virtual void on_frame(Direction, std::string_view) {}
};

// One end of a connection.
class Engine {
 public:
  // The outcome of a call.
  struct Answer {
    JsonView result;                     // absent if it failed
    const ErrorObject* error = nullptr;  // null if it did not
    // For a call that takes its answer unchecked, if it looks like a result written without frills,
    // and nothing waits: what should be the result, not checked in any way. The handler sets
    // `taken` if that is a value to the last byte, less than max_streamed_depth deep, and was
    // taken. Otherwise it does nothing, and the answer comes again, checked.
    std::string_view unchecked = {};
    bool* taken = nullptr;
  };
  // Takes the answer; writes params or a result; identifies a call.
  using AnswerHandler = std::function<void(const Answer&)>;
  using Write = std::function<void(json::Writer&)>;
  using CallId = std::int64_t;

  Engine(EngineOptions options, EngineHandler& handler);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // Fails calls that wait for an answer.
  ~Engine();
  // Calls this handler from now on.
  void hand_to(EngineHandler& handler) { handler_ = &handler; }

  // ---- what came in ----
  // Processes bytes as they came.
  void feed(std::string_view bytes);
  // Call when the other side writes no more: calls that wait for an answer fail, with this reason
  // if there is one. Sending goes on.
  void end_of_input(const std::string& reason = {});
  // Ignores all further input; waiting calls fail.
  void close();

  // ---- what must go out ----
  // The bytes to write; and how many were written.
  std::string_view outgoing() const { return out_.view().substr(sent_); }
  void sent(std::size_t bytes);
  // Whether producers should wait: what they add only fills memory.
  bool congested() const { return out_.size() - sent_ > options_.congestion_bytes; }

  // ---- calls ----
  // Sends a request. The answer handler is called once: with the answer, or with an error that says
  // connection_closed. `inside` names the notification whose handler asks: its answer does not wait
  // for that handler to finish. Params that are null, or write nothing, are left out.
  CallId request(std::string_view method, const Write& params, AnswerHandler on_answer,
                 NotificationToken inside = 0, bool takes_unchecked = false);
  void notify(std::string_view method, const Write& params);
  // Sends a notification of which only a text changes: the message up to the text, the text, which
  // becomes a JSON string, and the rest of the message.
  void notify_text(std::string_view before, std::string_view text, std::string_view after);
  // Asks the other side to give up a request. The answer still comes.
  void cancel(CallId id);
  // Forgets a request: its answer, when it comes, is dropped silently.
  void abandon(CallId id);

  // ---- answers ----
  // Answers a request. Returns false if it is not known, or has its answer.
  bool respond(const RequestId& id, const Write& result);
  bool fail(const RequestId& id, const ErrorObject& error);
  // Fails a request whose id cannot be used: the answer's id is null.
  bool fail_unnamed(const RequestId& id, const ErrorObject& error) {
    return fail(id, Json(), error);
  }
  // Runs the action after the answer to this request, at once if it was answered. What it sends
  // follows the answer.
  void after_answer(const RequestId& id, std::function<void()> action);
  void finished(NotificationToken token);

  // Counts our calls that wait for an answer.
  std::size_t pending_calls() const { return calls_.size(); }
  // Whether so much waits for a handler to finish that the other side should wait, too.
  bool queue_is_long() const { return queued_bytes_ > options_.congestion_bytes; }
  // How many bytes of an incomplete message have come.
  std::size_t partial_bytes() const { return frames_.partial_bytes(); }
  bool input_ended() const { return input_ended_; }

 private:
  struct Message {
    JsonView id, params, result, error;
    std::string_view method;  // in the message's text, or in `unescaped`
    std::string unescaped;    // if it was written with escapes
    bool has_method = false;
  };
  // Why a text is not a message.
  struct Fault {
    Code code;
    Trouble::Kind kind;
    std::string what;
  };
  struct Call {
    AnswerHandler on_answer;
    NotificationToken inside = 0;
    bool abandoned = false;
    bool cancellable = true;
    bool takes_unchecked = false;
  };
  // A notification or an answer that cannot be delivered yet.
  struct Queued {
    std::string text;  // the whole message
    NotificationToken token = 0;
    std::optional<CallId> answer;
  };
  struct Batch;
  struct Incoming {
    std::vector<std::function<void()>> after;
    std::shared_ptr<Batch> batch;  // that it came in, if any
  };

  void frame(const FrameReader::Framed& frame);
  void message(std::string_view text, const std::shared_ptr<Batch>& batch);
  bool streamed(std::string_view text);
  bool answered_unchecked(std::string_view text);
  void batch(JsonView array);
  std::optional<Fault> read(std::string_view text, Message& out) const;
  void handle_request(const Message& message, const std::shared_ptr<Batch>& batch);
  void handle_notification(std::string_view text, const Message& message);
  void handle_answer(std::string_view text, const Message& message);
  void deliver(const Message& message, CallId id);
  void pump();
  bool blocks(const Queued& answer) const;
  void enqueue(Queued item);
  void fail_calls(const std::string& reason = {});
  void check_all_handled();
  void flush(Batch& batch);
  // The known part of a message that cannot be read as a whole.
  struct Beginning {
    Json id;  // absent if it does not say
    bool method = false, answer = false;
  };
  static Beginning beginning_of(std::string_view text);
  // Whether it was meant as an answer; then the call that waits for it fails.
  bool unreadable_answer(const Beginning& beginning, const std::string& why);

  bool fail(const RequestId& id, const Json& written, const ErrorObject& error);
  void refuse(const Json& id, const ErrorObject& error, const std::shared_ptr<Batch>& batch);
  void write_error(json::Writer& out, const ErrorObject& error);
  // A frame is built in place, after what waits to be sent.
  template <class Fill>
  void send(Fill fill);
  void trouble(Trouble::Kind kind, std::string what) {
    handler_->on_trouble({kind, std::move(what)});
  }

  EngineOptions options_;
  EngineHandler* handler_;
  FrameReader frames_;
  std::string streamed_;  // how a message with streamed_method begins, up to its params
  json::Writer out_;
  std::size_t sent_ = 0;
  CallId next_call_ = 0;
  std::unordered_map<CallId, Call> calls_;
  std::unordered_map<std::string, Incoming> incoming_;
  std::deque<Queued> queue_;
  std::size_t queued_bytes_ = 0;
  NotificationToken next_token_ = 1;
  NotificationToken running_ = 0;  // the notification whose handler goes on
  bool pumping_ = false;
  bool input_ended_ = false;
  bool all_handled_ = false;
  std::string end_reason_ = "the connection is closed";  // for what is asked after that
};

}  // namespace acp::rpc
