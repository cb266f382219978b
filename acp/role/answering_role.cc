#include "acp/role/answering_role.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "acp/async/promise.h"
#include "acp/async/when_any.h"
#include "acp/io/sleep.h"
#include "acp/json/codec.h"
#include "acp/start_failed.h"

namespace acp::detail {

namespace {

std::string random_hex() {
  std::random_device device;
  std::string text;
  for (int i = 0; i < 4; ++i) {
    std::array<char, 9> part{};
    std::snprintf(part.data(), part.size(), "%08x", static_cast<unsigned>(device()));
    text += part.data();
  }
  return text;
}

}  // namespace

// ---- Call

Call::Call(std::shared_ptr<AnsweringRole> owner)
    : owner(std::move(owner)), connection(this->owner->connection()) {}

Link Call::link() {
  return {connection, std::shared_ptr<CallScope>(shared_from_this(), &scope), inside};
}

std::stop_token Call::stop_token() {
  const io::Connection::Lock lock(*connection);
  return stop_token(lock);
}

std::stop_token Call::stop_token(const io::Connection::Locked&) {
  if (!stop_.stop_possible()) {
    stop_ = std::stop_source();
    if (cancelled) stop_.request_stop();
  }
  return stop_.get_token();
}

void Call::cancel() {
  if (std::exchange(cancelled, true)) return;
  const auto locked = connection->held();
  scope.cancel(locked.engine());
  locked.after(clean_up_time, [weak = weak_from_this()] {
    const std::shared_ptr<Call> self = weak.lock();
    if (!self) return;
    const auto locked = self->connection->held();
    self->scope.end_clean_up(locked.engine());
    locked.sent_something();
    // The last reference must not go with the lock held.
    locked.unlocked([self] {});
  });
  if (stop_.stop_possible()) locked.unlocked([stop = stop_]() mutable { stop.request_stop(); });
}

// ---- AnsweringRole

AnsweringRole::AnsweringRole(std::shared_ptr<io::Connection> connection,
                             std::shared_ptr<const LogHook> log, std::string other_side)
    : io::Role(connection->tap()),
      connection_(std::move(connection)),
      handlers_(std::make_shared<RunningHandlers>(connection_)),
      log_(std::move(log)),
      other_side_(std::move(other_side)),
      nonce_(random_hex()) {}

std::string AnsweringRole::new_id(const char* prefix) {
  return prefix + nonce_ + "_" + std::to_string(next_id_++);
}

void AnsweringRole::log(LogEntry::Level level, std::string message, std::string correlation_id) {
  if (!*log_) return;
  connection_->held().unlocked(
      [hook = log_, entry = LogEntry{level, std::move(message), std::move(correlation_id)}] {
        (*hook)(entry);
      });
}

void AnsweringRole::on_trouble(const rpc::Trouble& trouble) {
  // A line that a program printed there by mistake: people look for it where it prints.
  const bool not_json = trouble.kind == rpc::Trouble::Kind::not_json && other_side_ == "agent" &&
                        !trouble.what.starts_with("a line ");
  log(LogEntry::Level::warning,
      "from the " + other_side_ + ": " + trouble.what +
          (not_json ? " (a line on its standard output that is not JSON)" : ""));
}

bool AnsweringRole::decode(const rpc::RequestId& id, JsonView params, const json::Type& type,
                           void* request) {
  const bool none = params.absent() || params.is_null();
  const auto error = json::decode(none ? "{}" : params.text(), type, request);
  if (!error) return true;
  refuse(id, invalid_params(error->path.empty() ? "params" : "params." + error->path,
                            error->expected, error->got));
  return false;
}

void AnsweringRole::refuse(const rpc::RequestId& id, std::int32_t code, std::string message,
                           Json data) {
  connection_->held().engine().fail(id, {code, std::move(message), std::move(data)});
}
void AnsweringRole::refuse(const rpc::RequestId& id, const Error& error) {
  refuse(id, error.code(), error.what(), error.data());
}
void AnsweringRole::refuse_unknown(const rpc::RequestId& id, std::string_view method) {
  refuse(id, rpc::method_not_found, "Method not found: " + std::string(method),
         Json::object({{"method", method}}));
}

void AnsweringRole::begin(std::shared_ptr<Call> call, const rpc::RequestId& id) {
  call->id = id;
  call->place = active_.size();
  active_.push_back(std::move(call));
}

void AnsweringRole::answer(Call& call, const json::Type& type, const void* response) {
  if (std::exchange(call.over, true)) return;
  if (const auto locked = connection_->held(); !call.answered && !locked.drops_answers())
    locked.engine().respond(*call.id,
                            [&](json::Writer& out) { write_result(call, out, type, response); });
  end(call);
}

void AnsweringRole::write_result(Call&, json::Writer& out, const json::Type& type,
                                 const void* result) {
  json::write(out, type, result);
}

void AnsweringRole::answer(Call& call, const Json& response) {
  if (std::exchange(call.over, true)) return;
  if (const auto locked = connection_->held(); !locked.drops_answers())
    locked.engine().respond(*call.id, [&](json::Writer& out) {
      response.absent() ? out.null() : out.put(response.text());
    });
  end(call);
}

void AnsweringRole::fail(Call& call, std::exception_ptr error) {
  if (!call.over) fail(call, to_error(call, std::move(error)));
}

void AnsweringRole::fail(Call& call, const rpc::ErrorObject& error) {
  if (std::exchange(call.over, true)) return;
  if (!call.answered) connection_->held().engine().fail(*call.id, error);
  end(call);
}

void AnsweringRole::end(Call& call) {
  const std::shared_ptr<Call> ended = std::move(active_[call.place]);
  if (call.place + 1 != active_.size()) {
    active_[call.place] = std::move(active_.back());
    active_[call.place]->place = call.place;
  }
  active_.pop_back();
  for (const auto& action : std::exchange(call.when_over, {})) action();
  if (AnsweringRole::handlers_running() == 0) on_idle();
  const auto locked = connection_->held();
  locked.sent_something();
  locked.check_finished();
}

void AnsweringRole::end_notification(Call& call, std::exception_ptr error) {
  --notifications_running_;
  if (error) to_error(call, error);  // for the log: a notification has no answer
  if (AnsweringRole::handlers_running() == 0) on_idle();
  const auto locked = connection_->held();
  locked.engine().finished(call.inside);
  locked.input_wanted();
  locked.check_finished();
}

Task<void> sleep(std::shared_ptr<Call> call, std::chrono::milliseconds time) {
  const Promise<void> cancelled;
  const std::stop_callback on_stop(
      call->stop_token(), [cancelled] { cancelled.fail(std::make_exception_ptr(Cancelled())); });
  Task<async::Nothing> never = async::with_value(cancelled.task());
  Task<async::Nothing> over = io::sleep(call->connection, time);
  co_await when_any(std::move(never), std::move(over));
  if (call->connection->finished()) throw ConnectionClosed("the connection is closed");
}

rpc::ErrorObject AnsweringRole::to_error(const Call& call, std::exception_ptr error) {
  const rpc::ErrorObject cancelled{rpc::request_cancelled, "Request cancelled", {}};
  std::string what;
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return cancelled;
  } catch (const CallFailed& failed) {
    what = "a call to the " + other_side_ + " failed: " + std::to_string(failed.code()) + " " +
           failed.what();
  } catch (const Refused& refused) {
    what = refused.what();
  } catch (const ConnectionClosed& closed) {
    what = closed.what();
  } catch (const TimedOut& late) {
    what = late.what();
  } catch (const StartFailed& failed) {
    what = failed.what();
  } catch (const LocalFailure& failed) {
    what = failed.what();
  } catch (const Error& thrown) {
    if (!call.cancelled) return {thrown.code(), thrown.what(), thrown.data()};
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "an exception that is no std::exception";
  }
  if (call.cancelled) return cancelled;
  const std::string correlation = new_id("e_");
  log(LogEntry::Level::error, "a handler failed: " + what, correlation);
  return {rpc::internal_error, "Internal error", Json::object({{"correlationId", correlation}})};
}

std::shared_ptr<Call> AnsweringRole::active(const rpc::RequestId& id) const {
  // One that has its answer may share its id with a later request.
  const auto found = std::find_if(active_.begin(), active_.end(), [&](const auto& call) {
    return !call->answered && call->id->key() == id.key();
  });
  return found == active_.end() ? nullptr : *found;
}

}  // namespace acp::detail
