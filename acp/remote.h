// The other side of a connection, to be called.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "acp/async/completion.h"
#include "acp/async/wait.h"
#include "acp/error.h"
#include "acp/json/described.h"
#include "acp/json/json.h"

namespace acp {

namespace io {
class Connection;
}
namespace json {
struct Limits;
}

// A message on its way. It goes whether this is awaited or not: awaiting holds up a producer that
// is faster than the wire. Throws ConnectionClosed when awaited, if there is nobody to send to.
class [[nodiscard("co_await it, or wait() for it")]] Sent {
 public:
  Sent() = default;
  explicit Sent(std::shared_ptr<async::Completion<void>> room) : room_(std::move(room)) {}
  explicit Sent(std::exception_ptr error) : error_(std::move(error)) {}

  class Awaiter {
   public:
    Awaiter(std::shared_ptr<async::Completion<void>> room, std::exception_ptr error)
        : room_(std::move(room)), error_(std::move(error)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (room_) room_->drop();
    }
    bool await_ready() const { return room_ == nullptr || room_->ready(); }
    bool await_suspend(std::coroutine_handle<> waiter) { return room_->suspend(waiter); }
    void await_resume() {
      if (error_) std::rethrow_exception(error_);
    }

   private:
    std::shared_ptr<async::Completion<void>> room_;
    std::exception_ptr error_;
  };
  Awaiter operator co_await() && { return Awaiter(std::move(room_), std::move(error_)); }
  // For plain functions.
  void wait() &&;

 private:
  std::shared_ptr<async::Completion<void>> room_;
  std::exception_ptr error_;
};

namespace detail {

class CallScope;

// Gives an answer's text to the waiting call, if it is right; else says what is wrong with it.
using Deliver =
    std::function<std::optional<json::Error>(std::string_view text, const json::Limits& limits)>;

// What becomes of a call when the handler that makes it is cancelled.
enum class Calling : std::uint8_t {
  while_wanted,  // it fails at once
  clean_up,      // it is made all the same, and waited for a moment
  creates,       // the same; its answer is taken whenever it comes, to release what it names
};

struct Link {
  std::shared_ptr<io::Connection> connection;
  std::shared_ptr<CallScope> scope;  // of the handler that calls, if there is one
  std::uint64_t inside = 0;          // the notification that is being handled

  void request(std::string_view method, const json::Type& type, const void* params,
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

// The method that takes these params; of requests and notifications alike.
std::string_view method_of(const json::Type& params);
std::optional<json::Error> decode(std::string_view text, const json::Type& type, void* value,
                                  const json::Limits& limits);

template <class Response>
Deliver deliver_to(const std::shared_ptr<async::Completion<Response>>& done) {
  return [done](std::string_view text, const json::Limits& limits) -> std::optional<json::Error> {
    Response response;
    if (auto error = detail::decode(text, Response::json_type, &response, limits)) return error;
    done->settle(std::move(response));
    return std::nullopt;
  };
}

}  // namespace detail

class Remote {
 public:
  explicit Remote(detail::Link link) : link_(std::move(link)) {}

  // Any request of the schema, as it is: not checked against what the other side advertised. Throws
  // Error when awaited.
  template <class Request>
  Pending<decltype(response_of(std::declval<Request>()))> request(const Request& request) const {
    using Response = decltype(response_of(request));
    const auto done = std::make_shared<async::Completion<Response>>();
    link_.request(detail::method_of(Request::json_type), Request::json_type, &request, done,
                  detail::deliver_to<Response>(done));
    return Pending<Response>(done);
  }
  // Any notification of the schema.
  template <class Notification>
  Sent notify(const Notification& notification) const {
    return link_.notify(Notification::json_type, &notification);
  }

  // Extension methods, which begin with `_`, or any other.
  Pending<Json> request(std::string_view method, const Json& params) const;
  Sent notify(std::string_view method, const Json& params) const;

 private:
  detail::Link link_;
};

}  // namespace acp
