#include "settings/toml_depth.h"

namespace acp::settings {

// Dots between words, with blanks around them, whatever the words are: what stands in quotes or in
// a comment counts as well where it looks like that, since no real text does.
std::optional<std::size_t> line_with_long_key(std::string_view text, std::size_t most_parts) {
  std::size_t line = 1, dots = 0;
  for (const char c : text) {
    if (c == '.') {
      if (++dots >= most_parts) return line;
    } else if (c == '\n') {
      ++line;
      dots = 0;
    } else if (c == '=' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']') {
      dots = 0;
    }
  }
  return std::nullopt;
}

}  // namespace acp::settings
