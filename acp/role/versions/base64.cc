#include "acp/role/versions/base64.h"

#include <algorithm>
#include <cstdint>

namespace acp::detail::versions {

namespace {

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

Decoded decode_base64(std::string_view text, std::size_t limit) {
  Decoded out;
  while (text.ends_with('=')) text.remove_suffix(1);
  // Four characters are three bytes: begin with whole ones.
  const std::size_t most = limit / 3 * 4 + 4;
  if (text.size() > most) {
    out.complete = false;
    text.remove_prefix((text.size() - most) / 4 * 4);
  }
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) {
      out.complete = false;
      break;
    }
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.bytes += static_cast<char>(bits >> count & 0xFF);
  }
  if (count == 6) out.complete = false;
  if (out.bytes.size() > limit) {
    out.complete = false;
    out.bytes.erase(0, out.bytes.size() - limit);
  }
  return out;
}

std::string encode_base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= count ? digits[bits >> (18 - 6 * i) & 0x3F] : '=';
  }
  return out;
}

}  // namespace acp::detail::versions
