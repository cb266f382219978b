// Whether a tool may do what it is about to do: by the mode, by rules, else by asking the user.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "acp/context.h"
#include "coder/modes.h"
#include "coder/tools/tool.h"
#include "workspace/policy.h"
#include "workspace/policy_store.h"

namespace acp::coder {

struct Verdict {
  bool allowed = false;
  // Not allowed: why, for the model and the user. Allowed by a rule: which.
  std::string reason = {};
};

// A call, as the user is to be asked about it.
struct Asked {
  v1::ToolCallUpdate shown;
  v1::ToolKind kind = v1::ToolKind::other;
  std::string tool = {};  // the policy's name for it
  std::string command = {};
  std::vector<std::string> paths = {};
};

// Of one session. May be used by several threads: the user is asked one question at a time.
class Gate {
 public:
  Gate(std::string project, std::string policy_file);

  // Throws Cancelled if the user's answer is that the turn is cancelled.
  Verdict pass(const SessionContext& context, const std::string& mode, const Asked& asked);
  // Why the rules cannot be read, once.
  std::optional<std::string> take_problem();

 private:
  // `broken`: there may be rules that nobody could read.
  workspace::Judgement judge(const workspace::Question& question, bool& broken);
  Verdict ask(const SessionContext& context, const workspace::Question& question,
              const v1::ToolCallUpdate& shown);
  void remember(const workspace::Question& question, workspace::Decision decision,
                workspace::Scope scope);

  const std::string project_;
  const workspace::PolicyStore store_;
  std::mutex mutex_;  // of the policy
  std::mutex asking_;
  workspace::Policy policy_;
  std::string problem_, told_problem_;
};

}  // namespace acp::coder
