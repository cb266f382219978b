// Answers questions of an agent outside of `acp chat`. Every answer says who gave it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/session_state.h"
#include "acp/workspace/decisions.h"
#include "acp/workspace/files/boundary.h"
#include "acp/workspace/policy.h"
#include "acp/workspace/turn_answers.h"
#include "chat/render/call_text.h"

namespace acp::chat {

struct PermissionAnswerChoice;

// What the agent asks for, with everything that it has reported of the tool call before.
struct PermissionPrompt {
  ToolCallState call;
  std::vector<PermissionOption> options;
  std::string agent;
  std::string cwd;
  std::vector<std::string> more_directories = {};
};

// The call as the question shows it: the question's own data, completed by earlier updates.
ToolCallState call_in_question(const v1::ToolCallUpdate& said, ToolCallState known);

struct PermissionAnswer {
  enum class By {
    policy,     // all is allowed
    rule,       // of a file
    person,     // at the terminal
    nobody,     // nobody was there to ask: denied
    cancelled,  // the question was taken back
  };

  By by = By::nobody;
  bool allowed = false;
  std::optional<PermissionOption> option = {};  // none: answered `cancelled`
  std::string reason = {};                      // for people

  Decision decision() const { return option ? Decision(option->optionId) : Decision::cancelled(); }
};
const char* to_string(PermissionAnswer::By by);

// Converts a prompt into the question that rules see. Looks up paths on the disk.
workspace::Question as_question(const PermissionPrompt& question);
// The question of a rejected call: a command counts whatever kind the agent gave it.
workspace::Question as_rejected(const ToolCallState& call, workspace::Question question);
// How much an answer with this option of the agent covers of its writes.
workspace::TurnAnswers::Covers covered_by(const std::optional<PermissionOption>& option);
// The question that we ask about a call that the agent sent without one.
PermissionPrompt prompt_for(const workspace::Question& call);
// Describes a call that the agent sent without asking, on one line, safe to show.
std::string describe(const workspace::Question& call);
// "by the rule allow execute of npm * (policy.toml:3)"
std::string by_rule(const workspace::Judgement& judged);
// The answer with the option of the smallest scope.
PermissionAnswer answered(const PermissionPrompt& question, PermissionAnswer::By by, bool allow,
                          std::string reason);

// May be used by several threads.
class Permissions {
 public:
  enum class Kind { deny, allow, ask, rules };

  // Reads a policy: deny, allow, ask, or a file with rules; empty means deny, as the default. With
  // a word, the rules of `user_file` that reject hold as well; with ask, all of them. Throws
  // workspace::PolicyStoreError.
  static std::unique_ptr<Permissions> from(const std::string& word, const std::string& user_file);

  // `user_file` is for the rules that a person makes by an answer.
  explicit Permissions(Kind kind, std::vector<workspace::Policy::Placed> rules = {},
                       std::string user_file = {}, bool by_default = false)
      : kind_(kind),
        by_default_(by_default),
        rules_(std::move(rules)),
        decisions_(std::move(user_file)) {}

  // Returns a lock held while a question is open; nothing else prints meanwhile. Set before the
  // first question.
  using Silence = std::function<std::unique_lock<std::mutex>()>;
  void silence_by(Silence silence) { silence_ = std::move(silence); }

  PermissionAnswer answer(const PermissionPrompt& question, std::stop_token stop);

  // Decides about a read, write or command that we shall carry out. If the agent asked about it
  // before, that answer counts (of a write, if it showed what is written); otherwise a read is
  // allowed, and the rest is decided as a question.
  // For an agent that asks by itself, only rejecting rules count.
  PermissionAnswer judge(const workspace::Question& call, bool asks_itself, std::stop_token stop);

 private:
  PermissionAnswer decide(const PermissionPrompt& question, const workspace::Question& seen,
                          std::stop_token stop);
  PermissionAnswer ask(const PermissionPrompt& question, const workspace::Question& seen,
                       std::stop_token stop);
  // Stores the rule that the typed letter stands for.
  PermissionAnswer taken(const PermissionAnswerChoice& chosen, const workspace::Question& seen);
  // The rules' decision about this question.
  workspace::Judgement judged(const workspace::Question& seen);

  const Kind kind_;
  const bool by_default_;
  const workspace::Policy rules_;
  workspace::Decisions decisions_;  // of the person who is asked
  Silence silence_;
  std::mutex asking_;  // one question at a time
  std::mutex answers_mutex_;
  workspace::TurnAnswers answers_;
};

}  // namespace acp::chat
