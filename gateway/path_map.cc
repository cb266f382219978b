#include "gateway/path_map.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "gateway/file_address.h"
#include "gateway/patch_paths.h"

namespace acp::gateway {

namespace {

// Members that are paths, or addresses; in lists, too.
bool is_path(std::string_view name) {
  return name == "path" || name == "oldPath" || name == "cwd" || name == "additionalDirectories";
}
bool is_address(std::string_view name) {
  return name == "uri" || name == "url" || name == "workspaceUri";
}
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

// "/a/../b" is "/b": it is in no directory only because it begins with its name.
std::string without_dots(const std::string& path) {
  if (path.find("/.") == std::string::npos) return path;
  return std::filesystem::path(path).lexically_normal().string();
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

std::optional<std::string> PathMap::path(const std::string& given, Towards side) const {
  const std::string path = without_dots(given);
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
    const bool is_patch = name == "patch" && json["format"].as_string() == "git_patch";
    const auto translate_path = [&](const std::string& path) {
      return text(path, "path", side, unmapped);
    };
    std::string made = "{";
    for (const auto& [key, member] : json.members()) {
      made += (made.size() > 1 ? "," : "") + Json(key).text() + ":";
      if (key == "text" && is_patch && member.is_string())
        made += Json(translate_patch(*member.as_string(), translate_path)).text();
      else
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
  if (!is_address(name)) {
    if (!text.starts_with('/')) return text;
    if (const auto mapped = path(text, side)) return *mapped;
    if (!unmapped) unmapped = text;
    return text;
  }
  auto address = read_file_address(text);
  if (!address) return text;
  if (const auto mapped = path(address->path, side)) {
    address->path = *mapped;
    return to_text(*address);
  }
  if (!unmapped) unmapped = address->path;
  return text;
}

std::string PathMap::list() const {
  std::string text;
  for (const auto& [local, remote] : pairs_)
    text += (text.empty() ? "" : ", ") + local + "=" + remote;
  return text;
}

}  // namespace acp::gateway
