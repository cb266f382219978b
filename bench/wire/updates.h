// Counts the updates that an agent sends, and believes none of them: each has its text in full.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bench::wire {

// The first update is decoded, the others are compared with it, as many at once as were read: a
// driver that looked at each would be slower than the floor. One that differs is decoded, too; the
// first that differs in a turn (it may have another id) is what the rest of them is compared with.
class Updates {
 public:
  // `key` begins the text in an update (`"text":"`), which must have this many bytes.
  Updates(std::string_view key, std::size_t bytes) : key_(key), bytes_(bytes) {}

  // A turn: counts afresh. All other lines go to `other`.
  void begin(std::function<void(std::string_view)> other);

  void take(std::string_view piece);
  std::size_t count() const { return count_; }
  // Of what they are compared with, with its newline.
  std::size_t line_bytes() const { return line_bytes_; }

 private:
  void line(std::string_view line);

  const std::string key_;
  const std::size_t bytes_;
  std::function<void(std::string_view)> other_;
  std::size_t count_ = 0, line_bytes_ = 0;
  bool learned_ = false;   // in this turn
  std::string repeated_;   // the line that is expected, many times
  std::size_t phase_ = 0;  // how much of a line equal to it was taken
  std::string partial_;    // of a line that is not
};

}  // namespace bench::wire
