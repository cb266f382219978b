#include "acp/peer.h"

#include "acp/io/connection.h"
#include "acp/json/codec.h"
#include "acp/role/call_scope.h"
#include "acp/role/translation.h"
#include "acp/schema/registry.h"
#include "acp/schema/v1.h"

namespace acp {

namespace detail {

namespace {

std::exception_ptr as_exception(const rpc::ErrorObject& error) {
  if (error.connection_closed) return std::make_exception_ptr(ConnectionClosed(error.message));
  return std::make_exception_ptr(CallFailed(error.code, error.message, error.data));
}

std::exception_ptr invalid_answer(std::string_view method, const json::DecodeFault& error) {
  return std::make_exception_ptr(
      CallFailed(rpc::internal_error,
                 "the answer to " + std::string(method) + " is not valid: " + error.message()));
}

const Method* method_of_version_1(const json::Type& params) {
  for (const Method& method : v1::methods())
    if (method.params == &params && method.side != Side::proxy) return &method;
  return nullptr;
}

// Of version 2. Throws Refused where that is not spoken.
const Method& method_of_version_2(const io::Connection::Locked& connection,
                                  const json::Type& params) {
  const Translation* const translation = connection.translation();
  const Method* const method = translation == nullptr ? nullptr : translation->method_of(params);
  if (method != nullptr) return *method;
  throw Refused(translation == nullptr && !connection.ended()
                    ? "version 2 of the protocol is not spoken here"
                    : "no method takes these params");
}

// With the lock. `write` gives the engine its params.
void start(const io::Connection::Locked& lock, const Link& link, std::string_view method,
           const rpc::Engine::Write& params, const std::shared_ptr<async::CompletionBase>& done,
           Deliver deliver, bool typed, Calling how) {
  const std::shared_ptr<io::Connection>& connection = link.connection;
  done->home = connection;
  done->helper = connection;
  const std::shared_ptr<CallScope> scope = link.scope;
  if (scope && scope->cancelled() && how == Calling::while_wanted)
    return void(done->fail(std::make_exception_ptr(Cancelled())));
  rpc::Engine& engine = lock.engine();
  const auto id = std::make_shared<rpc::Engine::CallId>(-1);
  // A null where an object should be: some peers answer so, and mean an empty one.
  *id = engine.request(
      method, params,
      [done, deliver = std::move(deliver), scope, id, typed,
       method = std::string(method)](const rpc::Engine::Answer& answer) {
        if (answer.taken != nullptr) {
          *answer.taken = !deliver(answer.unchecked, {.depth = rpc::max_streamed_depth});
          if (*answer.taken && scope) scope->remove(*id);
          return;
        }
        if (scope) scope->remove(*id);
        if (answer.error != nullptr) return void(done->fail(as_exception(*answer.error)));
        const bool empty = typed && answer.result.is_null();
        if (const auto error = deliver(empty ? "{}" : answer.result.text(), {}))
          done->fail(empty ? std::make_exception_ptr(EmptyAnswer(method))
                           : invalid_answer(method, *error));
      },
      link.inside, typed);
  if (done->ready()) return;
  if (scope && scope->out_of_time()) {
    done->fail(std::make_exception_ptr(Cancelled()));
    return lock.sent_something();
  }
  if (scope) scope->add(*id, done, how);
  if (how == Calling::creates) return lock.sent_something();
  done->on_drop = [weak = std::weak_ptr(connection), scope, id = *id] {
    const auto connection = weak.lock();
    if (!connection) return;
    io::Connection::Lock lock(*connection);
    if (scope) scope->remove(id);
    lock.engine().cancel(id);
    lock.engine().abandon(id);
    lock.sent_something();
  };
  lock.sent_something();
}

Sent send(const io::Connection::Locked& lock, std::string_view method,
          const rpc::Engine::Write& params) {
  if (!lock.can_send())
    return Sent(std::make_exception_ptr(ConnectionClosed("the connection is closed")));
  lock.engine().notify(method, params);
  lock.sent_something();
  return lock.congested() ? Sent(lock.room()) : Sent();
}

}  // namespace

void CallScope::cancel(rpc::Engine& engine) {
  cancelled_ = true;
  for (const auto& [id, call] : std::exchange(calls_, {})) {
    engine.cancel(id);
    engine.abandon(id);
    call->fail(std::make_exception_ptr(Cancelled()));
  }
}

// Not abandoned: what a late answer names has to be released.
void CallScope::end_clean_up(rpc::Engine& engine) {
  out_of_time_ = true;
  for (const auto& [id, call] : std::exchange(clean_up_, {})) {
    engine.cancel(id);
    call->fail(std::make_exception_ptr(Cancelled()));
  }
}

std::optional<json::DecodeFault> decode(std::string_view text, const json::Type& type, void* value,
                                        const json::Limits& limits) {
  json::Options options;
  options.limits = limits;
  return json::decode(text, type, value, options);
}

const Method& method_of(const json::Type& params) {
  if (const Method* const method = method_of_version_1(params)) return *method;
  throw std::logic_error("no method takes these params");
}

void Link::request(const json::Type& type, const void* params,
                   const std::shared_ptr<async::CompletionBase>& done, Deliver deliver,
                   Calling how) const {
  const Method* const method = method_of_version_1(type);
  const io::Connection::Lock lock(*connection);
  Translation* const translation = lock.translation();
  const auto write = [&](json::Writer& out) { json::write(out, type, params); };
  if (translation == nullptr && method != nullptr)
    return start(lock, *this, method->name, write, done, std::move(deliver), true, how);
  try {
    if (method == nullptr)
      return start(lock, *this, method_of_version_2(lock, type).name, write, done,
                   std::move(deliver), true, how);
    if (translation->carry_out(*this, type, params, done, deliver, how)) return;
    Translation::Message message = translation->request(type, params, std::move(deliver));
    start(
        lock, *this, message.method, [&](json::Writer& out) { out.put(message.params); }, done,
        std::move(message.deliver), true, how);
  } catch (const Refused&) {
    done->fail(std::current_exception());
  }
}

void Link::request_raw(std::string_view method, const Json& params,
                       const std::shared_ptr<async::CompletionBase>& done, Deliver deliver) const {
  const io::Connection::Lock lock(*connection);
  start(
      lock, *this, method,
      [&](json::Writer& out) { params.absent() ? out.put("{}") : out.put(params.text()); }, done,
      std::move(deliver), false, Calling::while_wanted);
}

Sent Link::notify(const json::Type& type, const void* params) const {
  const Method* const method = method_of_version_1(type);
  const io::Connection::Lock lock(*connection);
  Translation* const translation = lock.translation();
  const auto write = [&](json::Writer& out) { json::write(out, type, params); };
  if (translation == nullptr && method != nullptr) return send(lock, method->name, write);
  try {
    if (method == nullptr) {
      const Method& of_version_2 = method_of_version_2(lock, type);
      translation->check_notification(type, params);
      return send(lock, of_version_2.name, write);
    }
    const Translation::Message message = translation->notification(type, params);
    return send(lock, message.method, [&](json::Writer& out) { out.put(message.params); });
  } catch (const Refused&) {
    return Sent(std::current_exception());
  }
}

Sent Link::notify_raw(std::string_view method, const Json& params) const {
  const io::Connection::Lock lock(*connection);
  return send(lock, method,
              [&](json::Writer& out) { params.absent() ? out.put("{}") : out.put(params.text()); });
}

}  // namespace detail

Task<Json> Peer::request(std::string_view method, const Json& params) const {
  const auto done = std::make_shared<async::Completion<Json>>();
  link_.request_raw(
      method, params, done,
      [done](std::string_view text, const json::Limits&) -> std::optional<json::DecodeFault> {
        done->settle(Json(JsonView::of_valid(text)));
        return std::nullopt;
      });
  return Task<Json>(done);
}

Sent Peer::notify(std::string_view method, const Json& params) const {
  return link_.notify_raw(method, params);
}

}  // namespace acp
