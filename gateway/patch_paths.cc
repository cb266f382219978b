#include "gateway/patch_paths.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

namespace acp::gateway {

namespace {

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

}  // namespace

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

}  // namespace acp::gateway
