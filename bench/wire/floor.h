// What both floors stand on: lines from standard input by blocking reads, a buffer for the output.
#pragma once

#include <simdjson.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace bench::wire {

class Stdio {
 public:
  std::string out;

  void flush() {
    std::string_view rest = out;
    while (!rest.empty()) {
      const ssize_t written = write(1, rest.data(), rest.size());
      if (written < 0) std::exit(1);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    out.clear();
  }

  // Is one there that needs no read?
  bool has_line() const { return std::memchr(in_.data() + begin_, '\n', end_ - begin_) != nullptr; }

  // Without its newline, and with room for simdjson's padding after it; valid until the next call.
  // Without data at the end of the input.
  std::string_view line() {
    for (std::size_t searched = 0;;) {
      const char* start = in_.data() + begin_;
      const std::size_t size = end_ - begin_;
      if (const void* found = std::memchr(start + searched, '\n', size - searched)) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
        begin_ += length + 1;
        return {start, length};
      }
      searched = size;
      if (begin_ == end_) begin_ = end_ = 0;
      if (end_ + simdjson::SIMDJSON_PADDING >= in_.size()) {
        if (begin_ > 0) {
          std::memmove(in_.data(), start, size);
          begin_ = 0, end_ = size;
        } else {
          in_.resize(in_.size() * 2);
        }
      }
      const std::size_t room = in_.size() - end_ - simdjson::SIMDJSON_PADDING;
      const ssize_t got = read(0, in_.data() + end_, room);
      if (got <= 0) return {};
      end_ += static_cast<std::size_t>(got);
    }
  }

 private:
  std::string in_ = std::string(128 * 1024, '\0');
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace bench::wire
