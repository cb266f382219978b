// The parts of a check of an agent. Each part starts the agent afresh.
#pragma once

#include "check/agent/client.h"

namespace acp::check {

void check_start(AgentRun& run);
void check_sessions(AgentRun& run);
void check_turns(AgentRun& run);
void check_options(AgentRun& run);
void check_permissions(AgentRun& run);
// A-PERM-21, in a run of its own: the agent may keep the rule in its settings.
void check_standing_rule(AgentRun& run);
void check_cancel(AgentRun& run);
void check_bare_client(AgentRun& run);
void check_input(AgentRun& run);
void check_ids(AgentRun& run);
void check_mcp(AgentRun& run);

// Opens a connection and a session on it. If that fails, skips the ids and returns nothing.
std::optional<std::string> open_session(AgentClient& client,
                                        std::initializer_list<std::string_view> ids);
void skip_all(AgentRun& run, std::initializer_list<std::string_view> ids, const std::string& why);
// The stop reason of a prompt's answer; empty if there is none.
std::string stop_reason(const Reply& reply);

}  // namespace acp::check
