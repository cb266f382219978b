#include "gateway/path_map.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace acp::gateway {

namespace {

constexpr std::string_view file_scheme = "file://";

// Members that are paths, or addresses; in lists, too.
bool is_path(std::string_view name) {
  return name == "path" || name == "cwd" || name == "additionalDirectories";
}
bool is_address(std::string_view name) { return name == "uri" || name == "url"; }
// Members that belong to somebody else.
bool is_foreign(std::string_view name) {
  constexpr std::string_view foreign[] = {"_meta",      "rawInput", "rawOutput",
                                          "mcpServers", "env",      "args"};
  return std::find(std::begin(foreign), std::end(foreign), name) != std::end(foreign);
}

std::string without_last_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool holds(const std::string& directory, std::string_view path) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

void PathMap::add(const std::string& pair) {
  const std::size_t equals = pair.find('=');
  std::string local = pair.substr(0, equals);
  std::string remote = equals == std::string::npos ? "" : pair.substr(equals + 1);
  if (!local.starts_with('/') || !remote.starts_with('/'))
    throw std::invalid_argument("expected LOCAL=REMOTE, two absolute paths, got '" + pair + "'");
  pairs_.emplace_back(without_last_slash(std::move(local)), without_last_slash(std::move(remote)));
}

std::optional<std::string> PathMap::path(const std::string& path, Towards side) const {
  const std::string* best_from = nullptr;
  const std::string* best_to = nullptr;
  for (const auto& [local, remote] : pairs_) {
    const std::string& from = side == Towards::agent ? local : remote;
    const std::string& to = side == Towards::agent ? remote : local;
    if (!holds(from, path) || (best_from != nullptr && best_from->size() >= from.size())) continue;
    best_from = &from;
    best_to = &to;
  }
  if (best_from == nullptr) return std::nullopt;
  std::string rest = path.substr(*best_from == "/" ? 0 : best_from->size());
  if (*best_to == "/" && !rest.empty()) return rest;
  if (rest == "/") rest.clear();
  return *best_to + rest;
}

PathMap::Translated PathMap::translate(JsonView json, Towards side) const {
  Translated translated;
  if (json.absent()) return translated;
  translated.json = Json::from_valid(value(json, "", side, translated.unmapped));
  return translated;
}

std::string PathMap::value(JsonView json, std::string_view name, Towards side,
                           std::optional<std::string>& unmapped) const {
  if (is_foreign(name)) return std::string(json.text());
  if (json.is_object()) {
    std::string made = "{";
    for (const auto& [key, member] : json.members()) {
      made += (made.size() > 1 ? "," : "") + Json(key).text() + ":";
      made += value(member, key, side, unmapped);
    }
    return made + "}";
  }
  if (json.is_array()) {
    std::string made = "[";
    for (JsonView element : json.elements())
      made += (made.size() > 1 ? "," : "") + value(element, name, side, unmapped);
    return made + "]";
  }
  if (json.is_string() && (is_path(name) || is_address(name)))
    return Json(text(*json.as_string(), name, side, unmapped)).text();
  return std::string(json.text());
}

std::string PathMap::text(const std::string& text, std::string_view name, Towards side,
                          std::optional<std::string>& unmapped) const {
  const std::string_view scheme = is_address(name) ? file_scheme : std::string_view();
  if (!text.starts_with(scheme) || !std::string_view(text).substr(scheme.size()).starts_with('/'))
    return text;
  const std::string path = text.substr(scheme.size());
  if (const auto mapped = this->path(path, side)) return std::string(scheme) + *mapped;
  if (!unmapped) unmapped = path;
  return text;
}

std::string PathMap::list() const {
  std::string text;
  for (const auto& [local, remote] : pairs_)
    text += (text.empty() ? "" : ", ") + local + "=" + remote;
  return text;
}

}  // namespace acp::gateway
