#include "gateway/path_map.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "gateway/file_address.h"

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

// ---- patches of git's form

using Translate = std::function<std::string(const std::string& path)>;

constexpr std::string_view escapes = "abtnvfr\"\\", meanings = "\a\b\t\n\v\f\r\"\\";

// A name in quotes, taken off the text.
std::optional<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string name;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return name;
    }
    if (text[i] != '\\') {
      name += text[i];
      continue;
    }
    const auto digits = text.substr(i + 1, 3);
    unsigned value = 0;
    if (digits.size() == 3 &&
        std::from_chars(digits.data(), digits.data() + 3, value, 8).ptr == digits.data() + 3) {
      name += static_cast<char>(value);
      i += 3;
      continue;
    }
    const std::size_t known = digits.empty() ? std::string_view::npos : escapes.find(digits[0]);
    if (known == std::string_view::npos) return std::nullopt;
    name += meanings[known];
    ++i;
  }
  return std::nullopt;
}

std::string patch_name(const std::string& name) {
  std::string made;
  bool plain = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7F && c != '"' && c != '\\') {
      made += c;
      continue;
    }
    char code[5];
    std::snprintf(code, sizeof code, "\\%03o", static_cast<unsigned>(byte));
    made += code;
    plain = false;
  }
  return plain ? made : '"' + made + '"';
}

std::string translated(const std::string& name, const Translate& translate) {
  return !name.starts_with('/') || name == "/dev/null" ? name : translate(name);
}

// A name that is the rest of its line, but for what follows a tab.
std::string one_name(std::string_view text, const Translate& translate) {
  std::string_view rest = text;
  if (const auto name = take_quoted(rest))
    return patch_name(translated(*name, translate)) + std::string(rest);
  const std::size_t end = std::min(text.find('\t'), text.size());
  const std::string name(text.substr(0, end));
  const std::string made = translated(name, translate);
  if (made == name) return std::string(text);
  // What follows a name with a space is marked off by a tab.
  const bool has_space = made.find(' ') != std::string::npos;
  return patch_name(made) +
         (end == text.size() && has_space ? "\t" : std::string(text.substr(end)));
}

// Where the second of two names without quotes begins: most often it is the first once more.
std::optional<std::size_t> second_name(std::string_view text) {
  const std::size_t half = text.size() / 2;
  if (text.size() % 2 == 1 && text.substr(0, half) == text.substr(half + 1)) return half + 1;
  const std::size_t only = text.find(" /");
  if (only == std::string_view::npos || text.find(" /", only + 1) != std::string_view::npos)
    return std::nullopt;
  return only + 1;
}

std::string two_names(std::string_view text, const Translate& translate) {
  std::string_view rest = text;
  if (const auto first = take_quoted(rest); first && rest.starts_with(' ')) {
    rest.remove_prefix(1);
    std::string_view second = rest;
    const auto unquoted = take_quoted(second);
    return patch_name(translated(*first, translate)) + ' ' +
           patch_name(translated(unquoted.value_or(std::string(rest)), translate));
  }
  const auto second = second_name(text);
  if (!second) return std::string(text);
  return patch_name(translated(std::string(text.substr(0, *second - 1)), translate)) + ' ' +
         patch_name(translated(std::string(text.substr(*second)), translate));
}

// "12,3", or "12", which is one line.
std::size_t lines_in(std::string_view range) {
  const std::size_t comma = range.find(',');
  if (comma == std::string_view::npos) return 1;
  std::size_t lines = 0;
  std::from_chars(range.data() + comma + 1, range.data() + range.size(), lines);
  return lines;
}

// What is left of a hunk.
struct Hunk {
  std::size_t old_lines = 0, new_lines = 0;

  void begin(std::string_view head) {  // "@@ -1,2 +1,3 @@"
    const std::size_t plus = head.find(" +");
    if (plus == std::string_view::npos) return;
    old_lines = lines_in(head.substr(4, plus - 4));
    const std::string_view rest = head.substr(plus + 2);
    new_lines = lines_in(rest.substr(0, rest.find(' ')));
  }
  bool takes(std::string_view line) {
    if (old_lines == 0 && new_lines == 0) return false;
    const char sign = line.empty() ? ' ' : line.front();
    if ((sign == ' ' || sign == '-') && old_lines > 0) --old_lines;
    if ((sign == ' ' || sign == '+') && new_lines > 0) --new_lines;
    return true;
  }
};

std::string header(std::string_view line, const Translate& translate) {
  constexpr std::string_view both = "diff --git ";
  if (line.starts_with(both))
    return std::string(both) + two_names(line.substr(both.size()), translate);
  for (const std::string_view one :
       {"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "})
    if (line.starts_with(one))
      return std::string(one) + one_name(line.substr(one.size()), translate);
  return std::string(line);
}

// The patch with its absolute paths translated. Its hunks stay as they are, and so do names in a/
// and b/.
std::string translate_patch(std::string_view patch, const Translate& translate) {
  std::string made;
  made.reserve(patch.size());
  Hunk hunk;
  while (!patch.empty()) {
    const std::size_t end = std::min(patch.find('\n'), patch.size());
    const std::string_view line = patch.substr(0, end);
    if (hunk.takes(line)) {
      made.append(line);
    } else {
      if (line.starts_with("@@ -")) hunk.begin(line);
      made += header(line, translate);
    }
    if (end < patch.size()) made += '\n';
    patch.remove_prefix(std::min(end + 1, patch.size()));
  }
  return made;
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
