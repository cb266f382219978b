// A tool call in words.
#pragma once

#include <string>

#include "acp/session_state.h"

namespace acp::chat {

// What is to run, as the agent tells it: one text, or words. Empty if it does not tell.
std::string command_of(const ToolCallState& call);
// Where it is to run, as the agent tells it. Empty if it does not tell.
std::string directory_said(const ToolCallState& call);
// "execute `npm test`", "edit src/a.cc": on one line, safe to show.
std::string describe(const ToolCallState& call);

}  // namespace acp::chat
