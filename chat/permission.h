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
#include "workspace/policy.h"

namespace acp::chat {

// What the agent wants, with everything that it has told of the tool call before.
struct PermissionQuestion {
  ToolCallState call;
  std::vector<PermissionOption> options;
  std::string agent;
  std::string cwd;
};

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

// What is asked, as rules see it.
workspace::Question as_question(const PermissionQuestion& question);
// What is to run, as the agent tells it: one text, or words. Empty if it does not tell.
std::string command_of(const ToolCallState& call);
// "execute `npm test`", "edit src/a.cc": on one line, safe to show.
std::string describe(const ToolCallState& call);

// For all threads.
class Permissions {
 public:
  enum class Kind { deny, allow, ask, rules };

  // WORD is deny, allow, ask, or a file with rules. Throws workspace::PolicyStoreError.
  static std::unique_ptr<Permissions> from(const std::string& word);

  explicit Permissions(Kind kind, std::vector<workspace::Policy::Placed> rules = {})
      : kind_(kind), rules_(std::move(rules)) {}

  PermissionAnswer answer(const PermissionQuestion& question, std::stop_token stop);

 private:
  PermissionAnswer ask(const PermissionQuestion& question, std::stop_token stop);

  const Kind kind_;
  const workspace::Policy rules_;
  std::mutex asking_;  // one question at a time
};

}  // namespace acp::chat
