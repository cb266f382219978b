// The decisions of a session and earlier ones: judges questions and remembers answers.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acp/workspace/policy.h"
#include "acp/workspace/policy_store.h"
#include "acp/workspace/remembered_rule.h"

namespace acp::workspace {

// Returns true if rules hide this path from the agent. An empty function: there is no such rule.
using PathFilter = std::function<bool(const Touched& path)>;

// May be used by several threads.
class Decisions {
 public:
  // Without a file, only what is decided in this session counts.
  explicit Decisions(std::string policy_file = {}) : store_(std::move(policy_file)) {}

  // Reads the file anew: a rule that was added or revoked counts at once. If the file cannot be
  // used, none of its rules is followed, and `is_broken` says so.
  Judgement judge(const Question& question);
  // Whether the file could not be used when it was last read: there may be rules that were not
  // read.
  bool is_broken() const;
  // Returns once why it could not be used.
  std::optional<std::string> take_problem();

  // The rule that this answer would make, or nothing if it cannot be remembered, and so is not
  // offered.
  std::optional<Rule> offered(const Question& question, Effect decision, Scope scope) const;
  struct Remembered {
    Rule rule;
    std::string where;  // "for this session", "in /…/policy.toml"
  };
  // Remembers the answer; returns nothing if it cannot be remembered. If the file cannot be
  // written, the rule is valid for this session.
  std::optional<Remembered> remember(const Question& question, Effect decision, Scope scope);

  // A filter of the paths that rules hide from the agent, for lists and searches: `question`
  // without its paths.
  PathFilter path_filter(Question question);

  // All valid rules, this session's first. Throws PolicyStoreError.
  std::vector<Policy::Placed> all() const;

 private:
  // With the lock held.
  void reload();

  const PolicyStore store_;
  mutable std::mutex mutex_;
  Policy policy_;
  std::string problem_, reported_;
};

}  // namespace acp::workspace
