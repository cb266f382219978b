#include "workspace/policy.h"

#include <algorithm>

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

// `*` does not stand for what is in `excluded`. All ways to match are followed at the same time: no
// pattern takes longer than its length times the text's.
bool glob(const std::vector<Token>& pattern, std::string_view text, std::string_view excluded) {
  std::vector<bool> at(pattern.size() + 1);
  at[0] = true;
  const auto pass_stars = [&] {
    for (std::size_t i = 0; i < pattern.size(); ++i)
      if (at[i] && pattern[i].piece != Piece::one) at[i + 1] = true;
  };
  pass_stars();
  for (const char c : text) {
    std::vector<bool> next(pattern.size() + 1);
    const bool is_excluded = excluded.find(c) != std::string_view::npos;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (!at[i]) continue;
      const Token& token = pattern[i];
      if (token.piece == Piece::one && token.character == c) next[i + 1] = true;
      if (token.piece == Piece::any || (token.piece == Piece::some && !is_excluded)) next[i] = true;
    }
    at = std::move(next);
    pass_stars();
  }
  return at.back();
}

bool matches_words(const std::string& pattern, const std::string& text, Decision decision) {
  if (pattern.empty()) return true;
  return !text.empty() &&
         glob(tokens(pattern, false), text, decision == Decision::allow ? shell_operators : "");
}

// A pattern that matches this text and no other.
std::string literal(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '*' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool has_way_up(std::string_view path) {
  return ("/" + std::string(path) + "/").find("/../") != std::string::npos;
}

bool matches_path(const std::string& pattern, const std::string& path, Decision decision) {
  // Where `..` leads to is not to be seen from the path.
  if (has_way_up(path)) return decision == Decision::reject;
  return glob(tokens(pattern, true), path, "/");
}

bool below(const std::string& directory, const std::string& path) {
  return path == directory ||
         path.starts_with(directory.ends_with('/') ? directory : directory + "/");
}

}  // namespace

bool Rule::matches(const Question& question) const {
  if (!agent.empty() && agent != question.agent) return false;
  if (!kind.empty() && kind != question.kind) return false;
  if (!project.empty() && (has_way_up(question.project) || !below(project, question.project)))
    return false;
  if (!matches_words(tool, question.tool, decision)) return false;
  if (!matches_words(command, question.command, decision)) return false;
  if (path.empty()) return true;
  const auto fits = [&](const std::string& one) { return matches_path(path, one, decision); };
  const auto& paths = question.paths;
  return decision == Decision::allow
             ? !paths.empty() && std::all_of(paths.begin(), paths.end(), fits)
             : std::any_of(paths.begin(), paths.end(), fits);
}

std::string Rule::describe() const {
  std::string text = decision == Decision::allow ? "allow" : "reject";
  text += kind.empty() ? " everything" : " " + kind;
  if (!tool.empty()) text += " with " + tool;
  if (!command.empty()) text += " `" + command + "`";
  if (!path.empty()) text += " of " + path;
  if (!agent.empty()) text += " by " + agent;
  if (!project.empty()) text += " in " + project;
  return text;
}

Rule rule_for(const Question& question, Decision decision, Scope scope) {
  Rule rule;
  rule.decision = decision;
  rule.agent = question.agent;
  if (scope == Scope::project) rule.project = question.project;
  rule.kind = question.kind;
  rule.command = literal(question.command);
  if (rule.command.empty()) rule.tool = literal(question.tool);
  return rule;
}

Judgement Policy::judge(const Question& question) const {
  for (auto rule = of_session_.rbegin(); rule != of_session_.rend(); ++rule)
    if (rule->matches(question)) return {rule->decision, *rule, "this session"};
  for (const Placed& placed : rules_)
    if (placed.rule.matches(question)) return {placed.rule.decision, placed.rule, placed.source};
  return {};
}

}  // namespace acp::workspace
