#include "acp/role/versions/base64.h"

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

}  // namespace acp::detail::versions
