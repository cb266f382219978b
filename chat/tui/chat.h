// A conversation with an agent, for a person at a terminal: `acp chat`.
#pragma once

#include <string>
#include <vector>

#include "acp/client.h"
#include "chat/agents.h"
#include "chat/choices.h"

namespace acp::chat {

struct ChatOptions {
  KnownAgent agent;
  std::string cwd;              // absolute
  std::string session;          // an id, or "last"; empty: a new one
  bool choose_session = false;  // the person chooses one at the start
  std::string prompt;           // to begin with; empty: none
  RunChoices choices;
  std::vector<std::string> key_providers = {};  // for which the built-in agent stores keys
  std::string policy_file;                      // rules; empty: none are kept
  std::vector<v1::McpServer> servers;
  // For the terminals that the agent opens.
  std::vector<io::EnvironmentEdit> command_environment = {};
  std::string notify = "bell";  // how a person that is away is called: bell, osc9, both, none
  rpc::Framing framing = rpc::Framing::newline;
  std::vector<int> versions = {1};  // of the protocol
  std::string version;
  std::string typed = "acp chat";  // the command line without the agent, for advice
};

// Runs a chat; blocks until the person leaves, and returns the exit code: 0; 1 if a request could
// not be fulfilled; 3 if the agent cannot be started, or was lost; 128 + N after signal N.
int chat(const ChatOptions& options);

}  // namespace acp::chat
