// JSON into one growing buffer, in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace acp::json {

// Commas and colons are the caller's: begin with `{`, put keys and values, end with `}`. Object and Array
// below do it for hand-written messages.
class Writer {
 public:
  Writer() = default;
  explicit Writer(std::size_t capacity) { grow(capacity); }

  void put(char c) {
    if (size_ == capacity_) grow(1);
    data_[size_++] = c;
  }
  // Bytes that are JSON already.
  void put(std::string_view text) {
    if (capacity_ - size_ < text.size()) grow(text.size());
    std::memcpy(data_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }

  void null() { put("null"); }
  void boolean(bool value) { value ? put("true") : put("false"); }
  void integer(std::int64_t value);
  void integer(std::uint64_t value);
  // Infinities and NaN, which JSON lacks, become null, as in JavaScript.
  void number(double value);
  // Quotes and escapes. What is not UTF-8 becomes U+FFFD.
  void string(std::string_view text);

  std::string_view view() const { return {data_.get(), size_}; }
  std::string str() const { return std::string(view()); }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  // Takes away the first bytes.
  void drop_front(std::size_t count) {
    std::memmove(data_.get(), data_.get() + count, size_ - count);
    size_ -= count;
  }

 private:
  void grow(std::size_t more);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// An object in the making: `Members m(out); m.key("id").integer(…);` The brace closes with the scope.
class Members {
 public:
  explicit Members(Writer& out) : out_(out) { out_.put('{'); }
  ~Members() { out_.put('}'); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
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
