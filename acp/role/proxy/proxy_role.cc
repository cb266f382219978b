#include "acp/role/proxy/proxy_role.h"

#include <utility>

namespace acp {

using Lock = io::Connection::Lock;

namespace {

template <class Hook>
const Hook* find_hook(const std::map<std::string, Hook, std::less<>>& by_method, const Hook& other,
                      std::string_view method) {
  if (const auto found = by_method.find(method); found != by_method.end()) return &found->second;
  return other ? &other : nullptr;
}

}  // namespace

const Handler<Json(ProxyRequest)>* Proxy::Config::request_hook(std::string_view method) const {
  return find_hook(requests, other_requests, method);
}

const Proxy::NotificationHook* Proxy::Config::notification_hook(std::string_view method) const {
  return find_hook(notifications, other_notifications, method);
}

namespace detail {

namespace {

const rpc::ErrorObject cancelled_error{rpc::request_cancelled, "Request cancelled", {}};

rpc::Engine::Write writes(const Json& params) {
  return [&params](json::Writer& out) {
    if (!params.absent()) out.put(params.text());
  };
}

// The room to wait for; null if there is enough.
io::Outbox::Room sent(const Lock& lock) {
  lock.sent_something();
  return lock.congested() ? lock.room() : nullptr;
}

// Of the side that should have answered.
rpc::ErrorObject gone(ProxySide& side) {
  rpc::ErrorObject error{rpc::internal_error, side.known_exit_reason(), {}};
  error.connection_closed = true;
  if (!error.message.empty()) return error;
  const Lock lock(*side.connection);
  error.message = side.end_reason.empty() ? "the connection is closed" : side.end_reason;
  return error;
}

}  // namespace

const std::string& ProxySide::known_exit_reason() {
  std::call_once(exit_asked_, [this] { exit_reason_ = exit_reason ? exit_reason() : ""; });
  return exit_reason_;
}

ProxyCall::ProxyCall(const std::shared_ptr<ProxyRole>& owner) : Call(owner), role(owner.get()) {}

ProxyRole::ProxyRole(std::shared_ptr<const Proxy::Config> config, Sender sender,
                     std::shared_ptr<ProxySide> here, std::shared_ptr<ProxySide> there)
    : AnsweringRole(here->connection, std::shared_ptr<const LogHook>(config, &config->log),
                    std::string(to_string(sender))),
      config_(std::move(config)),
      sender_(sender),
      here_(std::move(here)),
      there_(std::move(there)) {}

Peer ProxyRole::peer(Sender side) const {
  return Peer({(side == sender_ ? here_ : there_)->connection, nullptr, 0});
}

// ---- requests

void ProxyRole::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  const auto call = std::make_shared<ProxyCall>(self());
  begin(call, id);
  call->method = method;
  call->params = Json(params);
  if (const auto* const hook = config_->request_hook(method))
    return run(*hook, call, ProxyRequest(call));
  connection_->post([this, call] {
    forward(call, call->params, [this, call](const Outcome& outcome) {
      io::Outbox::Room room;
      {
        const Lock lock(*connection_);
        outcome.error ? fail(*call, *outcome.error) : answer(*call, outcome.result);
        room = sent(lock);
      }
      keep_pace(there_, room);
    });
  });
}

std::optional<rpc::Engine::CallId> ProxyRole::forward(const std::shared_ptr<ProxyCall>& call,
                                                      const Json& params,
                                                      std::function<void(const Outcome&)> then) {
  io::Outbox::Room room;
  std::optional<rpc::Engine::CallId> id;
  std::optional<Outcome> not_sent;
  {
    const Lock lock(*there_->connection);
    if (call->taken_back) {
      not_sent = cancelled(*call);
    } else if (lock.ended()) {
      not_sent.emplace().error.emplace().connection_closed = true;
    } else {
      // On the strand of the side that answers, as its notifications.
      auto answered = [there = there_, then, call](const rpc::Engine::Answer& answer) {
        Outcome outcome;
        if (answer.error != nullptr)
          outcome.error = *answer.error;
        else
          outcome.result = Json(answer.result);
        if (call->method == "initialize")
          call->role->version_2_ = outcome.result["protocolVersion"].as_int64() == 2;
        there->connection->post([there, then, outcome = std::move(outcome)]() mutable {
          if (outcome.error && outcome.error->connection_closed) outcome.error = gone(*there);
          then(outcome);
        });
      };
      id = lock.engine().request(call->method, writes(params), std::move(answered));
      call->forwarded.push_back(*id);
      room = sent(lock);
    }
  }
  if (not_sent) {
    if (not_sent->error && not_sent->error->connection_closed) not_sent->error = gone(*there_);
    then(*not_sent);
  }
  keep_pace(here_, room);
  return id;
}

// What the receiver would answer, had it got the request: in version 1 a turn ends, anything else
// fails.
ProxyRole::Outcome ProxyRole::cancelled(const ProxyCall& call) const {
  if (call.method == "session/prompt" && !version_2_)
    return {Json::object({{"stopReason", "cancelled"}}), std::nullopt};
  return {{}, cancelled_error};
}

void ProxyRole::give_up(rpc::Engine::CallId forwarded) {
  const Lock lock(*there_->connection);
  lock.engine().cancel(forwarded);
  lock.engine().abandon(forwarded);
  lock.sent_something();
}

void ProxyRole::on_cancel(const rpc::RequestId& id) {
  if (const auto call = active(id)) cancel(call);
}

void ProxyRole::cancel(const std::shared_ptr<Call>& cancelled) {
  const auto call = std::static_pointer_cast<ProxyCall>(cancelled);
  call->taken_back = true;
  call->cancel();
  // After the request itself.
  connection_->post([there = there_, call] {
    const Lock lock(*there->connection);
    for (const rpc::Engine::CallId id : call->forwarded) lock.engine().cancel(id);
    lock.sent_something();
  });
}

// What the receiver answered goes to the sender as it came.
rpc::ErrorObject ProxyRole::to_error(const Call& call, std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const CallFailed& failed) {
    return {failed.code(), failed.message(), failed.data()};
  } catch (const ConnectionClosed& closed) {
    return {rpc::internal_error, closed.what(), {}};
  } catch (...) {
    return AnsweringRole::to_error(call, std::current_exception());
  }
}

// ---- notifications

bool ProxyRole::on_notification(rpc::NotificationToken, std::string_view method, JsonView params) {
  connection_->post([self = self(), notification = ProxyNotification{sender_, std::string(method),
                                                                     Json(params)}]() mutable {
    self->pass_on(notification);
  });
  return true;
}

void ProxyRole::pass_on(ProxyNotification& notification) {
  if (const auto* const hook = config_->notification_hook(notification.method)) {
    const std::string method = notification.method;  // the hook may change it
    std::string failure;
    try {
      if (!(*hook)(notification)) return;
    } catch (const std::exception& exception) {
      failure = exception.what();
    } catch (...) {
      failure = "an exception that is no std::exception";
    }
    if (!failure.empty()) {
      const Lock lock(*connection_);
      return log(LogEntry::Level::error,
                 "the hook of " + method + " failed, and it was dropped: " + failure);
    }
  }
  io::Outbox::Room room;
  {
    const Lock lock(*there_->connection);
    if (!lock.can_send()) return;
    lock.engine().notify(notification.method, writes(notification.params));
    room = sent(lock);
  }
  keep_pace(here_, room);
}

// ---- pace, and the end

void ProxyRole::keep_pace(const std::shared_ptr<ProxySide>& source, const io::Outbox::Room& room) {
  if (!room || source->held_up.exchange(true)) return;
  handlers().start([source, room] {
    return [](std::shared_ptr<ProxySide> source, io::Outbox::Room room) -> Task<void> {
      co_await Task<void>(room);
      const Lock lock(*source->connection);
      source->held_up = false;
      lock.input_wanted();
    }(source, room);
  });
}

void ProxyRole::on_input_ended(const std::string& reason) {
  here_->end_reason = reason;
  log(LogEntry::Level::debug, reason);
  // What a client still waits for, its agent may answer. Without an agent there is nothing to do.
  if (sender_ == Sender::client) return;
  for (const auto& call : active()) {
    cancel(call);
    fail(*call, cancelled_error);
  }
  connection_->post([there = there_] { there->connection->close(); });
}

void ProxyRole::on_drain_over() {
  for (const auto& call : active()) cancel(call);
}

}  // namespace detail
}  // namespace acp
