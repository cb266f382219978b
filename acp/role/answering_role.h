// What the roles share: what the other side asks is decoded, handled by the program, and answered.
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

// Something of the other side's that is being handled: a request, if it has an id; or what goes on
// beside all requests.
class Call : public std::enable_shared_from_this<Call> {
 public:
  explicit Call(std::shared_ptr<AnsweringRole> owner);

  const std::shared_ptr<AnsweringRole> owner;
  const std::shared_ptr<io::Connection>& connection;  // the owner's
  CallScope scope;
  std::optional<rpc::RequestId> id;
  rpc::NotificationToken inside = 0;
  // Guarded by the connection's lock.
  bool cancelled = false;
  bool over = false;      // answered: it may send nothing more
  std::size_t place = 0;  // among the owner's

  Link link();
  // Most handlers never ask for a token: it is made when they do.
  std::stop_token stop_token();
  // With the lock. The token's callbacks are the program's: they run without it.
  void cancel();

 private:
  std::stop_source stop_{std::nostopstate};
};

// Throws Cancelled as soon as the call is cancelled.
Task<void> sleep(std::shared_ptr<Call> call, std::chrono::milliseconds time);

// With the lock, unless it is said otherwise.
class AnsweringRole : public io::Role, public std::enable_shared_from_this<AnsweringRole> {
 public:
  void on_trouble(const rpc::Trouble& trouble) override;
  std::size_t handlers_running() const override { return active_.size() + notifications_running_; }
  void drop_handlers() override { handlers_->drop(); }

  void log(LogEntry::Level level, std::string message, std::string correlation_id = {});
  // Not to be guessed, and never the same twice, whatever the other side has kept from an earlier
  // run.
  std::string new_id(const char* prefix);
  RunningHandlers& handlers() { return *handlers_; }
  const std::shared_ptr<io::Connection>& connection() const { return connection_; }

 protected:
  // `other_side` is how messages call it.
  AnsweringRole(std::shared_ptr<io::Connection> connection, std::shared_ptr<const LogHook> log,
                std::string other_side);

  // Refuses params that do not fit. False if it has.
  template <class Request>
  bool decode(const rpc::RequestId& id, JsonView params, Request& request) {
    return decode(id, params, Request::json_type, &request);
  }
  void refuse(const rpc::RequestId& id, std::int32_t code, std::string message, Json data = {});
  void refuse(const rpc::RequestId& id, const Error& error);
  void refuse_unknown(const rpc::RequestId& id, std::string_view method);

  // From here on the call has to be answered, or to fail; what comes after that counts for nothing.
  void begin(std::shared_ptr<Call> call, const rpc::RequestId& id);
  template <class Response>
  void answer(Call& call, const Response& response) {
    answer(call, Response::json_type, &response);
  }
  void answer(Call& call, const Json& response);
  void fail(Call& call, std::exception_ptr error);
  void fail(Call& call, const rpc::ErrorObject& error);
  // What the other side learns about an exception. What is nobody's business goes to the log.
  virtual rpc::ErrorObject to_error(const Call& call, std::exception_ptr error);

  // Lets the program's handler answer; without one the answer is empty. `then` sees it first.
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
  // False, as on_notification() says it: the notification has not been dealt with yet.
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
  // Something of our own that the program handles; `then` follows, with the lock.
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
  // Null if it has ended.
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
  // Each knows its place. Only a cancel looks for one by its id.
  std::vector<std::shared_ptr<Call>> active_;
  std::size_t notifications_running_ = 0;
};

}  // namespace acp::detail
