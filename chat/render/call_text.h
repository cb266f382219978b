// Describes a tool call in words.
#pragma once

#include <string>

#include "acp/session_state.h"

namespace acp::chat {

// The command as the agent reports it: one text, or words. Empty if it does not.
std::string command_of(const ToolCallState& call);
// The command's directory as the agent reports it. Empty if it does not.
std::string directory_said(const ToolCallState& call);
// How the command ended if it did not succeed, as the agent reports it: "exit 3", "killed by 9".
// Empty if it succeeded, or nothing is said.
std::string failed_exit_said(const ToolCallState& call);
// "execute `npm test`", "edit src/a.cc": on one line, safe to show.
std::string describe(const ToolCallState& call);

}  // namespace acp::chat
