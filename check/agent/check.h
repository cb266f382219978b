// Checks an agent against every requirement of agents.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"
#include "check/rules/report.h"

namespace acp::check {

struct AgentCheckOptions {
  std::vector<std::string> command;
  // The command is a way to a server, which lets nothing in before initialize.
  bool over_network = false;
  // The agent does not run in the environment that it is started with: it has another HOME.
  bool elsewhere = false;
  rpc::Framing framing = rpc::Framing::newline;
  int protocol = 1;  // the version of the protocol to speak with it
  // For the files of the run, removed after it; empty: a new one.
  std::string directory = {};
  // Limit for an answer, and for the end of a process after its stdin was closed.
  std::chrono::milliseconds timeout{30'000};
  // The method to authenticate with before sessions are opened.
  std::optional<std::string> auth;
  // By kind: the text of a prompt that makes the agent do it. {cwd} is the session's folder, {file}
  // the name of a new file in it.
  std::map<std::string, std::string> prompts;
  // A program with arguments that serves MCP on its stdio, and writes what it sees into the file
  // named by its last argument: see mcp_server.h.
  std::vector<std::string> mcp_server;
  // Called before each part of a run, with its areas ("A-INIT, A-AUTH") and how many follow it.
  std::function<void(const std::string& areas, std::size_t left)> on_part = {};
  // For watching: every frame, as it passes.
  bool print_frames = false;
};

// The kinds of prompts, with what they say by default.
const std::map<std::string, std::string>& default_prompts();

// Checks an agent. Gives up (report.gave_up()) if no agent of the run answers initialize. Throws
// PeerNotStarted if the agent cannot be started at all. Deletes the sessions that it has made where
// the agent offers that.
void check_agent(const AgentCheckOptions& options, Report& report);

}  // namespace acp::check
