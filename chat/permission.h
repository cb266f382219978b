// How questions of an agent are answered where nobody sits in front of a conversation. Nothing is
// decided in silence: every answer says who gave it.
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

// What the agent wants, with everything that it has told of the tool call before.
struct PermissionQuestion {
  ToolCallState call;
  std::vector<PermissionOption> options;
  std::string agent;
  std::string cwd;
  std::vector<std::string> more_directories = {};
};

// The call as the question shows it: what it says itself counts before what was said earlier.
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

// What is asked, as rules see it. Paths are looked up on the disk.
workspace::Question as_question(const PermissionQuestion& question);
// The same for a question that was rejected: a command counts whatever kind the agent gave it.
workspace::Question as_rejected(const ToolCallState& call, workspace::Question question);
// A call that the agent sent without asking, on one line, safe to show.
std::string describe(const workspace::Question& call);
// "by the rule allow execute of npm * (policy.toml:3)"
std::string by_rule(const workspace::Judgement& judged);
// The one that reaches least far.
PermissionAnswer answered(const PermissionQuestion& question, PermissionAnswer::By by, bool allow,
                          std::string reason);

// For all threads.
class Permissions {
 public:
  enum class Kind { deny, allow, ask, rules };

  // WORD is deny, allow, ask, or a file with rules; empty: deny, because nothing was said. With a
  // word, the rules of `user_file` that reject hold as well; with ask, all of them. Throws
  // workspace::PolicyStoreError.
  static std::unique_ptr<Permissions> from(const std::string& word, const std::string& user_file);

  // `user_file` is for the rules that a person makes by an answer.
  explicit Permissions(Kind kind, std::vector<workspace::Policy::Placed> rules = {},
                       std::string user_file = {}, bool by_default = false)
      : kind_(kind),
        by_default_(by_default),
        rules_(std::move(rules)),
        decisions_(std::move(user_file)) {}

  // Nothing else is printed while what this gives is held: it is, while a question is open. Set
  // before the first question.
  using Silence = std::function<std::unique_lock<std::mutex>()>;
  void silence_by(Silence silence) { silence_ = std::move(silence); }

  PermissionAnswer answer(const PermissionQuestion& question, std::stop_token stop);

  // A read, write or command that the agent asks us to carry out. What it asked about before is
  // answered as that was; else a read is carried out, and the rest is decided as a question is.
  // Of an agent that asks by itself, only rules that reject count.
  PermissionAnswer judge(const workspace::Question& call, bool asks_itself, std::stop_token stop);

 private:
  PermissionAnswer decide(const PermissionQuestion& question, const workspace::Question& seen,
                          std::stop_token stop);
  PermissionAnswer ask(const PermissionQuestion& question, const workspace::Question& seen,
                       std::stop_token stop);
  // A letter was typed: what it remembers is remembered.
  PermissionAnswer taken(const PermissionAnswerChoice& chosen, const workspace::Question& seen);
  // The rule that holds for this question.
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
