#include "acp/workspace/decisions.h"

#include <memory>
#include <utility>

namespace acp::workspace {

void Decisions::reload() {
  if (store_.path().empty()) return;
  try {
    policy_.replace(store_.load());
    problem_.clear();
  } catch (const PolicyStoreError& error) {
    policy_.replace({});
    problem_ = error.what();
  }
}

Judgement Decisions::judge(const Question& question) {
  const std::lock_guard lock(mutex_);
  reload();
  return policy_.judge(question);
}

bool Decisions::is_broken() const {
  const std::lock_guard lock(mutex_);
  return !problem_.empty();
}

std::optional<std::string> Decisions::take_problem() {
  const std::lock_guard lock(mutex_);
  if (problem_ == reported_) return std::nullopt;
  reported_ = problem_;
  if (problem_.empty()) return std::nullopt;
  return problem_;
}

std::optional<Rule> Decisions::offered(const Question& question, Effect decision,
                                       Scope scope) const {
  if (scope == Scope::project && store_.path().empty()) return std::nullopt;
  return rule_for(question, decision, scope);
}

std::optional<Decisions::Remembered> Decisions::remember(const Question& question, Effect decision,
                                                         Scope scope) {
  std::optional<Rule> rule = offered(question, decision, scope);
  if (!rule) return std::nullopt;
  const std::lock_guard lock(mutex_);
  Remembered remembered{*rule, "for this session"};
  if (scope == Scope::session) {
    policy_.remember_for_session(std::move(*rule));
    return remembered;
  }
  try {
    store_.add(*rule);
    remembered.where = "in " + store_.path();
  } catch (const PolicyStoreError& error) {
    policy_.remember_for_session(std::move(*rule));
    problem_ = error.what();
    remembered.where += " only: " + problem_;
  }
  return remembered;
}

PathFilter Decisions::path_filter(Question question) {
  const std::lock_guard lock(mutex_);
  reload();
  if (!policy_.rejects_paths()) return {};
  return [policy = std::make_shared<const Policy>(policy_),
          question = std::move(question)](const Touched& path) {
    Question about = question;
    about.paths = {path};
    // To list or to search is to read as well.
    for (const std::string& kind : {question.kind, std::string("read")}) {
      about.kind = kind;
      if (policy->judge(about).decision == Effect::reject) return true;
    }
    return false;
  };
}

std::vector<Policy::Placed> Decisions::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Policy::Placed> rules;
  for (const Rule& rule : policy_.of_session()) rules.push_back({rule, "this session"});
  if (store_.path().empty()) return rules;
  for (Policy::Placed& placed : store_.load()) rules.push_back(std::move(placed));
  return rules;
}

}  // namespace acp::workspace
