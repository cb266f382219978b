// Calls to the other side of a connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "acp/async/task.h"
#include "acp/async/wait.h"
#include "acp/error.h"
#include "acp/json/described.h"
#include "acp/json/json.h"

namespace acp {

struct Method;

namespace io {
class Connection;
}
namespace json {
struct Limits;
}

// A message, which has been sent whether this is awaited or not: awaiting holds up a producer that
// is faster than the wire. Throws ConnectionClosed when awaited, if there is nobody to send to.
using Sent = Task<void>;

namespace detail {

class CallScope;

// Passes an answer's text to the waiting call if it is valid; otherwise returns what is wrong with
// it.
using Deliver = std::function<std::optional<json::DecodeFault>(std::string_view text,
                                                               const json::Limits& limits)>;

// What happens to a call when the handler that makes it is cancelled.
enum class Calling : std::uint8_t {
  while_wanted,  // it fails at once
  clean_up,      // it is made nevertheless, and waited for a moment
  creates,       // as clean_up; a late answer is taken, too, to release what it names
};

struct Link {
  std::shared_ptr<io::Connection> connection;
  std::shared_ptr<CallScope> scope;  // of the handler that calls, if there is one
  std::uint64_t inside = 0;          // the notification that is being handled

  void request(const json::Type& type, const void* params,
               const std::shared_ptr<async::CompletionBase>& done, Deliver deliver,
               Calling how = Calling::while_wanted) const;
  void request_raw(std::string_view method, const Json& params,
                   const std::shared_ptr<async::CompletionBase>& done, Deliver deliver) const;
  Sent notify(const json::Type& type, const void* params) const;
  Sent notify_raw(std::string_view method, const Json& params) const;
  template <class T>
  static std::shared_ptr<async::Completion<T>> completion() {
    return std::make_shared<async::Completion<T>>();
  }
};

// The method of version 1 that takes these params; of requests and notifications alike.
const Method& method_of(const json::Type& params);
std::optional<json::DecodeFault> decode(std::string_view text, const json::Type& type, void* value,
                                        const json::Limits& limits);

template <class Response>
Deliver deliver_to(const std::shared_ptr<async::Completion<Response>>& done) {
  return [done](std::string_view text,
                const json::Limits& limits) -> std::optional<json::DecodeFault> {
    Response response;
    if (auto error = detail::decode(text, Response::json_type, &response, limits)) return error;
    done->settle(std::move(response));
    return std::nullopt;
  };
}

}  // namespace detail

// The other side of a connection.
class Peer {
 public:
  explicit Peer(detail::Link link) : link_(std::move(link)) {}

  // Sends any request of the schema at once, without a check of what the other side advertised.
  // Throws Error when awaited; dropped before its answer, the request is cancelled. A message of
  // version 1 goes out as the one of version 2 that says the same where that is spoken, one of
  // version 2 only there; otherwise throws Refused.
  template <class Request>
  Task<decltype(response_of(std::declval<Request>()))> request(const Request& request) const {
    using Response = decltype(response_of(request));
    const auto done = std::make_shared<async::Completion<Response>>();
    link_.request(Request::json_type, &request, done, detail::deliver_to<Response>(done));
    return Task<Response>(done);
  }
  // Sends any notification of the schema.
  template <class Notification>
  Sent notify(const Notification& notification) const {
    return link_.notify(Notification::json_type, &notification);
  }
#if ACP_TEMPORARIES_BREAK
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Task<decltype(response_of(std::declval<T>()))> request(T&& request) const);
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Sent notify(T&& notification) const);
#endif

  // Calls an extension method, which begins with `_`, or any other; sent as it is.
  Task<Json> request(std::string_view method, const Json& params) const;
  Sent notify(std::string_view method, const Json& params) const;

 private:
  detail::Link link_;
};

}  // namespace acp
