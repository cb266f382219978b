// Earlier decisions: rules that answer an agent's question without asking the person again. Every
// judgement carries the rule that made it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/workspace/question.h"

namespace acp::workspace {

// The decision of a rule.
enum class Effect { allow, reject };
// "allow", "reject"
constexpr const char* to_string(Effect value) {
  switch (value) {
    case Effect::allow:
      return "allow";
    case Effect::reject:
      return "reject";
  }
  return "";
}

// Matches what all its patterns match; an empty one matches anything. A backslash makes the star or
// backslash after it an ordinary character.
struct Rule {
  Effect decision = Effect::reject;
  std::string project;  // this directory, and what is below it
  std::string agent;
  std::string kind;
  // `*` stands for any text. In a rule that allows it stands for no shell operator: "npm *" does
  // not allow "npm test; rm -rf ~".
  std::string tool;
  std::string command;
  std::string origin;
  // `*` stands for any text without a slash, `**` for any text. Both the written path and the one
  // that it leads to count: a rule that allows must match both, one that rejects either.
  std::string directory;  // where a command runs
  // Of several patterns one must match. A rule that allows must match all paths of a question, one
  // that rejects any of them, or what moves or goes with it.
  std::vector<std::string> paths;
  // A person's answer to a question made it. One that allows yields to every rule that rejects.
  bool answered = false;

  // Whether the rule applies to this question.
  bool matches(const Question& question) const;
  // "allow execute `npm *` by gemini in /home/me/project"
  std::string describe() const;

  friend bool operator==(const Rule&, const Rule&) = default;
};

// A pattern that matches this text and no other.
std::string literal_pattern(std::string_view text);
// The kinds of tools that the protocol has.
std::vector<std::string> tool_kinds();
// Whether a question may have this kind: one of tool_kinds(), or one of an agent's own, which
// begins with an underscore.
bool is_tool_kind(std::string_view kind);
// Whether the pattern matches any absolute path: "x" and "*.x" match none, "**/x" does.
bool can_match_a_path(std::string_view pattern);
// Whether the path is this directory, or below it.
bool is_below(const std::string& directory, const std::string& path);

// The rules' decision about a question.
struct Judgement {
  std::optional<Effect> decision;  // nothing: ask
  std::optional<Rule> rule;        // that made it
  std::string source;              // where the rule stands: "this session", or file and line
};

// The rules of one session: those that were answered in it, and those that were given to it. The
// first that matches decides, in this order: answers of the session that reject, the given rules in
// their order, answers of the session that allow (the latest first), given answers that allow.
class Policy {
 public:
  // A rule, and where it stands.
  struct Placed {
    Rule rule;
    std::string source;
  };

  Policy() = default;
  explicit Policy(std::vector<Placed> rules) : rules_(std::move(rules)) {}

  // Judges a question by the first rule that matches.
  Judgement judge(const Question& question) const;
  // Whether a rule rejects by path, so that a list of paths has to be filtered.
  bool rejects_paths() const;
  void remember_for_session(Rule rule) { of_session_.push_back(std::move(rule)); }
  // Replaces the given rules.
  void replace(std::vector<Placed> rules) { rules_ = std::move(rules); }
  const std::vector<Rule>& of_session() const { return of_session_; }
  const std::vector<Placed>& given() const { return rules_; }

 private:
  std::vector<Rule> of_session_;
  std::vector<Placed> rules_;
};

}  // namespace acp::workspace
