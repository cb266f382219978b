// Whether a tool may do what it is about to do: by the mode, by rules, else by asking the user.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/tool_call.h"
#include "acp/workspace/decisions.h"
#include "coder/session/modes.h"
#include "coder/tools/tool.h"

namespace acp::coder {

struct Verdict {
  bool allowed = false;
  // Not allowed: why, for the model and the user. Allowed by a rule: which.
  std::string reason = {};
};

// What a call is about to do.
struct Asked {
  v1::ToolKind kind = v1::ToolKind::other;
  std::string tool = {};  // the policy's name for it
  std::string command = {};
  std::string directory = {};  // where the command runs
  std::string origin = {};     // of what is fetched
  std::vector<std::string> paths = {};
  // Why the user is asked whatever mode and rules say. Empty: they decide.
  std::string ask_reason = {};
  // It holds a key: it is neither named in an answer nor remembered.
  bool secret = false;
};

// Of one session. May be used by several threads: the user is asked one question at a time.
class PermissionGate {
 public:
  // A path as rules see it; `with_below`: also what is below it.
  using Look = std::function<workspace::Touched(const std::string& path, bool with_below)>;

  // The first of the directories is the project. Without `look`, paths count as they are written.
  PermissionGate(std::vector<std::string> directories, std::string policy_file,
                 Look look = nullptr);

  // The user is asked about the call as it is shown. Throws Cancelled if the user's answer is that
  // the turn is cancelled.
  Verdict pass(const acp::ToolCall& call, const std::string& mode, const Asked& asked,
               const std::stop_token& stop);
  // Why the rules cannot be read, once.
  std::optional<std::string> take_problem() { return decisions_.take_problem(); }
  // The paths that rules keep from the model when a tool of this kind lists or searches.
  workspace::PathFilter path_filter(v1::ToolKind kind);
  // The rule that keeps the model from reading this, in words.
  std::optional<std::string> why_unreadable(const std::string& path);

 private:
  workspace::Question question_of(v1::ToolKind kind) const;
  workspace::Touched look(const std::string& path, bool with_below) const;
  // Whether paths and directory still lead to where they led before the user was asked.
  bool is_still(const workspace::Question& question, const Asked& asked) const;
  Verdict ask(const acp::ToolCall& call, const workspace::Question& question, const Asked& asked);

  const std::vector<std::string> directories_;
  const Look look_;
  workspace::Decisions decisions_;
  std::mutex asking_;
};

}  // namespace acp::coder
