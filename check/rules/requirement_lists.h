// The requirements, by who tests them. Each list is in a file of its own.
#pragma once

#include <span>

#include "check/rules/requirement.h"

namespace acp::check {

// Requirements of both sides that are checked on the wire: check/rules/rules.h.
std::span<const Requirement> wire_requirements();
// Tested by driving the peer.
std::span<const Requirement> agent_requirements();
std::span<const Requirement> client_requirements();
// Tested by speaking HTTP and WebSocket to a server that offers an agent.
std::span<const Requirement> transport_requirements();

// The same for version 2: what differs there.
std::span<const Requirement> wire_requirements_2();
std::span<const Requirement> agent_requirements_2();
std::span<const Requirement> client_requirements_2();

}  // namespace acp::check
