// Drives an agent through every requirement that an agent has.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"
#include "check/rules/report.h"

namespace acp::check {

struct AgentCheckOptions {
  std::vector<std::string> command;
  rpc::Framing framing = rpc::Framing::newline;
  // How long an answer may take, and the end of a process after its stdin was closed.
  std::chrono::milliseconds timeout{30'000};
  // The method to authenticate with before sessions are opened.
  std::optional<std::string> auth;
  // By kind: what a prompt says that shall make the agent do it. {cwd} is the session's folder,
  // {file} the name of a file in it that is not there yet.
  std::map<std::string, std::string> prompts;
  // A program with arguments that serves MCP on its stdio, and writes what it sees into the file
  // named by its last argument: see mcp_server.h.
  std::vector<std::string> mcp_server;
  // For watching: every frame, as it passes.
  bool print_frames = false;
};

// The kinds of prompts, with what they say by default.
const std::map<std::string, std::string>& default_prompts();

// Gives up (report.gave_up()) if no agent of the run answers initialize. Throws PeerNotStarted if
// the agent cannot be started at all. Deletes the sessions that it has made where the agent offers
// that.
void check_agent(const AgentCheckOptions& options, Report& report);

}  // namespace acp::check
