// Decides whether a tool may act: by the mode, by rules, or by asking the user.
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

struct GateAnswer {
  bool allowed = false;
  // If not allowed: why, for the model and the user. If allowed by a rule: which.
  std::string reason = {};
};

// An action that a call is about to do.
struct Asked {
  v1::ToolKind kind = v1::ToolKind::other;
  std::string tool = {};  // the policy's name for it
  std::string command = {};
  std::string directory = {};  // where the command runs
  std::string origin = {};     // of what is fetched
  std::vector<std::string> paths = {};
  // Why the user is asked whatever mode and rules say. Empty: they decide.
  std::string ask_reason = {};
  // It contains a key: it is neither named in an answer nor remembered.
  bool secret = false;
};

// The gate of one session. May be used by several threads: the user is asked one question at a
// time.
class PermissionGate {
 public:
  // Describes a path for rules; `with_below`: also the paths below it. Throws Cancelled if it is
  // stopped.
  using Look = std::function<workspace::Touched(const std::string& path, bool with_below,
                                                const std::stop_token& stop)>;

  // The first of the directories is the project. Without `look`, paths count as they are written.
  PermissionGate(std::vector<std::string> directories, std::string policy_file,
                 Look look = nullptr);

  // Decides, if necessary by asking the user about the call as it is shown. Throws Cancelled if the
  // user cancels the turn.
  GateAnswer pass(const acp::ToolCall& call, const std::string& mode, const Asked& asked,
                  const std::stop_token& stop);
  // Returns once why the rules cannot be read.
  std::optional<std::string> take_problem() { return decisions_.take_problem(); }
  // A filter of paths that rules hide from the model when a tool of this kind lists or searches.
  workspace::PathFilter path_filter(v1::ToolKind kind);
  // The rule that forbids the model to read this, in words.
  std::optional<std::string> why_unreadable(const std::string& path);

 private:
  workspace::Question question_of(v1::ToolKind kind) const;
  workspace::Touched look(const std::string& path, bool with_below,
                          const std::stop_token& stop) const;
  // Whether paths and directory still resolve as they did before the user was asked.
  bool is_still(const workspace::Question& question, const Asked& asked,
                const std::stop_token& stop) const;
  GateAnswer ask(const acp::ToolCall& call, const workspace::Question& question,
                 const Asked& asked);

  const std::vector<std::string> directories_;
  const Look look_;
  workspace::Decisions decisions_;
  std::mutex asking_;
};

}  // namespace acp::coder
