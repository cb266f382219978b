// Agents on other machines. Each is reached by a process of ours, 'acp connect', which survives a
// broken network; so it is started like any other agent.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "acp/client.h"
#include "chat/agents.h"

namespace acp::chat {

struct AgentAddress {
  std::string url;                      // or:
  std::string host = {};                // ssh starts it there
  std::vector<std::string> words = {};  // of acp connect: --token-file, --header, --ssh-option …
  std::vector<std::string> command = {};  // with a host; empty: acp agent
};

// Makes a remote agent. Its name is the URL without query and password, or "ssh HOST COMMAND". It
// is not offered files and terminals of this machine.
KnownAgent agent_elsewhere(const AgentAddress& remote);

// The directory of its sessions: the one it reports, else `agent.there`, else the same path as
// here.
std::string session_directory(const KnownAgent& agent, const AgentHandle& connected,
                              const std::string& here);
// The directory before it runs, to find the last session by.
std::string named_directory(const KnownAgent& agent, const std::string& here);

// Why it was not reached, in one sentence: the last message of 'acp connect'. Empty if that is not
// the reason.
std::string why_not_reached(const KnownAgent& agent, const StartFailed::Diagnosis& diagnosis);
// A hint for when it refuses a session. Empty if there is none.
std::string directory_advice(const KnownAgent& agent);

}  // namespace acp::chat
