#include "gateway/file_address.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace acp::gateway {

namespace {

constexpr std::string_view scheme = "file://";

// Whatever the case; `start` is in lower case.
bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char wanted, char c) {
           return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == wanted;
         });
}

std::string decoded(std::string_view text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const auto digits = text.substr(i + 1, 2);
    const bool escaped =
        text[i] == '%' && digits.size() == 2 &&
        std::from_chars(digits.data(), digits.data() + 2, value, 16).ptr == digits.data() + 2;
    made += escaped ? static_cast<char>(value) : text[i];
    if (escaped) i += 2;
  }
  return made;
}

std::string encoded(std::string_view path) {
  constexpr std::string_view plain = "-._~/!$&'()*+,;=:@";
  std::string made;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos) {
      made += c;
      continue;
    }
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X", static_cast<unsigned char>(c));
    made += code;
  }
  return made;
}

}  // namespace

std::optional<FileAddress> read_file_address(std::string_view text) {
  if (!begins_with(text, "file:")) return std::nullopt;
  text.remove_prefix(5);
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    if (begins_with(text, "localhost/")) text.remove_prefix(9);
  }
  if (!text.starts_with('/')) return std::nullopt;
  const std::size_t end = std::min(text.find_first_of("?#"), text.size());
  return FileAddress{decoded(text.substr(0, end)), std::string(text.substr(end))};
}

std::string to_text(const FileAddress& address) {
  return std::string(scheme) + encoded(address.path) + address.rest;
}

}  // namespace acp::gateway
