#include "acp/json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "acp/json/escapes.h"
#include "acp/json/scan.h"
#include "acp/json/utf8.h"

namespace acp::json {

void Writer::grow(std::size_t more) {
  const auto before = static_cast<std::size_t>(limit_ - data_.get());
  const std::size_t capacity = std::max({size_ + more, before * 2, std::size_t{256}});
  auto data = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  limit_ = data_.get() + capacity;
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

char* Writer::grow_at(char* place, std::size_t bytes) {
  wrote_to(place);
  grow(bytes);
  return data_.get() + size_;
}

namespace {

// Room for the quotes and the longest escape beside the text; copies of a block never run over it.
constexpr std::size_t slack = scan::block + 16;

// What follows the backslash; `u` for control characters that have no letter.
constexpr std::array<char, 128> letters = [] {
  std::array<char, 128> table{};
  std::fill_n(table.begin(), 0x20, 'u');
  table['"'] = '"';
  table['\\'] = '\\';
  table['\b'] = 'b';
  table['\f'] = 'f';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  return table;
}();

}  // namespace

char* Writer::string_at(char* out, std::string_view text) {
  const char* at = text.data();
  const char* end = at + text.size();
  if (!has_room(out, text.size() + slack)) return string_after_growth(out, text);
  *out++ = '"';
  if (text.size() < 16) {
    if (!scan::copy_short(out, at, text.size())) return rest_of_string(out, at, end);
    out += text.size();
    *out++ = '"';
    return out;
  }
  for (; static_cast<std::size_t>(end - at) >= scan::block; at += scan::block, out += scan::block) {
    std::memcpy(out, at, scan::block);
    if (scan::marks(at) != 0) return rest_of_string(out, at, end);
  }
  // What is left, together with bytes that stand there already.
  out += end - at;
  std::memcpy(out - scan::block, end - scan::block, scan::block);
  if (scan::marks(end - scan::block) != 0) return rest_of_string(out - (end - at), at, end);
  *out++ = '"';
  return out;
}

// Apart, so that what happens mostly need not keep anything for what comes after a call.
char* Writer::string_after_growth(char* out, std::string_view text) {
  return string_at(grow_at(out, text.size() + slack), text);
}

// From `at` on, where something is to be escaped or beyond ASCII.
char* Writer::rest_of_string(char* out, const char* at, const char* end) {
  const char* limit = limit_;
  // Escapes need more than the room that was made: before each, see that there is enough for it and
  // what is left.
  const auto reserve = [&] {
    const std::size_t bytes = static_cast<std::size_t>(end - at) + slack;
    if (static_cast<std::size_t>(limit - out) >= bytes) return;
    out = grow_at(out, bytes);
    limit = limit_;
  };

  bool escaped = true;  // the last was an escape: others may stand close by
  for (;;) {
    if (escaped) escapes::make(at, end, out, limit, slack);
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

    // Where one stands, others often follow.
    do {
      const auto byte = static_cast<unsigned char>(*at);
      escaped = byte < 0x80;
      reserve();
      if (byte >= 0x80) {
        const std::size_t length = utf8_length(at, end);
        const char* from = length != 0 ? at : replacement_character;
        const std::size_t bytes = length != 0 ? length : 3;
        // Two to four.
        std::memcpy(out, from, 2);
        std::memcpy(out + bytes - 2, from + bytes - 2, 2);
        at += length != 0 ? length : 1;
        out += bytes;
        continue;
      }
      ++at;
      out[0] = '\\';
      out[1] = letters[byte];
      out += 2;
      if (letters[byte] != 'u') continue;
      std::memcpy(out, byte < 0x10 ? "000" : "001", 3);
      out[3] = "0123456789abcdef"[byte & 15];
      out += 4;
    } while (at < end && scan::is_special(*at));
  }
  *out++ = '"';
  return out;
}

}  // namespace acp::json
