// What was decided in one session and before it: judges questions and remembers answers.
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

// True: rules keep this path from the agent. Empty: there is no such rule.
using PathFilter = std::function<bool(const Touched& path)>;

// May be used by several threads.
class Decisions {
 public:
  // Without a file, only what is decided in this session counts.
  explicit Decisions(std::string policy_file = {}) : store_(std::move(policy_file)) {}

  // Reads the file anew: a rule that was added or revoked counts at once. If the file cannot be
  // used, none of its rules is followed, and `is_broken` says so.
  Judgement judge(const Question& question);
  // The file could not be used when it was last read: there may be rules that nobody could read.
  bool is_broken() const;
  // Why, once.
  std::optional<std::string> take_problem();

  // The rule that this answer would make. Nothing: it cannot be remembered, so it is not offered.
  std::optional<Rule> offered(const Question& question, Decision decision, Scope scope) const;
  struct Remembered {
    Rule rule;
    std::string where;  // "for this session", "in /…/policy.toml"
  };
  // Nothing if it cannot be remembered. What the file does not take holds in this session.
  std::optional<Remembered> remember(const Question& question, Decision decision, Scope scope);

  // What rules keep from the agent, for those who list and search: `question` without its paths.
  PathFilter path_filter(Question question);

  // All that hold, this session's first. Throws PolicyStoreError.
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
