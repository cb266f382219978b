#include "acp/json/writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "acp/json/scan.h"
#include "acp/json/utf8.h"

namespace acp::json {

void Writer::grow(std::size_t more) {
  const std::size_t capacity = std::max({size_ + more, capacity_ * 2, std::size_t{256}});
  auto data = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

void Writer::integer(std::int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  put({text, static_cast<std::size_t>(end - text)});
}

void Writer::integer(std::uint64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  put({text, static_cast<std::size_t>(end - text)});
}

void Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  put({text, static_cast<std::size_t>(end - text)});
}

void Writer::string(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  // Room for the text, the quotes and the longest escape; copies of a block never run over it.
  constexpr std::size_t slack = scan::block + 16;
  if (capacity_ - size_ < text.size() + slack) grow(text.size() + slack);
  char* out = data_.get() + size_;
  const char* at = text.data();
  const char* end = at + text.size();
  // Escapes need more than the room that was made: keep enough for what is left.
  const auto reserve = [&](std::size_t extra) {
    const std::size_t need = static_cast<std::size_t>(end - at) + slack + extra;
    size_ = static_cast<std::size_t>(out - data_.get());
    if (capacity_ - size_ < need) grow(need);
    out = data_.get() + size_;
  };

  *out++ = '"';
  for (;;) {
    while (static_cast<std::size_t>(end - at) >= scan::block) {
      std::memcpy(out, at, scan::block);
      if (const std::uint64_t marks = scan::marks(at)) {
        at += scan::first(marks);
        out += scan::first(marks);
        break;
      }
      at += scan::block;
      out += scan::block;
    }
    while (at < end && !scan::is_special(*at)) *out++ = *at++;
    if (at == end) break;

    const auto byte = static_cast<unsigned char>(*at);
    if (byte >= 0x80) {
      do {
        const std::size_t length = utf8_length(at, end);
        if (length != 0) {
          std::memcpy(out, at, length);
          at += length;
          out += length;
        } else {
          ++at;
          reserve(3);
          std::memcpy(out, replacement_character, 3);
          out += 3;
        }
      } while (at < end && static_cast<unsigned char>(*at) >= 0x80);
      continue;
    }
    ++at;
    reserve(6);
    *out++ = '\\';
    switch (byte) {
      case '"':
      case '\\': *out++ = static_cast<char>(byte); break;
      case '\b': *out++ = 'b'; break;
      case '\f': *out++ = 'f'; break;
      case '\n': *out++ = 'n'; break;
      case '\r': *out++ = 'r'; break;
      case '\t': *out++ = 't'; break;
      default:
        std::memcpy(out, "u00", 3);
        out[3] = hex[byte >> 4];
        out[4] = hex[byte & 15];
        out += 5;
    }
  }
  *out++ = '"';
  size_ = static_cast<std::size_t>(out - data_.get());
}

}  // namespace acp::json
