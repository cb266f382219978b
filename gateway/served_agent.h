// Between a remote client and an agent of this machine.
#pragma once

#include <functional>
#include <string_view>

#include "acp/io/process/process.h"
#include "acp/io/transport.h"
#include "acp/log.h"
#include "gateway/client_sessions.h"

namespace acp::gateway {

struct ServedAgentOptions {
  SessionLimits sessions = {};
  io::ProcessOptions agent = {};
  LogHook log = nullptr;
  std::function<void(std::string_view line)> on_stderr = nullptr;
};

// Starts the agent, and returns when the client or the agent has gone; its whole process tree has
// ended then. Returns the agent's exit code, or 0. Throws StartFailed.
int serve_agent(Transport client, const ServedAgentOptions& options);

}  // namespace acp::gateway
