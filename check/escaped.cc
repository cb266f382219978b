#include "check/escaped.h"

#include <cstdint>

#include "acp/json/utf8.h"

namespace acp::check {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

void put_hex(std::string& out, std::uint32_t value, int places) {
  for (int shift = 4 * (places - 1); shift >= 0; shift -= 4) out += digits[value >> shift & 0xF];
}

bool is_unsafe(std::uint32_t code) {
  return (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

std::uint32_t code_of(std::string_view c) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(c[i]); };
  if (c.size() == 2) return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
  if (c.size() == 3) return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
  return 0x10000;  // none of those is unsafe
}

}  // namespace

std::string escaped(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == most) return out + "…";
    const auto byte = static_cast<unsigned char>(text[0]);
    std::size_t size = 1;
    if (byte < 0x80) {
      if (byte == '\n')
        out += "\\n";
      else if (byte == '\t')
        out += "\\t";
      else if (byte == '\r')
        out += "\\r";
      else if (byte < 0x20 || byte == 0x7F)
        out += "\\x", put_hex(out, byte, 2);
      else
        out += text[0];
    } else if ((size = json::utf8_length(text.data(), text.data() + text.size())) == 0) {
      size = 1;
      out += "\\x", put_hex(out, byte, 2);
    } else if (const std::uint32_t code = code_of(text.substr(0, size)); is_unsafe(code)) {
      out += "\\u", put_hex(out, code, 4);
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace acp::check
