// An agent of ours, and a client's raw end.
#pragma once

#include <utility>

#include "acp/agent.h"
#include "acp/testing/raw_end.h"

namespace acp::testing {

struct Served {
  explicit Served(Agent& agent) : Served(agent, memory_pair()) {}
  explicit Served(Agent&& agent) : Served(agent) {}
  Served(Agent& agent, std::pair<Transport, Transport> ends)
      : raw(std::move(ends.first)), connection(agent.start(std::move(ends.second))) {}
  RawEnd raw;
  AgentConnection connection;
};

// Ends each turn at once.
inline Agent silent_agent() {
  Agent agent("test", "1");
  agent.on_prompt([](Turn) -> Task<StopReason> { co_return StopReason::end_turn; });
  return agent;
}

}  // namespace acp::testing
