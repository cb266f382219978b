// A cursor over one JSON text. Every byte it passes is checked, whether the value is wanted or
// skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "acp/json/error.h"

namespace acp::json {

// What a text may not exceed.
struct Limits {
  std::size_t depth = 512;  // objects and arrays inside each other; at most 4096
  std::size_t bytes = 32 * 1024 * 1024;
};

// What a JSON value is; `none`: there is none.
enum class ValueKind : unsigned char { null, boolean, number, string, array, object, none };

// "a string", "an object", …; for messages.
std::string_view describe(ValueKind kind);
// "null", "boolean", "number", "string", "array", "object", "none"
constexpr const char* to_string(ValueKind value) {
  switch (value) {
    case ValueKind::null:
      return "null";
    case ValueKind::boolean:
      return "boolean";
    case ValueKind::number:
      return "number";
    case ValueKind::string:
      return "string";
    case ValueKind::array:
      return "array";
    case ValueKind::object:
      return "object";
    case ValueKind::none:
      return "none";
  }
  return "";
}

// Each function returns false on failure; error() then says why, without a path. After a mismatch
// the cursor can be set back with rewind() and the value skipped; a syntax error is final.
class Reader {
 public:
  explicit Reader(std::string_view text, Limits limits = {});

  // The kind of the next value, from its first byte; `none` if no value starts there.
  ValueKind peek() {
    const ValueKind kind = kind_here();
    return kind != ValueKind::none ? kind : peek_past_space();
  }

  // Likewise, of a whole value without space before it.
  static ValueKind kind_of(std::string_view value) {
    return value.empty() ? ValueKind::none : kinds_[static_cast<unsigned char>(value.front())];
  }

  // A value of this kind; of a number also within these limits.
  bool null();
  bool boolean(bool& value);
  bool string(std::string& value);
  bool integer(std::int64_t& value, std::int64_t least, std::int64_t most);
  bool integer(std::uint64_t& value, std::uint64_t least, std::uint64_t most);
  bool number(double& value);
  // A string with no escape in it is given without a copy, others live until the next key or
  // text().
  bool text(std::string_view& value);

  // Passes a whole value. `spaced` tells whether it holds white space that means nothing.
  bool skip();
  bool skip(bool& spaced);
  // The text of the next value, white space outside strings removed.
  bool raw(std::string& value);

  // while (in.next_key(first, key)) …; then check failed(). Likewise for arrays.
  bool begin_object() {
    return (peek() == ValueKind::object && enter()) || not_begun(ValueKind::object);
  }
  // Past the bracket that peek() has seen, unless that is too deep.
  bool enter() {
    if (depth_ >= limits_.depth) return false;
    ++depth_;
    ++at_;
    return true;
  }
  // `first` is true before the first.
  bool next_key(bool& first, std::string_view& key);
  bool begin_array() {
    return (peek() == ValueKind::array && enter()) || not_begun(ValueKind::array);
  }
  // As next_key().
  bool next_element(bool& first) {
    // Compact text, in the midst of it.
    if (!first && !failed_ && end_ - at_ >= 2 && *at_ == ',' && at_[1] > ' ' && at_[1] != ']') {
      ++at_;
      return true;
    }
    return next_element_or_end(first);
  }

  // Nothing but white space is left.
  bool finish();

  // Where it stands, and where the text ends.
  const char* at() const { return at_; }
  const char* end() const { return end_; }
  // For a reader that went ahead by itself, over what it knows: to here, and past the brace that
  // stands here.
  void move_to(const char* at) { at_ = at; }
  void end_object(const char* brace) { at_ = brace + 1, --depth_; }
  void rewind(const char* at, std::size_t depth) { at_ = at, depth_ = depth; }
  std::size_t depth() const { return depth_; }
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }

  // Whether it has failed, and for good; why; and that the caller has dealt with a mismatch.
  bool failed() const { return failed_; }
  bool fatal() const { return failed_ && error_->kind != DecodeFault::Kind::mismatch; }
  const DecodeFault& error() const { return *error_; }
  DecodeFault& error() { return *error_; }
  void clear_mismatch() { failed_ = false; }

  // Reports that the value at `from` is not what was wanted: of another kind, or of that kind but
  // wrong, or in a way that the caller tells. Always false.
  bool wrong_kind(const char* from, std::string expected);
  bool wrong_value(const char* from, std::string expected);
  bool mismatch(const char* from, std::string expected, std::string got);
  // What stands there, for messages: `an object`, `the number 1.5`, `the string "x"`.
  std::string found(const char* from);

 private:
  bool syntax(const char* where, std::string expected);
  bool limit(std::string expected, std::string got);
  ValueKind kind_here() const {
    return at_ == end_ ? ValueKind::none : kinds_[static_cast<unsigned char>(*at_)];
  }
  ValueKind peek_past_space();
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void space() {
    while (at_ < end_ && *at_ <= ' ' && is_space(*at_)) ++at_;
  }
  bool not_begun(ValueKind kind);
  bool next_element_or_end(bool& first);
  bool literal(std::string_view word);
  bool number_text(std::string_view& text, bool& integral);
  std::optional<std::int64_t> short_integer();
  template <class Int>
  bool any_integer(Int& value, Int least, Int most);
  const char* string_end(const char* p);
  const char* odd_string_end(const char* p);
  bool unescape(const char* start, std::string& value);
  bool unescape_one(const char*& p, char*& out) const;
  bool skip_scalar();

  static constexpr std::size_t deepest = 4096;
  static const std::array<ValueKind, 256> kinds_;

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t depth_ = 0;
  Limits limits_;
  std::string scratch_;
  std::optional<DecodeFault> error_;
  bool failed_ = false;
};

// The text without white space outside strings. The text is valid JSON.
std::string compact(std::string_view text);

}  // namespace acp::json
