// The requirements, by who tests them. Each list stands in a file of its own.
#pragma once

#include <span>

#include "check/rules/requirement.h"

namespace acp::check {

// Seen by looking on: check/rules/rules.h. Of both sides.
std::span<const Requirement> wire_requirements();
// Tested by driving the peer.
std::span<const Requirement> agent_requirements();
std::span<const Requirement> client_requirements();
// Tested by speaking HTTP and WebSocket to a server that offers an agent.
std::span<const Requirement> transport_requirements();

}  // namespace acp::check
