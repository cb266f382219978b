// The common part of the roles: requests are decoded, handled by the program, and answered.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/error.h"
#include "acp/io/connection.h"
#include "acp/log.h"
#include "acp/peer.h"
#include "acp/role/call_scope.h"
#include "acp/role/running_handlers.h"

namespace acp::detail {

class AnsweringRole;

// A request of the other side that is being handled; or, without an id, work beside all requests.
class Call : public std::enable_shared_from_this<Call> {
 public:
  explicit Call(std::shared_ptr<AnsweringRole> owner);
  virtual ~Call() = default;

  const std::shared_ptr<AnsweringRole> owner;
  const std::shared_ptr<io::Connection>& connection;  // the owner's
  CallScope scope{this};
  std::optional<rpc::RequestId> id;
  rpc::NotificationToken inside = 0;
  // Guarded by the connection's lock.
  bool cancelled = false;
  bool over = false;                             // it may send nothing more
  bool answered = false;                         // on the wire; its handler still runs
  std::vector<std::function<void()>> when_over;  // run at its end, after the answer
  std::size_t place = 0;                         // index in the owner's list

  Link link();
  // Most handlers never ask for a token: it is made when they do.
  std::stop_token stop_token();
  std::stop_token stop_token(const io::Connection::Locked& locked);
  // With the lock. The token's callbacks are the program's: they run without it.
  virtual void cancel();

 private:
  std::stop_source stop_{std::nostopstate};
};

// Throws Cancelled as soon as the call is cancelled.
Task<void> sleep(std::shared_ptr<Call> call, std::chrono::milliseconds time);

// All functions are called with the lock, unless noted otherwise.
class AnsweringRole : public io::Role, public std::enable_shared_from_this<AnsweringRole> {
 public:
  void on_trouble(const rpc::Trouble& trouble) override;
  std::size_t handlers_running() const override { return active_.size() + notifications_running_; }
  void drop_handlers() override { handlers_->drop(); }

  void log(LogEntry::Level level, std::string message, std::string correlation_id = {});
  // Returns an id that cannot be guessed, and is never used twice, not even across runs of the
  // program.
  std::string new_id(const char* prefix);
  RunningHandlers& handlers() { return *handlers_; }
  const std::shared_ptr<io::Connection>& connection() const { return connection_; }

 protected:
  // `other_side` is its name in messages.
  AnsweringRole(std::shared_ptr<io::Connection> connection, std::shared_ptr<const LogHook> log,
                std::string other_side);

  // Decodes params. Returns false if they were invalid, and the request has been refused.
  template <class Request>
  bool decode(const rpc::RequestId& id, JsonView params, Request& request) {
    return decode(id, params, Request::json_type, &request);
  }
  void refuse(const rpc::RequestId& id, std::int32_t code, std::string message, Json data = {});
  void refuse(const rpc::RequestId& id, const Error& error);
  void refuse_unknown(const rpc::RequestId& id, std::string_view method);

  // Begins a call, which has to be answered or to fail once; anything later is ignored.
  void begin(std::shared_ptr<Call> call, const rpc::RequestId& id);
  template <class Response>
  void answer(Call& call, const Response& response) {
    answer(call, Response::json_type, &response);
  }
  void answer(Call& call, const Json& response);
  void fail(Call& call, std::exception_ptr error);
  void fail(Call& call, const rpc::ErrorObject& error);
  // Returns what the other side learns about an exception. Internal details go to the log.
  virtual rpc::ErrorObject to_error(const Call& call, std::exception_ptr error);

  // Writes a handler's result as the wire has it.
  virtual void write_result(Call& call, json::Writer& out, const json::Type& type,
                            const void* result);

  // Called when the last handler has ended.
  virtual void on_idle() {}

  // Lets the program's handler answer; without one the answer is empty. `then` sees the answer
  // first.
  template <class Response, class SomeCall, class Then, class... Arguments>
  void run_then(const Handler<Response(Arguments...)>& handler,
                const std::shared_ptr<SomeCall>& call, Then then, Arguments... arguments) {
    if (!handler) {
      Response response;
      then(*call, response);
      return answer(*call, response);
    }
    handlers_->run(
        handler,
        [this, call, then = std::move(then)](Response* response, std::exception_ptr error) mutable {
          io::Connection::Lock lock(*connection_);
          if (response == nullptr) return fail(*call, error);
          then(*call, *response);
          answer(*call, *response);
        },
        std::move(arguments)...);
  }
  template <class Response, class SomeCall, class... Arguments>
  void run(const Handler<Response(Arguments...)>& handler, const std::shared_ptr<SomeCall>& call,
           Arguments... arguments) {
    run_then(
        handler, call, [](SomeCall&, Response&) {}, std::move(arguments)...);
  }
  // Returns false, as on_notification() does: the notification is not handled yet.
  template <class SomeCall, class Context, class Notification>
  bool run_notification(rpc::NotificationToken token, const std::shared_ptr<SomeCall>& call,
                        const Handler<void(Context, Notification)>& handler, Context context,
                        Notification notification) {
    ++notifications_running_;
    call->inside = token;
    handlers_->run(
        handler,
        [this, call](async::Nothing*, std::exception_ptr error) {
          io::Connection::Lock lock(*connection_);
          end_notification(*call, error);
        },
        std::move(context), std::move(notification));
    return false;
  }
  // Runs a handler for an event of our own; `then` follows, with the lock.
  template <class SomeCall, class Then, class... Arguments>
  void run_beside(const std::shared_ptr<SomeCall>& call, const Handler<void(Arguments...)>& handler,
                  Then then, Arguments... arguments) {
    ++notifications_running_;
    handlers_->run(
        handler,
        [this, call, then = std::move(then)](async::Nothing*, std::exception_ptr error) mutable {
          io::Connection::Lock lock(*connection_);
          then();
          end_notification(*call, error);
        },
        std::move(arguments)...);
  }
  // The call, or null if it has ended.
  std::shared_ptr<Call> active(const rpc::RequestId& id) const;
  std::vector<std::shared_ptr<Call>> active() const { return active_; }

  const std::shared_ptr<io::Connection> connection_;

 private:
  bool decode(const rpc::RequestId& id, JsonView params, const json::Type& type, void* request);
  void answer(Call& call, const json::Type& type, const void* response);
  void end(Call& call);
  void end_notification(Call& call, std::exception_ptr error);

  const std::shared_ptr<RunningHandlers> handlers_;
  const std::shared_ptr<const LogHook> log_;
  const std::string other_side_;
  const std::string nonce_;
  std::uint64_t next_id_ = 0;
  // Each knows its index. Only a cancel searches by id.
  std::vector<std::shared_ptr<Call>> active_;
  std::size_t notifications_running_ = 0;
};

}  // namespace acp::detail
