#include "acp/role/versions/patch/signed_lines.h"

#include <cstring>

namespace acp::detail::versions {

namespace {

constexpr std::size_t step = unsigned_gap;

// Copies by steps: up to step - 1 bytes more than asked for, on both sides.
void copy_by_steps(char* to, const char* from, std::size_t size) {
  for (std::size_t at = 0; at < size; at += step) {
    char bytes[step];
    std::memcpy(bytes, from + at, step);
    std::memcpy(to + at, bytes, step);
  }
}

// The size of the first line with its end; of all that is left where that has none.
std::size_t line_size(std::string_view text) {
  const void* const end = std::memchr(text.data(), '\n', text.size());
  if (end == nullptr) return text.size();
  return static_cast<std::size_t>(static_cast<const char*>(end) - text.data()) + 1;
}

// Gathers pieces on the way to a string.
class Gathered {
 public:
  explicit Gathered(std::string& out) : out_(out) {}
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;
  ~Gathered() { flush(); }

  // The sign, and the first bytes of the text.
  void put(char sign, std::string_view text, std::size_t size) {
    if (size + step >= sizeof block_ - size_) flush();
    if (size + step >= sizeof block_) {
      (out_ += sign).append(text.substr(0, size));
      return;
    }
    block_[size_++] = sign;
    if (text.size() - size >= step)
      copy_by_steps(block_ + size_, text.data(), size);
    else
      std::memcpy(block_ + size_, text.data(), size);
    size_ += size;
  }

 private:
  void flush() {
    out_.append(block_, size_);
    size_ = 0;
  }

  std::string& out_;
  std::size_t size_ = 0;
  char block_[8 * 1024];
};

// g++ and clang make of it what the machine has.
using Block = unsigned char __attribute__((vector_size(16)));

Block block_at(const char* from) {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return block;
}

std::size_t sum(const Block& numbers) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < sizeof numbers; ++i) total += numbers[i];
  return total;
}

}  // namespace

std::size_t append_signed(std::string& out, char sign, std::string_view text) {
  if (text.empty()) return 0;
  const bool ends = text.back() == '\n';
  std::size_t lines = 0;
  {
    Gathered gathered(out);
    for (; !text.empty(); ++lines) {
      const std::size_t size = line_size(text);
      gathered.put(sign, text, size);
      text.remove_prefix(size);
    }
  }
  if (!ends) out += "\n\\ No newline at end of file\n";
  return lines;
}

bool are_signed(std::string_view text, char sign, std::size_t lines) {
  if (text.empty()) return lines == 0;
  if (text.front() != sign || text.back() != '\n') return false;
  const char* from = text.data();
  const char* const last = from + text.size() - 1;
  std::size_t found = 1;
  while (from < last) {
    // No count in a byte can overflow.
    Block ends{}, unsigned_lines{};
    for (int i = 0; i < 255 && last - from >= 16; ++i, from += 16) {
      const Block is_end = block_at(from) == '\n';
      ends -= is_end;
      unsigned_lines |= is_end & (block_at(from + 1) != static_cast<unsigned char>(sign));
    }
    found += sum(ends);
    if (sum(unsigned_lines) != 0) return false;
    for (; last - from < 16 && from < last; ++from) {
      if (*from != '\n') continue;
      if (from[1] != sign) return false;
      ++found;
    }
  }
  return found == lines;
}

char* move_unsigned(char* to, std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = line_size(text);
    if (text.size() - size >= step)
      copy_by_steps(to, text.data() + 1, size - 1);
    else
      std::memmove(to, text.data() + 1, size - 1);
    to += size - 1;
    text.remove_prefix(size);
  }
  return to;
}

}  // namespace acp::detail::versions
