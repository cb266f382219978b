// Capabilities in both versions. Version 1 has flags and markers, version 2 only markers, and
// fewer: what belongs to its baseline has none.
//
// Where the versions differ:
// - An agent of version 2 with sessions always lists, resumes, replays (loads) and closes them, and
//   takes MCP servers over stdio where it says so; version 1 servers over stdio are baseline. MCP
//   over SSE is version 1's alone. What an agent of version 1 has not (list, resume, load) cannot
//   be said in version 2.
// - In version 1 every agent has sessions.
// - Logging out is version 2's baseline for an agent with authentication methods.
// - A client of version 2 takes notices, compactions, plans, boolean options and subagents by
//   nature, and has no files and no terminals for the agent.
// - Markers of either version alone, with their `_meta`, are lost.
#pragma once

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

v2::AgentCapabilities to_v2(v1::AgentCapabilities capabilities);
// `can_log_out`: the agent has authentication methods.
v1::AgentCapabilities to_v1(v2::AgentCapabilities capabilities, bool can_log_out);

v2::ClientCapabilities to_v2(v1::ClientCapabilities capabilities);
v1::ClientCapabilities to_v1(v2::ClientCapabilities capabilities);

}  // namespace acp::detail::versions
