// UTF-8, checked a character at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace acp::json {

inline constexpr char replacement_character[] = "\xEF\xBF\xBD";

// The length of the well-formed character that starts here, 0 if there is none. The first byte is
// not ASCII.
inline std::size_t utf8_length(const char* at, const char* end) {
  const auto* p = reinterpret_cast<const unsigned char*>(at);
  const std::size_t left = static_cast<std::size_t>(end - at);
  const auto continues = [&](std::size_t i) { return (p[i] & 0xC0) == 0x80; };
  const unsigned char first = p[0];
  if (first < 0xC2) return 0;
  if (first < 0xE0) return left >= 2 && continues(1) ? 2 : 0;
  if (first < 0xF0) {
    if (left < 3 || !continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && p[1] < 0xA0) return 0;  // overlong
    if (first == 0xED && p[1] > 0x9F) return 0;  // surrogate
    return 3;
  }
  if (first > 0xF4 || left < 4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  if (first == 0xF0 && p[1] < 0x90) return 0;
  if (first == 0xF4 && p[1] > 0x8F) return 0;
  return 4;
}

// Writes the code point and returns the place behind it.
inline char* utf8_put(char* out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return out;
}

}  // namespace acp::json
