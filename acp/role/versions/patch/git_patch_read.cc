#include <algorithm>
#include <charconv>

#include "acp/role/versions/patch/git_patch.h"
#include "acp/role/versions/patch/signed_lines.h"

namespace acp::detail::versions {

namespace {

using Operation = PatchedFile::Operation;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// The name in C quotes with which the text begins; what follows it stays in the text.
std::optional<std::string> take_quoted(std::string_view& text) {
  constexpr std::string_view named = "\a\b\t\n\v\f\r\"\\", letters = "abtnvfr\"\\";
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
    if (++i == text.size()) return std::nullopt;
    if (const std::size_t at = letters.find(text[i]); at != std::string_view::npos) {
      name += named[at];
    } else if (text.size() - i > 3 && text[i] <= '3' && is_octal(text[i]) &&
               is_octal(text[i + 1]) && is_octal(text[i + 2])) {
      name +=
          static_cast<char>((text[i] - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// A whole name, quoted or not, up to a tab.
std::optional<std::string> name_of(std::string_view text) {
  if (text.starts_with('"')) {
    auto name = take_quoted(text);
    return text.empty() || text.starts_with('\t') ? name : std::nullopt;
  }
  return std::string(text.substr(0, text.find('\t')));
}

// Without its a/ or b/, if it has one: absolute names have none.
std::optional<std::string> without_side(std::optional<std::string> name) {
  if (!name || name->empty()) return std::nullopt;
  const bool has_side = name->size() > 2 && name->front() != '/' && (*name)[1] == '/';
  return has_side ? name->substr(2) : name;
}

// Both names after `diff --git `. Names with spaces but without quotes are told apart only where
// both are the same; other patches name their files again.
bool read_names(std::string_view rest, PatchedFile& file) {
  std::optional<std::string> first, second;
  if (rest.starts_with('"')) {
    first = take_quoted(rest);
    if (!first || !rest.starts_with(' ')) return false;
    second = name_of(rest.substr(1));
  } else if (const std::size_t half = rest.size() / 2;
             rest.size() % 2 == 1 && half > 2 && rest[half] == ' ' &&
             rest.substr(1, half - 1) == rest.substr(half + 2)) {
    first = std::string(rest.substr(0, half));
    second = std::string(rest.substr(half + 1));
  } else {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return false;
    first = std::string(rest.substr(0, space));
    second = name_of(rest.substr(space + 1));
  }
  first = without_side(std::move(first));
  second = without_side(std::move(second));
  if (!first || !second) return false;
  file.old_path = std::move(*first);
  file.path = std::move(*second);
  return true;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// `begin` or `begin,count`.
bool take_range(std::string_view& text, std::size_t& begin, std::size_t& count) {
  const auto number = [&](std::size_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  count = 1;
  return number(begin) && (!take_prefix(text, ",") || number(count));
}

class PatchReader {
 public:
  PatchReader(std::string text, PatchLimits limits)
      : text_(std::move(text)), rest_(text_), limits_(limits) {}

  std::optional<std::vector<PatchedFile>> read() {
    // What stands before the first file is a message.
    while (!at_end() && !at("diff --git ")) next();
    while (!at_end()) {
      if (files_.size() == limits_.files || !read_file()) return std::nullopt;
    }
    if (files_.empty()) return std::nullopt;
    return std::move(files_);
  }

  std::string take_back() { return std::move(text_); }

 private:
  bool at_end() const { return rest_.empty(); }
  bool at(std::string_view prefix) const { return rest_.starts_with(prefix); }
  // The next line, without its end.
  std::string_view next() {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  bool read_file() {
    PatchedFile& file = files_.emplace_back();
    std::string_view line = next();
    if (!take_prefix(line, "diff --git ") || !read_header(line, file)) return false;
    if (at("--- ") && !read_sides(file)) return false;
    while (at("@@ ")) {
      if (!read_hunk(file)) return false;
    }
    if (at("Binary files ") || at("GIT binary patch")) {
      file.binary = true;
      while (!at_end() && !at("diff --git ")) next();
    }
    // The end of a mail.
    if (at("-- \n"))
      while (!at_end() && !at("diff --git ")) next();
    return at_end() || at("diff --git ");
  }

  bool read_header(std::string_view names, PatchedFile& file) {
    // Where two names cannot be told apart, later lines must have them.
    bool named = read_names(names, file);
    std::size_t moved = 0;
    for (; !at_end(); next()) {
      std::string_view line = rest_.substr(0, rest_.find('\n'));
      if (take_prefix(line, "new file mode ")) {
        file.operation = Operation::add;
        if (line != "100644") file.mode = line;
      } else if (take_prefix(line, "new mode ")) {
        file.mode = line;
      } else if (take_prefix(line, "deleted file mode ")) {
        file.operation = Operation::delete_;
      } else if (bool copy = take_prefix(line, "copy from ");
                 copy || take_prefix(line, "rename from ")) {
        file.operation = copy ? Operation::copy : Operation::move;
        if (!take_name(line, file.old_path)) return false;
        ++moved;
      } else if (take_prefix(line, "copy to ") || take_prefix(line, "rename to ")) {
        if (!take_name(line, file.path)) return false;
        ++moved;
      } else if (!at("index ") && !at("old mode ") && !at("similarity index ") &&
                 !at("dissimilarity index ")) {
        break;
      }
    }
    if (moved != 0 && moved != 2) return false;
    named_ = named || moved == 2;
    return named_ || at("--- ");
  }

  static bool take_name(std::string_view text, std::string& name) {
    std::optional<std::string> read = name_of(text);
    if (!read || read->empty()) return false;
    name = std::move(*read);
    return true;
  }

  // The lines with --- and +++; they count where the first line was not clear.
  bool read_sides(PatchedFile& file) {
    const auto old_name = name_of(next().substr(4));
    if (!old_name || !at("+++ ")) return false;
    const auto new_name = name_of(next().substr(4));
    if (!new_name || !at("@@ ")) return false;
    const bool adds = *old_name == "/dev/null", deletes = *new_name == "/dev/null";
    if (adds && deletes) return false;
    if (adds) file.operation = Operation::add;
    if (deletes) file.operation = Operation::delete_;
    if (named_) return true;
    const auto old_path = without_side(adds ? new_name : old_name);
    const auto path = without_side(deletes ? old_name : new_name);
    if (!old_path || !path) return false;
    file.old_path = *old_path;
    file.path = *path;
    return true;
  }

  bool read_hunk(PatchedFile& file) {
    std::string_view head = next();
    std::size_t old_begin = 0, old_count = 0, new_begin = 0, new_count = 0;
    if (!take_prefix(head, "@@ -") || !take_range(head, old_begin, old_count) ||
        !take_prefix(head, " +") || !take_range(head, new_begin, new_count) ||
        !take_prefix(head, " @@"))
      return false;
    if (++file.hunks == 1) {
      file.first_line = old_begin;
      if (old_count == 0 && files_.size() == 1 && take_added_text(file, new_count)) return true;
      (new_count >= old_count ? file.new_text : file.old_text)
          .reserve(std::min(rest_.size(), rest_.find("\ndiff --git ")));
    }
    char last = 0;
    while (old_count > 0 || new_count > 0 || (last != 0 && at("\\"))) {
      if (at_end()) return false;
      const char* const begin = rest_.data();
      const std::string_view line = next();
      // Mail programs take the blank away of a line that has nothing else.
      const char sign = line.empty() ? ' ' : line.front();
      if (sign == '\\') {
        if (!end_without_newline(file, last)) return false;
        last = 0;
        continue;
      }
      // With its end, which the last line of a patch may lack.
      const std::size_t skipped = line.empty() ? 0 : 1;
      const std::string_view text(begin + skipped,
                                  static_cast<std::size_t>(rest_.data() - begin) - skipped);
      const bool ends = text.ends_with('\n');
      const auto add = [&](std::string& to) {
        to += text;
        if (!ends) to += '\n';
      };
      if (sign != ' ' && sign != '-' && sign != '+') return false;
      if (sign != '+') {
        if (old_count-- == 0) return false;
        add(file.old_text);
      }
      if (sign != '-') {
        if (new_count-- == 0) return false;
        add(file.new_text);
      }
      last = sign;
    }
    return true;
  }

  // A large file that is new: the rest of the patch is its text, which takes the place of the
  // patch.
  bool take_added_text(PatchedFile& file, std::size_t count) {
    std::string_view lines = rest_;
    const std::size_t last = lines.size() < 2 ? 0 : lines.rfind('\n', lines.size() - 2) + 1;
    const bool ends = !lines.substr(last).starts_with('\\');
    if (!ends) lines = lines.substr(0, last);
    const auto room = static_cast<std::size_t>(lines.data() - text_.data());
    if (room < unsigned_gap || count == 0 || !are_signed(lines, '+', count)) return false;
    const char* const end = move_unsigned(text_.data(), lines);
    text_.resize(static_cast<std::size_t>(end - text_.data()) - (ends ? 0 : 1));
    file.new_text = std::move(text_);
    rest_ = {};
    return true;
  }

  // `\ No newline at end of file`, in whatever language: of the line before.
  static bool end_without_newline(PatchedFile& file, char last) {
    if (last == 0) return false;
    if (last != '+') file.old_text.pop_back();
    if (last != '-') file.new_text.pop_back();
    return true;
  }

  std::string text_;
  std::string_view rest_;
  PatchLimits limits_;
  std::vector<PatchedFile> files_;
  bool named_ = false;
};

}  // namespace

std::optional<std::vector<PatchedFile>> read_git_patch(std::string&& text, PatchLimits limits) {
  if (text.size() > limits.bytes) return std::nullopt;
  PatchReader reader(std::move(text), limits);
  auto files = reader.read();
  if (!files) text = reader.take_back();
  return files;
}

}  // namespace acp::detail::versions
