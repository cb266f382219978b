// Just enough of JSON-RPC for a driver: finds what it needs in a line by searching for it. It reads
// compact JSON, as all contestants write it.
#pragma once

#include <cstddef>
#include <string_view>

namespace bench::wire {

// The value of a string member: `text_of(line, "\"modeId\":\"")`.
inline std::string_view text_of(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + key.size());
  return line.substr(0, line.find('"'));
}

inline bool has(std::string_view line, std::string_view what) {
  return line.find(what) != std::string_view::npos;
}

// The id of a message: a number as it stands there, a string with its quotes. An `id` that is not
// the message's own (a mode's) is a string in all that we send and receive, hence numbers first.
inline std::string_view id_of(std::string_view line) {
  constexpr std::string_view key = "\"id\":";
  std::string_view text;
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    const std::string_view value = line.substr(at + key.size());
    if (value.empty()) break;
    if (value[0] >= '0' && value[0] <= '9') return value.substr(0, value.find_first_of(",}"));
    const std::size_t end = value[0] == '"' ? value.find('"', 1) : std::string_view::npos;
    if (text.empty() && end != std::string_view::npos) text = value.substr(0, end + 1);
  }
  return text;
}

inline std::string_view method_of(std::string_view line) {
  return text_of(line.substr(0, 4096), "\"method\":\"");
}

// How many bytes the string that begins here has once its escapes are undone.
inline std::size_t decoded_bytes(std::string_view inside) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < inside.size() && inside[i] != '"'; ++i, ++count) {
    if (inside[i] != '\\') continue;
    i += inside.substr(i + 1, 1) == "u" ? 5 : 1;  // \u00XX: nothing else is escaped so here
  }
  return count;
}

}  // namespace bench::wire
