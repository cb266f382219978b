// JSON into one growing buffer, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace acp::json {

// Commas and colons are the caller's: begin with `{`, put keys and values, end with `}`. Object and
// Array below do it for hand-written messages.
class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t capacity) { grow(capacity); }

  // A byte of JSON.
  void put(char c) {
    if (place() == limit_) grow(1);
    data_[size_++] = c;
  }
  // Bytes that are JSON already.
  void put(std::string_view text) {
    if (text.empty()) return;  // neither side need have bytes then
    if (!has_room(place(), text.size())) grow(text.size());
    std::memcpy(data_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }

  // A value.
  void null() { put("null"); }
  void boolean(bool value) { value ? put("true") : put("false"); }
  void integer(std::int64_t value);
  void integer(std::uint64_t value);
  // Infinities and NaN, which JSON lacks, become null, as in JavaScript.
  void number(double value);
  // Quotes and escapes. What is not UTF-8 becomes U+FFFD.
  void string(std::string_view text) { wrote_to(string_at(place(), text)); }

  // For a caller that keeps the place to write at in a register: from place() on, with what
  // make_room() gave, and wrote_to() at the end. Room is for so many bytes at the place given, and
  // the new place is what counts.
  char* place() { return data_.get() + size_; }
  char* make_room(char* place, std::size_t bytes) {
    return has_room(place, bytes) ? place : grow_at(place, bytes);
  }
  // As string(); leaves room for one byte more.
  char* string_at(char* place, std::string_view text);
  void wrote_to(const char* place) { size_ = static_cast<std::size_t>(place - data_.get()); }

  // What is written so far.
  std::string_view view() const { return {data_.get(), size_}; }
  std::string str() const { return std::string(view()); }
  std::size_t size() const { return size_; }
  // Empty again; the room stays.
  void clear() { size_ = 0; }
  // Takes away the first bytes.
  void drop_front(std::size_t count) {
    std::memmove(data_.get(), data_.get() + count, size_ - count);
    size_ -= count;
  }

 private:
  void grow(std::size_t more);
  bool has_room(const char* place, std::size_t bytes) const {
    return static_cast<std::size_t>(limit_ - place) >= bytes;
  }
  char* string_after_growth(char* place, std::string_view text);
  char* grow_at(char* place, std::size_t bytes);
  char* rest_of_string(char* out, const char* at, const char* end);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  char* limit_ = nullptr;  // where the room ends
};

// An object in the making: `Members m(out); m.key("id").integer(…);` The brace closes with the
// scope.
class Members {
 public:
  explicit Members(Writer& out) : out_(out) { out_.put('{'); }
  ~Members() { out_.put('}'); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  // Its value is written next.
  Writer& key(std::string_view name) {
    if (!first_) out_.put(',');
    first_ = false;
    out_.string(name);
    out_.put(':');
    return out_;
  }

 private:
  Writer& out_;
  bool first_ = true;
};

}  // namespace acp::json
