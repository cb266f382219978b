// A path as a list of names.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace acp::workspace {

// Splits a path into names, without empty ones and ".".
inline std::deque<std::string> components(std::string_view path) {
  std::deque<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.emplace_back(part);
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return parts;
}

// Joins names, each after a slash; empty if there are none.
inline std::string joined(const std::deque<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) path += "/" + part;
  return path;
}

}  // namespace acp::workspace
