#include "coder/session/permission_gate.h"

#include <utility>

namespace acp::coder {

namespace {

using v1::PermissionOptionKind;
using workspace::Effect;
using workspace::Scope;

// As rules and `acp policy` know us.
constexpr const char* agent_name = "acp";

struct Option {
  const char* id;
  const char* name;
  PermissionOptionKind kind;
  Effect decision;
  std::optional<Scope> scope;
};
// A client that chooses by kind takes the first: the one that reaches least far. One that looks for
// "always" in a name finds the session's.
constexpr Option options[] = {
    {"allow_once", "Allow once", PermissionOptionKind::allow_once, Effect::allow, {}},
    {"allow_session", "Always allow in this session", PermissionOptionKind::allow_always,
     Effect::allow, Scope::session},
    {"allow_project", "Allow in this project from now on", PermissionOptionKind::allow_always,
     Effect::allow, Scope::project},
    {"reject_once", "Reject once", PermissionOptionKind::reject_once, Effect::reject, {}},
    {"reject_session", "Always reject in this session", PermissionOptionKind::reject_always,
     Effect::reject, Scope::session},
    {"reject_project", "Reject in this project from now on", PermissionOptionKind::reject_always,
     Effect::reject, Scope::project},
};

bool takes_all_below(v1::ToolKind kind) {
  return kind == v1::ToolKind::move || kind == v1::ToolKind::delete_;
}

std::string words_of(const workspace::Judgement& judgement) {
  return judgement.rule->describe() + " (" + judgement.source + ")";
}

}  // namespace

PermissionGate::PermissionGate(std::vector<std::string> directories, std::string policy_file,
                               Look look)
    : directories_(std::move(directories)),
      look_(std::move(look)),
      decisions_(std::move(policy_file)) {}

workspace::Question PermissionGate::question_of(v1::ToolKind kind) const {
  workspace::Question question;
  question.agent = agent_name;
  question.project = directories_.front();
  question.more_directories.assign(directories_.begin() + 1, directories_.end());
  question.kind = to_string(kind);
  return question;
}

workspace::Touched PermissionGate::look(const std::string& path, bool with_below,
                                        const std::stop_token& stop) const {
  return look_ ? look_(path, with_below, stop) : workspace::Touched(path);
}

workspace::PathFilter PermissionGate::path_filter(v1::ToolKind kind) {
  return decisions_.path_filter(question_of(kind));
}

std::optional<std::string> PermissionGate::why_unreadable(const std::string& path) {
  workspace::Question question = question_of(v1::ToolKind::read);
  question.paths = {look(path, false, {})};
  const workspace::Judgement judgement = decisions_.judge(question);
  if (judgement.decision != Effect::reject) return std::nullopt;
  return "rejected by a rule: " + words_of(judgement);
}

GateAnswer PermissionGate::pass(const acp::ToolCall& call, const std::string& mode,
                                const Asked& asked, const std::stop_token& stop) {
  workspace::Question question = question_of(asked.kind);
  question.tool = asked.tool;
  question.command = asked.command;
  if (!asked.directory.empty()) question.directory = look(asked.directory, false, stop);
  question.origin = asked.origin;
  question.always_ask = asked.ask_reason;
  for (const std::string& path : asked.paths)
    question.paths.push_back(look(path, takes_all_below(asked.kind), stop));

  const Need need = need_of(mode, asked.kind);
  if (need == Need::another_mode)
    return {false, "the mode \"" + mode + "\" does not allow this; the user can choose another"};
  const auto judged = [&]() -> std::optional<GateAnswer> {
    const workspace::Judgement judgement = decisions_.judge(question);
    // A rule that rejects holds in every mode.
    if (judgement.decision == Effect::reject)
      return GateAnswer{false, "rejected by a rule: " + words_of(judgement)};
    const bool nobody_asks = need == Need::nothing && asked.ask_reason.empty();
    // A plan touches nothing, whatever the rules that cannot be read may say.
    if (nobody_asks && (asked.kind == v1::ToolKind::think || !decisions_.is_broken()))
      return GateAnswer{true, {}};
    // Modes are the user's own affair: no rule changes them.
    if (judgement.decision == Effect::allow && asked.kind != v1::ToolKind::switch_mode)
      return GateAnswer{true, "allowed by a rule: " + words_of(judgement)};
    return std::nullopt;
  };
  if (const auto verdict = judged()) return *verdict;
  // One question at a time; what is answered for the whole session answers those that wait, too.
  const std::lock_guard one_at_a_time(asking_);
  if (const auto verdict = judged()) return *verdict;
  if (stop.stop_requested()) throw Cancelled();
  const GateAnswer verdict = ask(call, question, asked);
  // What was agreed to is what the user saw: a link that was exchanged meanwhile leads elsewhere.
  if (verdict.allowed && !is_still(question, asked, stop))
    return {false,
            "what this path leads to has changed while the user was asked: nothing was done"};
  return verdict;
}

bool PermissionGate::is_still(const workspace::Question& question, const Asked& asked,
                              const std::stop_token& stop) const {
  const auto same = [&](const workspace::Touched& before, const std::string& path) {
    return look(path, takes_all_below(asked.kind), stop).resolved == before.resolved;
  };
  for (std::size_t i = 0; i < asked.paths.size(); ++i)
    if (!same(question.paths[i], asked.paths[i])) return false;
  return asked.directory.empty() ||
         look(asked.directory, false, stop).resolved == question.directory.resolved;
}

GateAnswer PermissionGate::ask(const acp::ToolCall& call, const workspace::Question& question,
                               const Asked& asked) {
  // What an answer would mean beyond this call, in words. Nothing: it cannot be given.
  const auto name_offered = [&](const Option& option) -> std::optional<std::string> {
    if (!option.scope) return option.name;
    if (asked.secret) return std::nullopt;
    const auto rule = decisions_.offered(question, option.decision, *option.scope);
    if (!rule) return std::nullopt;
    return std::string(option.name) + ": " + workspace::reach_of(*rule, question);
  };
  PermissionQuestion to_user;
  to_user.reason = asked.ask_reason;
  to_user.rejected_fails = false;  // the caller says why
  for (const Option& option : options) {
    const auto name = name_offered(option);
    if (!name) continue;
    v1::PermissionOption offered;
    offered.optionId = option.id;
    offered.name = *name;
    offered.kind = option.kind;
    to_user.options.push_back(std::move(offered));
  }
  const Permission permission = call.ask_permission(std::move(to_user)).wait();
  for (const Option& option : options) {
    if (permission.option_id != option.id || !name_offered(option)) continue;
    if (option.scope) decisions_.remember(question, option.decision, *option.scope);
    return {option.decision == Effect::allow,
            option.decision == Effect::allow ? "" : "permission was denied"};
  }
  return {false,
          "the client answered with an option that was not offered: " + permission.option_id};
}

}  // namespace acp::coder
