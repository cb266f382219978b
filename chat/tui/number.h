// A number that a person has typed.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace acp::chat {

// Parses a number from 1 on; nothing for any other text.
inline std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return {};
  return number;
}

}  // namespace acp::chat
