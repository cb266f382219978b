// What went wrong with a JSON text, and the result type that carries it.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace acp::json {

// Why a text is not what was wanted, and where.
struct DecodeFault {
  // How the text is not what was wanted.
  enum class Kind {
    mismatch,  // valid JSON, but not the value that was asked for
    syntax,    // not JSON
    limit,     // deeper or larger than the limits allow
  };

  std::string path;        // "params.prompt[1].text"; empty for the whole value
  std::string expected;    // "a string"
  std::string got;         // "a number"
  std::size_t offset = 0;  // in bytes, from the start of the text
  Kind kind = Kind::mismatch;

  // `params.prompt[1].text: expected a string, got a number`
  std::string message() const;
};
// "mismatch", "syntax", "limit"
constexpr const char* to_string(DecodeFault::Kind value) {
  switch (value) {
    case DecodeFault::Kind::mismatch:
      return "mismatch";
    case DecodeFault::Kind::syntax:
      return "syntax";
    case DecodeFault::Kind::limit:
      return "limit";
  }
  return "";
}

// Thrown only by Result::value() on a failed result.
class DecodeError : public std::runtime_error {
 public:
  explicit DecodeError(DecodeFault error)
      : std::runtime_error(error.message()), error_(std::move(error)) {}
  // Why there is no value.
  const DecodeFault& error() const { return error_; }

 private:
  DecodeFault error_;
};

// A value, or the reason why there is none. T can be default-constructed.
template <class T>
class Result {
 public:
  // A value that its owner will fill.
  explicit Result(std::in_place_t) {
    if constexpr (std::is_scalar_v<T>) value_ = T();  // classes make themselves
  }
  Result(T value) : value_(std::move(value)) {}
  Result(DecodeFault error) : Result(std::in_place) { error_ = std::move(error); }

  // There is a value.
  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }

  // Throw DecodeError if there is no value.
  T& value() & { return check(), value_; }
  const T& value() const& { return check(), value_; }
  T value() && { return check(), std::move(value_); }

  // Only where ok().
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

  // Only where not ok().
  const DecodeFault& error() const { return *error_; }

 private:
  void check() const {
    if (!ok()) throw DecodeError(*error_);
  }
  T value_;
  std::optional<DecodeFault> error_;
};

}  // namespace acp::json
