// The parts of a check of an agent that speaks version 2. Each part starts the agent afresh, or
// uses the shared connection of the run.
#pragma once

#include "check/agent/scenarios.h"
#include "check/agent/turn_version2.h"

namespace acp::check::version2 {

void check_start(AgentRun& run);
void check_sessions(AgentRun& run);
void check_turns(AgentRun& run);
void check_work(AgentRun& run);  // tool calls and terminals that can be cancelled
void check_options(AgentRun& run);
void check_permissions(AgentRun& run);
// A2-PERM-20, in a run of its own: the agent may keep the rule in its settings.
void check_standing_rule(AgentRun& run);
void check_cancel(AgentRun& run);
void check_mcp(AgentRun& run);
void check_last_turn(AgentRun& run);  // A-EXIT-3

// Two turns, one after the other, of which the second waits to be inserted: for session/cancel and
// session/close. Skips the id, and returns nothing, if the agent inserts or refuses it at once.
struct Held {
  Turn first, second;
};
std::optional<Held> hold_prompt(AgentClient& client, const std::string& session,
                                std::string_view id);
// Waits until the turn has reported something, or is over; not longer than five seconds.
void wait_reported(AgentClient& client, Turn& turn);

}  // namespace acp::check::version2
