#include "bench/wire/updates.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "bench/wire/message.h"

namespace bench::wire {

void Updates::begin(std::function<void(std::string_view)> other) {
  other_ = std::move(other);
  count_ = 0;
  learned_ = false;
}

void Updates::take(std::string_view piece) {
  while (!piece.empty()) {
    if (partial_.empty() && line_bytes_ > 0) {
      const std::size_t size = std::min(piece.size(), repeated_.size() - phase_);
      const char* expected = repeated_.data() + phase_;
      std::size_t same = size;
      if (std::memcmp(piece.data(), expected, size) != 0)
        same = static_cast<std::size_t>(
            std::mismatch(expected, expected + size, piece.data()).first - expected);
      piece.remove_prefix(same);
      count_ += (phase_ + same) / line_bytes_;
      phase_ = (phase_ + same) % line_bytes_;
      if (same == size) continue;
      partial_.assign(repeated_, 0, phase_);
      phase_ = 0;
    }
    const std::size_t end = piece.find('\n');
    partial_ += piece.substr(0, end);
    if (end == std::string_view::npos) return;
    piece.remove_prefix(end + 1);
    line(partial_);
    partial_.clear();
  }
}

void Updates::line(std::string_view line) {
  const std::string_view head = line.substr(0, 4096);
  const std::size_t at = head.find(key_);
  if (method_of(line) != "session/update" || at == std::string_view::npos ||
      decoded_bytes(line.substr(at + key_.size())) != bytes_)
    return other_(line);
  ++count_;
  if (std::exchange(learned_, true)) return;
  line_bytes_ = line.size() + 1;
  const std::size_t times = std::max<std::size_t>(2, (1 << 20) / line_bytes_ + 2);
  repeated_.clear();
  for (std::size_t i = 0; i < times; ++i) (repeated_ += line) += '\n';
}

}  // namespace bench::wire
