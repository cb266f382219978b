// Agents on other machines. Each is reached by a process of ours, 'acp connect', which goes on when
// the network breaks; so it is started like any other agent.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "acp/client.h"
#include "chat/agents.h"

namespace acp::chat {

struct RemoteAgent {
  std::string url;                      // or:
  std::string host = {};                // ssh starts it there
  std::vector<std::string> words = {};  // of acp connect: --token-file, --header, --ssh-option …
  std::vector<std::string> command = {};  // with a host; empty: acp agent
};

// Its name is the URL without query and password, or "ssh HOST COMMAND". It is offered nothing of
// this machine: neither files nor terminals.
KnownAgent agent_elsewhere(const RemoteAgent& remote);

// Where its sessions work: what it says itself, else `agent.there`, else the same path as here.
std::string session_directory(const KnownAgent& agent, const AgentHandle& connected,
                              const std::string& here);
// The same before it runs, to find the last session by.
std::string named_directory(const KnownAgent& agent, const std::string& here);

// Why it was not reached, in one sentence: what 'acp connect' said last. Empty if that is not the
// reason.
std::string why_not_reached(const KnownAgent& agent, const StartFailed::Diagnosis& diagnosis);
// What may help when it refuses a session. Empty if there is no idea.
std::string directory_advice(const KnownAgent& agent);

}  // namespace acp::chat
