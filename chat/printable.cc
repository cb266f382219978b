#include "chat/printable.h"

#include <cstdint>

#include "acp/json/utf8.h"

namespace acp::chat {

namespace {

using json::replacement_character;

std::uint32_t code_of(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 2:
      return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3:
      return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    case 4:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
             (byte(3) & 0x3Fu);
    default:
      return byte(0);
  }
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }
bool is_line_end(std::uint32_t code) {
  return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028 || code == 0x2029;
}
bool turns_direction(std::uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

// Calls `each(character, code)`; what is no UTF-8 is U+FFFD, a byte at a time.
template <class F>
void for_each_character(std::string_view text, F each) {
  while (!text.empty()) {
    std::size_t size = 1;
    if ((text[0] & 0x80) != 0) size = json::utf8_length(text.data(), text.data() + text.size());
    if (size == 0) {
      if (!each(std::string_view(replacement_character), 0xFFFDu)) return;
      size = 1;
    } else if (!each(text.substr(0, size), code_of(text.substr(0, size)))) {
      return;
    }
    text.remove_prefix(size);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view character, std::uint32_t code) {
    const bool wanted = !is_control(code) || code == '\n' || code == '\t';
    result += wanted ? character : std::string_view(replacement_character);
    return true;
  });
  return result;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string result;
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view character, std::uint32_t code) {
    if (count++ == most) {
      result += "…";
      return false;
    }
    if (is_line_end(code) || code == '\t')
      result += ' ';
    else
      result += is_control(code) || turns_direction(code) ? std::string_view(replacement_character)
                                                          : character;
    return true;
  });
  return result;
}

std::string printable_json(std::string_view json) {
  // Only strings can have them. The others are escaped in any JSON.
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = static_cast<unsigned char>(json[i]);
    const bool two =
        byte == 0xC2 && i + 1 < json.size() && static_cast<unsigned char>(json[i + 1]) < 0xA0;
    if (byte != 0x7F && !two) {
      result += json[i];
      continue;
    }
    const auto code = static_cast<unsigned char>(two ? json[++i] : json[i]);
    result += "\\u00";
    result += digits[code >> 4];
    result += digits[code & 0xF];
  }
  return result;
}

}  // namespace acp::chat
