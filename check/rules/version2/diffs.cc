// Diffs of version 2: the list of changes, and the patch, which must agree.
#include <charconv>

#include "acp/role/paths.h"
#include "check/rules/version2/watcher.h"

namespace acp::check::version2 {
namespace {

// As git quotes names with unusual characters.
std::string unquoted(std::string_view text) {
  if (!text.starts_with('"')) {
    // A name with blanks ends with a tab.
    const std::size_t tab = text.find('\t');
    return std::string(text.substr(0, tab));
  }
  std::string out;
  for (std::size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    int value = 0;
    const auto number =
        std::from_chars(text.data() + i, text.data() + std::min(i + 3, text.size()), value, 8);
    if (c >= '0' && c <= '7' && number.ec == std::errc()) {
      out += static_cast<char>(value);
      i = static_cast<std::size_t>(number.ptr - text.data()) - 1;
    } else {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return out;
}

// "-1,3" → 3; "-1" → 1.
std::size_t lines_of(std::string_view range) {
  const std::size_t comma = range.find(',');
  if (comma == std::string_view::npos) return 1;
  std::size_t count = 0;
  std::from_chars(range.data() + comma + 1, range.data() + range.size(), count);
  return count;
}

struct PatchPaths {
  std::vector<std::string> paths;
  std::size_t sections = 0;
};

// The files that a patch names, in its headers.
PatchPaths paths_of(std::string_view patch) {
  PatchPaths found;
  std::size_t old_lines = 0, new_lines = 0;  // of the hunk, still to come
  while (!patch.empty()) {
    const std::size_t end = patch.find('\n');
    const std::string_view line = patch.substr(0, end);
    patch.remove_prefix(end == std::string_view::npos ? patch.size() : end + 1);
    if (old_lines > 0 || new_lines > 0) {
      const char first = line.empty() ? ' ' : line.front();
      if (first != '+' && first != '\\' && old_lines > 0) --old_lines;
      if (first != '-' && first != '\\' && new_lines > 0) --new_lines;
      continue;
    }
    if (line.starts_with("diff --git ")) {
      ++found.sections;
      // Where a name ends is not said here; that it is absolute shows at its beginning.
      found.paths.push_back(unquoted(line.substr(11)));
      continue;
    }
    if (line.starts_with("@@ -")) {
      const std::size_t plus = line.find(" +"), last = line.find(" @@");
      if (plus == std::string_view::npos || last == std::string_view::npos) continue;
      old_lines = lines_of(line.substr(3, plus - 3));
      new_lines = lines_of(line.substr(plus + 1, last - plus - 1));
      continue;
    }
    for (const std::string_view word :
         {"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "})
      if (line.starts_with(word)) found.paths.push_back(unquoted(line.substr(word.size())));
  }
  return found;
}

}  // namespace

void Watcher::check_diff(JsonView diff) {
  std::set<std::string> changed;
  for (const JsonView change : diff["changes"].elements())
    for (const char* const name : {"path", "oldPath"}) {
      const auto path = change[name].as_string();
      if (!path) continue;
      changed.insert(*path);
      if (!detail::is_absolute(*path))
        found("A2-PATH-1", "a diff has the path " + in_quotes(*path));
    }
  const JsonView patch = diff["patch"];
  const auto text = patch["text"].as_string();
  if (!text || string_at(patch["format"]) != "git_patch") return;
  const PatchPaths named = paths_of(*text);
  if (named.sections == 0) return found("A2-DIFF-1", "a git_patch has no section diff --git");
  for (const std::string& path : named.paths) {
    if (path == "/dev/null") continue;
    if (!detail::is_absolute(path)) return found("A2-DIFF-1", "a patch names " + in_quotes(path));
    // The line diff --git has both names.
    bool known = false;
    for (const std::string& each : changed)
      known = known || path == each || path.starts_with(each + " ");
    if (!known)
      return found("A2-DIFF-2", "a patch names " + in_quotes(path) + ", which its changes do not");
  }
}

}  // namespace acp::check::version2
