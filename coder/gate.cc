#include "coder/gate.h"

#include <utility>

#include "acp/json/codec.h"

namespace acp::coder {

namespace {

using v1::PermissionOptionKind;
using workspace::Decision;
using workspace::Scope;

// As rules and `acp policy` know us.
constexpr const char* agent_name = "acp";

struct Option {
  const char* id;
  const char* name;
  PermissionOptionKind kind;
  Decision decision;
  std::optional<Scope> scope;
};
// A client that chooses by kind takes the first: the one that reaches least far.
constexpr Option options[] = {
    {"allow_once", "Allow once", PermissionOptionKind::allow_once, Decision::allow, {}},
    {"allow_session", "Allow in this session", PermissionOptionKind::allow_always, Decision::allow,
     Scope::session},
    {"allow_project", "Always allow in this project", PermissionOptionKind::allow_always,
     Decision::allow, Scope::project},
    {"reject_once", "Reject", PermissionOptionKind::reject_once, Decision::reject, {}},
    {"reject_session", "Reject in this session", PermissionOptionKind::reject_always,
     Decision::reject, Scope::session},
    {"reject_project", "Always reject in this project", PermissionOptionKind::reject_always,
     Decision::reject, Scope::project},
};

std::string name_of(v1::ToolKind kind) {
  const auto name = Json::parse(json::encode(kind));
  return name && name->is_string() ? *name->as_string() : "other";
}

}  // namespace

Gate::Gate(std::string project, std::string policy_file)
    : project_(std::move(project)), store_(std::move(policy_file)) {}

std::optional<std::string> Gate::take_problem() {
  const std::lock_guard lock(mutex_);
  if (problem_ == told_problem_) return std::nullopt;
  told_problem_ = problem_;
  if (problem_.empty()) return std::nullopt;
  return problem_;
}

workspace::Judgement Gate::judge(const workspace::Question& question, bool& broken) {
  const std::lock_guard lock(mutex_);
  if (!store_.path().empty()) {
    try {
      policy_.replace(store_.load());
      problem_.clear();
    } catch (const workspace::PolicyStoreError& error) {
      policy_.replace({});
      problem_ = error.what();
    }
  }
  workspace::Judgement judgement = policy_.judge(question);
  broken = !problem_.empty();
  return judgement;
}

Verdict Gate::pass(const SessionContext& context, const std::string& mode, const Asked& asked) {
  workspace::Question question;
  question.agent = agent_name;
  question.project = project_;
  question.kind = name_of(asked.kind);
  question.tool = asked.tool;
  question.command = asked.command;
  question.paths = asked.paths;

  const Need need = need_of(mode, asked.kind);
  if (need == Need::another_mode)
    return {false, "the mode \"" + mode + "\" does not allow this; the user can choose another"};
  bool broken = false;
  const auto judged = [&]() -> std::optional<Verdict> {
    const workspace::Judgement judgement = judge(question, broken);
    const auto reason = [&] { return judgement.rule->describe() + " (" + judgement.source + ")"; };
    // A rule that rejects holds in every mode.
    if (judgement.decision == Decision::reject)
      return Verdict{false, "rejected by a rule: " + reason()};
    if (need == Need::nothing && (!broken || asked.kind == v1::ToolKind::think))
      return Verdict{true, {}};
    // Modes are the user's own affair: no rule changes them.
    if (judgement.decision == Decision::allow && asked.kind != v1::ToolKind::switch_mode)
      return Verdict{true, "allowed by a rule: " + reason()};
    return std::nullopt;
  };
  if (const auto verdict = judged()) return *verdict;
  // One question at a time; what is answered for the whole session answers those that wait, too.
  const std::lock_guard one_at_a_time(asking_);
  if (const auto verdict = judged()) return *verdict;
  if (context.cancelled()) throw Cancelled();
  return ask(context, question, asked.shown);
}

Verdict Gate::ask(const SessionContext& context, const workspace::Question& question,
                  const v1::ToolCallUpdate& shown) {
  v1::RequestPermissionRequest request;
  request.sessionId = context.session_id();
  request.toolCall = shown;
  const bool only_once = question.kind == "switch_mode";
  const auto is_offered = [&](const Option& option) {
    if (only_once && option.scope) return false;
    return option.scope != Scope::project || !store_.path().empty();
  };
  for (const Option& option : options) {
    if (!is_offered(option)) continue;
    v1::PermissionOption offered;
    offered.optionId = option.id;
    offered.name = option.name;
    offered.kind = option.kind;
    request.options.push_back(std::move(offered));
  }
  const v1::RequestPermissionResponse response = context.peer().request(request).wait();
  const auto* selected = std::get_if<v1::SelectedPermissionOutcome>(&response.outcome);
  // Cancelled, or an outcome that nobody knows: in no case an approval.
  if (selected == nullptr) throw Cancelled();
  for (const Option& option : options) {
    if (selected->optionId != option.id || !is_offered(option)) continue;
    if (option.scope) remember(question, option.decision, *option.scope);
    return {option.decision == Decision::allow,
            option.decision == Decision::allow ? "" : "the user has rejected this"};
  }
  return {false, "the client answered with an option that was not offered: " + selected->optionId};
}

void Gate::remember(const workspace::Question& question, Decision decision, Scope scope) {
  const workspace::Rule rule = workspace::rule_for(question, decision, scope);
  const std::lock_guard lock(mutex_);
  if (scope == Scope::session) {
    policy_.remember_for_session(rule);
    return;
  }
  try {
    store_.add(rule);
  } catch (const workspace::PolicyStoreError& error) {
    // At least in this session.
    policy_.remember_for_session(rule);
    problem_ = error.what();
  }
}

}  // namespace acp::coder
