// What was decided before: rules that answer an agent's question without asking the person again.
// Nothing is decided in silence: a judgement carries the rule that made it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acp::workspace {

// What an agent wants to do.
struct Question {
  std::string agent;
  std::string project;  // the session's working directory
  std::string kind;     // of the tool call, as the protocol spells it
  std::string tool;     // its name, if it has one: "github/create_issue"
  std::string command;  // if it runs one
  std::vector<std::string> paths;
};

enum class Decision { allow, reject };

// Matches what all its patterns match; an empty one matches anything. A backslash takes a star, or
// a backslash, for itself.
struct Rule {
  Decision decision = Decision::reject;
  std::string project;  // this directory, and what is below it
  std::string agent;
  std::string kind;
  // `*` stands for any text. In a rule that allows it stands for no shell operator: "npm *" does
  // not allow "npm test; rm -rf ~".
  std::string tool;
  std::string command;
  // `*` stands for any text without a slash, `**` for any text. A rule that allows must match all
  // paths of a question, one that rejects any of them.
  std::string path;

  bool matches(const Question& question) const;
  // "allow execute `npm *` in /home/me/project"
  std::string describe() const;

  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Judgement {
  std::optional<Decision> decision;  // nothing: ask
  std::optional<Rule> rule;          // that made it
  std::string source;                // where the rule stands: "this session", or file and line
};

// How long a decision is to hold.
enum class Scope {
  session,
  project,  // for this agent and its project
  global,   // for this agent, everywhere
};

// The narrowest rule that would have answered the question: a command as it is, a tool by its name,
// else the kind.
Rule rule_for(const Question& question, Decision decision, Scope scope);

// The rules of one session: its own first, the latest of them before the others, then those that
// were given to it, in their order. The first that matches decides.
class Policy {
 public:
  struct Placed {
    Rule rule;
    std::string source;
  };

  Policy() = default;
  explicit Policy(std::vector<Placed> rules) : rules_(std::move(rules)) {}

  Judgement judge(const Question& question) const;
  void remember_for_session(Rule rule) { of_session_.push_back(std::move(rule)); }
  // In place of those that were given.
  void replace(std::vector<Placed> rules) { rules_ = std::move(rules); }
  const std::vector<Rule>& of_session() const { return of_session_; }

 private:
  std::vector<Rule> of_session_;
  std::vector<Placed> rules_;
};

}  // namespace acp::workspace
