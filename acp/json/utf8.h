// UTF-8, checked a character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

// Not the first byte of a character.
inline bool utf8_continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Where the first byte is that belongs to no character; the size of the text if it is all UTF-8.
inline std::size_t utf8_valid(std::string_view text) {
  const char* const end = text.data() + text.size();
  const char* at = text.data();
  while (at != end) {
    const bool ascii = static_cast<unsigned char>(*at) < 0x80;
    const std::size_t length = ascii ? 1 : utf8_length(at, end);
    if (length == 0) break;
    at += length;
  }
  return static_cast<std::size_t>(at - text.data());
}
inline bool is_utf8(std::string_view text) { return utf8_valid(text) == text.size(); }

// Appends the text, with a replacement character for each byte that belongs to none.
inline void utf8_append(std::string& to, std::string_view text) {
  while (true) {
    const std::size_t valid = utf8_valid(text);
    to += text.substr(0, valid);
    if (valid == text.size()) return;
    to += replacement_character;
    text.remove_prefix(valid + 1);
  }
}
inline std::string utf8_repaired(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  utf8_append(repaired, text);
  return repaired;
}

// The largest size up to `most` that cuts no character in two.
inline std::size_t utf8_cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  while (most > 0 && utf8_continues(text[most])) --most;
  return most;
}
// At most so many bytes, and … where something is missing.
inline std::string utf8_shortened(std::string_view text, std::size_t most) {
  std::string result(text.substr(0, utf8_cut(text, most)));
  if (result.size() < text.size()) result += "…";
  return result;
}

// A character of a text: one byte that belongs to none has the replacement character's code.
struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t size = 1;
  bool good = true;
};
// Returns the first character of a text that is not empty.
inline Utf8Character utf8_first(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  if (byte(0) < 0x80) return {byte(0)};
  const auto low = [&](std::size_t i) { return byte(i) & 0x3Fu; };
  switch (utf8_length(text.data(), text.data() + text.size())) {
    case 2:
      return {(byte(0) & 0x1Fu) << 6 | low(1), 2};
    case 3:
      return {(byte(0) & 0x0Fu) << 12 | low(1) << 6 | low(2), 3};
    case 4:
      return {(byte(0) & 0x07u) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4};
    default:
      return {0xFFFD, 1, false};
  }
}

// Counts the characters of a text in UTF-8.
inline std::size_t utf8_count(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += utf8_continues(byte) ? 0 : 1;
  return count;
}
// Returns where the character with this number begins, counted from 0; the size if there is none.
inline std::size_t utf8_place(std::string_view text, std::size_t number) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (!utf8_continues(text[at]) && number-- == 0) return at;
  return text.size();
}

// Whether a text may name it by its number: not 0, no half of a pair, not beyond the last.
inline bool is_code_point(std::uint32_t code) {
  return code != 0 && code <= 0x10FFFF && (code < 0xD800 || code >= 0xE000);
}

// Writes the code point and returns the place after it.
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
