#include "acp/workspace/policy.h"

#include <algorithm>

#include "acp/schema/v1.h"

namespace acp::workspace {

namespace {

// What a shell makes more of than a word.
constexpr std::string_view shell_operators = ";&|`$()<>\n\r\\\"'{}";

enum class Piece { one, some, any };  // a character, `*`, `**`
struct Token {
  Piece piece;
  char character = 0;
};

std::vector<Token> tokens(std::string_view pattern, bool two_stars) {
  std::vector<Token> result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      result.push_back({Piece::one, pattern[++i]});
    } else if (pattern[i] != '*') {
      result.push_back({Piece::one, pattern[i]});
    } else {
      std::size_t stars = 1;
      while (i + 1 < pattern.size() && pattern[i + 1] == '*') ++i, ++stars;
      result.push_back({two_stars && stars > 1 ? Piece::any : Piece::some});
    }
  }
  return result;
}

// Compares what stands before the first star. Nothing if it is the same, and a star follows: the
// longest patterns are those that answers make, which have none.
std::optional<bool> matches_before_star(std::string_view pattern, std::string_view text) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i, ++at) {
    if (pattern[i] == '*') return std::nullopt;
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    if (at == text.size() || text[at] != pattern[i]) return false;
  }
  return at == text.size();
}

// All ways to match a pattern, followed at the same time: each character takes as many steps as
// there are ways, at most the pattern's length. `*` does not stand for what is in `excluded`.
class Matching {
 public:
  Matching(std::vector<Token> pattern, std::string_view excluded)
      : pattern_(std::move(pattern)), excluded_(excluded) {
    add(at_, 0);
  }

  void read(std::string_view text) {
    for (const char c : text) {
      if (at_.empty()) return;
      read(c);
    }
  }
  bool at_end() const { return !at_.empty() && at_.back() == pattern_.size(); }
  // Some text after what was read would match.
  bool can_go_on() const { return !at_.empty() && at_.front() < pattern_.size(); }

 private:
  using Places = std::vector<std::size_t>;  // in the pattern, rising

  void read(char c) {
    next_.clear();
    const bool is_excluded = excluded_.find(c) != std::string_view::npos;
    for (const std::size_t place : at_) {
      if (place == pattern_.size()) break;
      const Token& token = pattern_[place];
      if (token.piece == Piece::one) {
        if (token.character == c) add(next_, place + 1);
      } else if (token.piece == Piece::any || !is_excluded) {
        add(next_, place);
      }
    }
    std::swap(at_, next_);
  }
  // The place, and those behind the stars that begin there: a star may stand for nothing.
  void add(Places& places, std::size_t place) const {
    for (;; ++place) {
      if (places.empty() || places.back() < place) places.push_back(place);
      if (place == pattern_.size() || pattern_[place].piece == Piece::one) return;
    }
  }

  const std::vector<Token> pattern_;
  const std::string_view excluded_;
  Places at_, next_;
};

bool matches_words(const std::string& pattern, const std::string& text, Effect decision) {
  if (pattern.empty()) return true;
  if (text.empty()) return false;
  if (const auto known = matches_before_star(pattern, text)) return *known;
  Matching matching(tokens(pattern, false), decision == Effect::allow ? shell_operators : "");
  matching.read(text);
  return matching.at_end();
}

bool has_way_up(std::string_view path) {
  return ("/" + std::string(path) + "/").find("/../") != std::string::npos;
}

bool matches_path(const std::string& pattern, const std::string& path) {
  if (const auto known = matches_before_star(pattern, path)) return *known;
  Matching matching(tokens(pattern, true), "/");
  matching.read(path);
  return matching.at_end();
}

bool may_match_below(const std::string& pattern, const std::string& directory) {
  Matching matching(tokens(pattern, true), "/");
  matching.read(directory);
  matching.read("/");
  return matching.can_go_on();
}

bool allows(const std::string& pattern, const Touched& touched) {
  // Where `..` leads is not to be seen from the path.
  if (has_way_up(touched.written) || !matches_path(pattern, touched.written)) return false;
  const auto& resolved = touched.resolved;
  return resolved.empty() || std::any_of(resolved.begin(), resolved.end(), [&](const auto& path) {
           return matches_path(pattern, path);
         });
}

bool rejects_below(const std::string& pattern, const std::string& path, const Touched& touched) {
  if (!touched.below) return may_match_below(pattern, path);
  const auto& below = *touched.below;
  return std::any_of(below.begin(), below.end(), [&](const std::string& relative) {
    return matches_path(pattern, path + "/" + relative);
  });
}

bool rejects(const std::string& pattern, const Touched& touched) {
  const auto hit = [&](const std::string& path) {
    return matches_path(pattern, path) || rejects_below(pattern, path, touched);
  };
  if (std::any_of(touched.resolved.begin(), touched.resolved.end(), hit)) return true;
  // With a way up in it, the path itself says nothing.
  if (has_way_up(touched.written)) return touched.resolved.empty();
  return hit(touched.written);
}

}  // namespace

std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '*' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

std::vector<std::string> tool_kinds() {
  std::vector<std::string> kinds;
  for (int kind = 0; kind <= static_cast<int>(v1::ToolKind::other); ++kind)
    kinds.emplace_back(to_string(static_cast<v1::ToolKind>(kind)));
  return kinds;
}

bool is_tool_kind(std::string_view kind) {
  const std::vector<std::string> kinds = tool_kinds();
  return kind.starts_with('_') || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool can_match_a_path(std::string_view pattern) {
  return pattern.starts_with('/') || pattern.starts_with("**") || pattern.starts_with("*/");
}

bool is_below(const std::string& directory, const std::string& path) {
  return path == directory ||
         path.starts_with(directory.ends_with('/') ? directory : directory + "/");
}

bool Rule::matches(const Question& question) const {
  if (!agent.empty() && agent != question.agent) return false;
  if (!kind.empty() && kind != question.kind) return false;
  if (!project.empty()) {
    const bool unclear = has_way_up(question.project);
    if (unclear ? decision == Effect::allow : !is_below(project, question.project)) return false;
  }
  if (!matches_words(tool, question.tool, decision)) return false;
  if (!matches_words(command, question.command, decision)) return false;
  if (!matches_words(origin, question.origin, decision)) return false;
  const bool allowing = decision == Effect::allow;
  if (!directory.empty()) {
    // Where nobody knows the directory, a rule that rejects counts, one that allows does not.
    if (question.directory.written.empty()) {
      if (allowing) return false;
    } else if (!(allowing ? allows(directory, question.directory)
                          : rejects(directory, question.directory))) {
      return false;
    }
  }
  if (paths.empty()) return true;
  const auto fits = [&](const Touched& touched) {
    return std::any_of(paths.begin(), paths.end(), [&](const std::string& pattern) {
      return allowing ? allows(pattern, touched) : rejects(pattern, touched);
    });
  };
  const auto& touched = question.paths;
  return allowing ? !touched.empty() && std::all_of(touched.begin(), touched.end(), fits)
                  : std::any_of(touched.begin(), touched.end(), fits);
}

std::string Rule::describe() const {
  std::string text = to_string(decision);
  text += kind.empty() ? " everything" : " " + kind;
  if (!tool.empty() && tool != kind) text += " with " + tool;
  if (!command.empty()) text += " `" + command + "`";
  if (!directory.empty()) text += " run in " + directory;
  if (!origin.empty()) text += " from " + origin;
  for (std::size_t i = 0; i < paths.size(); ++i) text += (i == 0 ? " of " : ", ") + paths[i];
  if (!agent.empty()) text += " by " + agent;
  if (!project.empty()) text += " in " + project;
  return text;
}

Judgement Policy::judge(const Question& question) const {
  std::vector<Question> also;
  for (const std::string& kind : question.other_kinds) also.emplace_back(question).kind = kind;
  // What is moved away can be read under its new name.
  std::optional<Question> as_read;
  if (question.kind == "move" || std::ranges::count(question.other_kinds, "move") > 0)
    as_read.emplace(question).kind = "read";
  const auto decides = [&](const Rule& rule) {
    const auto matches = [&](const Question& one) { return rule.matches(one); };
    if (rule.decision == Effect::reject)
      return matches(question) || std::ranges::any_of(also, matches) ||
             (as_read && matches(*as_read));
    return question.always_ask.empty() && matches(question) && std::ranges::all_of(also, matches);
  };
  const auto of_session = [&](Effect decision) -> std::optional<Judgement> {
    for (auto rule = of_session_.rbegin(); rule != of_session_.rend(); ++rule)
      if (rule->decision == decision && decides(*rule))
        return Judgement{decision, *rule, "this session"};
    return std::nullopt;
  };
  const auto given = [&](bool answered) -> std::optional<Judgement> {
    for (const auto& [rule, source] : rules_)
      if ((rule.answered && rule.decision == Effect::allow) == answered && decides(rule))
        return Judgement{rule.decision, rule, source};
    return std::nullopt;
  };
  if (auto judged = of_session(Effect::reject)) return *judged;
  if (auto judged = given(false)) return *judged;
  if (auto judged = of_session(Effect::allow)) return *judged;
  return given(true).value_or(Judgement());
}

bool Policy::rejects_paths() const {
  const auto rejects = [](const Rule& rule) {
    return rule.decision == Effect::reject && !rule.paths.empty();
  };
  return std::any_of(of_session_.begin(), of_session_.end(), rejects) ||
         std::any_of(rules_.begin(), rules_.end(),
                     [&](const Placed& placed) { return rejects(placed.rule); });
}

}  // namespace acp::workspace
