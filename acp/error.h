// The exceptions of calls to the other side, and those that a handler throws to answer with an
// error.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"
#include "acp/rpc/error.h"

namespace acp {

// The base of what this library throws. The exceptions to that: mistakes of the program
// (std::logic_error and those derived from it), what the system refuses to a transport or a server
// (std::system_error), and json::DecodeError, by json::Result::value() alone: JSON is below this.
// Thrown by a handler as an Error or AuthRequired, it is the answer; a handler that throws one of
// the others below has failed, and the other side learns no details.
class Error : public std::runtime_error {
 public:
  Error(std::int32_t code, const std::string& message, Json data = {})
      : std::runtime_error(message), code_(code), data_(std::move(data)) {}
  // The error's code and data, as on the wire.
  std::int32_t code() const { return code_; }
  const Json& data() const { return data_; }

 private:
  std::int32_t code_;
  Json data_;
};

// Not an answer: the work that this was part of has been cancelled.
class Cancelled : public Error {
 public:
  Cancelled() : Error(rpc::request_cancelled, "cancelled") {}
};

// Not an answer: the connection ended first.
class ConnectionClosed : public Error {
 public:
  explicit ConnectionClosed(const std::string& reason) : Error(rpc::internal_error, reason) {}
};

// No answer came in time. What was asked for has been cancelled.
class TimedOut : public Error {
 public:
  explicit TimedOut(const std::string& what) : Error(rpc::request_cancelled, what) {}
};

// The message of an error together with what its data says for people: `details`, a short text,
// `scope`, `retryAfter`. Text of the other side: io::printable() makes it safe to show.
std::string with_reason(const std::string& message, JsonView data);

// The other side answered a call of ours with an error; what() is its message with the reason. A
// handler that lets it pass has failed.
class CallFailed : public Error {
 public:
  CallFailed(std::int32_t code, const std::string& message, Json data = {})
      : Error(code, with_reason(message, data), data), message_(message) {}
  // The message as it is on the wire.
  const std::string& message() const { return message_; }
  // Seconds after which the call may be tried again, if the other side says so.
  std::optional<double> retry_after() const;

 private:
  std::string message_;
};

// The other side answered null where an answer has fields that must be there: it does not do what
// it advertised.
class EmptyAnswer : public CallFailed {
 public:
  explicit EmptyAnswer(const std::string& method);
};

// A call that must not be made: the other side did not advertise it, a path is not absolute.
class Refused : public Error {
 public:
  explicit Refused(const std::string& reason) : Error(rpc::invalid_params, reason) {}
};

// Something on this machine failed: a file, a command, a library that is missing. The base of such
// errors; what() says what it was.
class LocalFailure : public Error {
 public:
  explicit LocalFailure(const std::string& reason) : Error(rpc::internal_error, reason) {}
};

// ---- errors for handlers to throw ----
// -32002, -32602, -32003, -32001, each with its data.
Error not_found(std::string_view what, Json data = {});
Error invalid_params(std::string_view path, std::string_view expected, std::string_view got);
Error permission_denied(std::string_view message, std::string_view scope = {});
Error rate_limited(std::string_view message, double retry_after_seconds);

}  // namespace acp
