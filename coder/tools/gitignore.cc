#include "coder/tools/gitignore.h"

#include <algorithm>

namespace acp::coder {

namespace {

// No path is longer, so no longer pattern is of use; it would only take time.
constexpr std::size_t most_pattern = 4096;

// The characters of a bracket expression, from after its `[`; moves `at` past its `]`. Nothing if
// it has none.
std::optional<std::bitset<256>> read_set(std::string_view text, std::size_t& at) {
  std::size_t i = at;
  const bool negated = i < text.size() && (text[i] == '!' || text[i] == '^');
  if (negated) ++i;
  std::bitset<256> listed;
  bool first = true;
  const auto next = [&]() -> std::optional<unsigned char> {
    if (i < text.size() && text[i] == '\\') ++i;
    if (i >= text.size()) return std::nullopt;
    return static_cast<unsigned char>(text[i++]);
  };
  while (i < text.size() && (text[i] != ']' || first)) {
    first = false;
    if (text.substr(i).starts_with("[:")) {
      const std::size_t end = text.find(":]", i + 2);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view name = text.substr(i + 2, end - i - 2);
      for (int c = 1; c < 128; ++c) {
        const bool digit = c >= '0' && c <= '9', lower = c >= 'a' && c <= 'z';
        const bool upper = c >= 'A' && c <= 'Z', space = c == ' ' || (c >= '\t' && c <= '\r');
        const bool in = name == "digit"   ? digit
                        : name == "lower" ? lower
                        : name == "upper" ? upper
                        : name == "alpha" ? lower || upper
                        : name == "alnum" ? lower || upper || digit
                        : name == "space" ? space
                        : name == "punct" ? c > ' ' && c < 127 && !lower && !upper && !digit
                        : name == "xdigit"
                            ? digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')
                            : false;
        if (in) listed.set(static_cast<std::size_t>(c));
      }
      i = end + 2;
      continue;
    }
    const auto from = next();
    if (!from) return std::nullopt;
    auto to = from;
    if (i + 1 < text.size() && text[i] == '-' && text[i + 1] != ']') {
      ++i;
      to = next();
      if (!to) return std::nullopt;
    }
    for (std::size_t c = *from; c <= *to; ++c) listed.set(c);
  }
  if (i >= text.size()) return std::nullopt;
  at = i + 1;
  if (negated) listed.flip();
  listed.reset(0).reset('/');
  return listed;
}

}  // namespace

IgnoreFile::IgnoreFile(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto pattern = compile(line)) patterns_.push_back(std::move(*pattern));
  }
}

std::optional<IgnoreFile::Pattern> IgnoreFile::compile(std::string_view line) {
  if (line.starts_with('#') || line.size() > most_pattern) return std::nullopt;
  // Spaces at the end do not count, unless a backslash says so.
  while (line.ends_with(' ')) {
    std::size_t backslashes = 0;
    while (backslashes + 1 < line.size() && line[line.size() - 2 - backslashes] == '\\')
      ++backslashes;
    if (backslashes % 2 == 1) break;
    line.remove_suffix(1);
  }
  Pattern pattern;
  pattern.takes_back = line.starts_with('!');
  if (pattern.takes_back) line.remove_prefix(1);
  pattern.directory_only = line.ends_with('/');
  if (pattern.directory_only) line.remove_suffix(1);
  pattern.whole_path = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return std::nullopt;

  std::vector<Token>& tokens = pattern.tokens;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    const bool at_start = i == 0 || line[i - 1] == '/';
    const std::size_t stars =
        std::min(line.find_first_not_of('*', i), line.size()) - i;  // from here on
    const std::string_view after = line.substr(i + stars);
    if (at_start && pattern.whole_path && stars > 1 && after.starts_with('/')) {
      tokens.push_back({Piece::directories});
      i += stars + 1;
    } else if (at_start && pattern.whole_path && stars > 1 && after.empty()) {
      tokens.push_back({Piece::everything});
      i += stars;
    } else if (stars > 0) {
      tokens.push_back({Piece::some});
      i += stars;
    } else if (c == '?') {
      tokens.push_back({Piece::any_character});
      ++i;
    } else if (c == '[') {
      std::size_t end = i + 1;
      auto set = read_set(line, end);
      if (!set) return std::nullopt;  // git takes it for a pattern that matches nothing
      tokens.push_back({Piece::one_of, 0, static_cast<std::uint16_t>(pattern.sets.size())});
      pattern.sets.push_back(*set);
      i = end;
    } else {
      if (c == '\\') ++i;
      if (i == line.size()) return std::nullopt;  // a backslash with nothing after it
      tokens.push_back({Piece::character, line[i]});
      ++i;
    }
  }
  const auto is_character = [](const Token& token) { return token.piece == Piece::character; };
  const bool star_first = tokens.front().piece == Piece::some && !pattern.whole_path;
  if (std::all_of(tokens.begin() + (star_first ? 1 : 0), tokens.end(), is_character)) {
    std::string& text = star_first ? pattern.suffix : pattern.literal;
    for (const Token& token : tokens)
      if (is_character(token)) text += token.character;
    if (!text.empty()) tokens.clear();
  }
  for (auto token = tokens.begin(); token != tokens.end() && is_character(*token); ++token)
    pattern.begins += token->character;
  for (auto token = tokens.rbegin(); token != tokens.rend() && is_character(*token); ++token)
    pattern.ends += token->character;
  std::reverse(pattern.ends.begin(), pattern.ends.end());
  return pattern;
}

// All ways to match at the same time: no pattern takes longer than its length times the path's.
bool IgnoreFile::tokens_match(const Pattern& pattern, std::string_view text) {
  const std::vector<Token>& tokens = pattern.tokens;
  std::vector<char> at(tokens.size() + 1), next(tokens.size() + 1);
  at[0] = 1;
  const auto pass_empty = [&] {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (at[i] == 1 && (tokens[i].piece == Piece::some || tokens[i].piece == Piece::directories))
        at[i + 1] = 1;
  };
  // A token that has begun and is not over yet: inside a name of `**/`.
  constexpr char inside = 2;
  pass_empty();
  for (const char c : text) {
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (at[i] == 0) continue;
      const Token& token = tokens[i];
      switch (token.piece) {
        case Piece::character:
          if (token.character == c) next[i + 1] = 1;
          break;
        case Piece::any_character:
          if (c != '/') next[i + 1] = 1;
          break;
        case Piece::one_of:
          if (pattern.sets[token.set].test(static_cast<unsigned char>(c))) next[i + 1] = 1;
          break;
        case Piece::some:
          if (c != '/') next[i] = 1;
          break;
        case Piece::directories:
          // After a slash it may be over, or begin anew.
          if (c == '/')
            next[i] = 1;
          else if (next[i] == 0)
            next[i] = inside;
          break;
        case Piece::everything:
          next[i] = 1;
          next[i + 1] = 1;
          break;
      }
    }
    at.swap(next);
    pass_empty();
  }
  return at.back() == 1;
}

bool IgnoreFile::matches(const Pattern& pattern, std::string_view path) {
  if (!pattern.whole_path) path = path.substr(path.rfind('/') + 1);
  if (!pattern.literal.empty()) return path == pattern.literal;
  if (!pattern.suffix.empty()) return path.ends_with(pattern.suffix);
  return path.starts_with(pattern.begins) && path.ends_with(pattern.ends) &&
         tokens_match(pattern, path);
}

std::optional<bool> IgnoreFile::ignores(std::string_view path, bool is_directory,
                                        const std::stop_token& stop) const {
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend() && !stop.stop_requested();
       ++pattern)
    if ((is_directory || !pattern->directory_only) && matches(*pattern, path))
      return !pattern->takes_back;
  return std::nullopt;
}

bool IgnoreRules::ignores(std::string_view path, bool is_directory,
                          const std::stop_token& stop) const {
  for (const IgnoreRules* rules = this; rules != nullptr; rules = rules->above_.get()) {
    if (rules->file_.empty()) continue;
    const std::string& base = rules->directory_;
    const std::string_view below = base.empty() ? path : path.substr(base.size() + 1);
    if (const auto verdict = rules->file_.ignores(below, is_directory, stop)) return *verdict;
  }
  return false;
}

}  // namespace acp::coder
