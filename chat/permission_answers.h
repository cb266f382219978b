// The answers to a permission question that a person is offered: the same few, whatever the agent
// calls its options. No I/O.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "chat/choice.h"

namespace acp::chat {

struct PermissionAnswerChoice {
  enum class Kind {
    option,      // of the agent, as it is
    session,     // allow, and a rule of ours for this session
    project,     // allow, and a rule of ours for this project
    reject_why,  // reject; the person says why
    others,      // show all of the agent's own
    back,        // and the first answers again
  };
  Kind kind = Kind::option;
  // The option sent to the agent; none: the question is answered `cancelled`.
  std::optional<v1::PermissionOption> option = {};
  bool allow = false;
  Choice choice = {};
};

// Makes the answers. `session` and `project` describe the scope of a rule of ours; nothing if the
// question does not say enough for one. Then the agent's own "always" takes their place.
std::vector<PermissionAnswerChoice> permission_answers(
    const std::vector<v1::PermissionOption>& options, const std::optional<std::string>& session,
    const std::optional<std::string>& project, const std::string& agent);

// All options of the agent, each with its effect; the last answer goes back.
std::vector<PermissionAnswerChoice> agents_answers(
    const std::vector<v1::PermissionOption>& options);

}  // namespace acp::chat
