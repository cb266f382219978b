// Between a client from elsewhere and an agent of this machine: what the client may ask for.
#pragma once

#include <cstddef>

#include "acp/io/process/process.h"
#include "acp/io/transport.h"
#include "acp/log.h"
#include "gateway/roots.h"

namespace acp::gateway {

struct ServedAgentOptions {
  const Roots* roots = nullptr;
  io::ProcessOptions agent = {};
  // Clients may name MCP servers that are programs: they run here.
  bool client_mcp = false;
  // Sessions that one client may have opened.
  std::size_t max_sessions = 100;
  LogHook log = nullptr;
  std::function<void(std::string_view line)> on_stderr = nullptr;
};

// Starts the agent, and returns when the client or the agent has gone; the whole tree of its
// processes has by then. Throws StartFailed.
void serve_agent(Transport client, const ServedAgentOptions& options);

}  // namespace acp::gateway
