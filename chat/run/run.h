// One turn of any agent, without a conversation: `acp run`.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/client.h"
#include "chat/agents.h"
#include "chat/choices.h"
#include "chat/permission.h"
#include "chat/run/events.h"

namespace acp::chat {

// The exit codes of a run. Documented in docs/run.md: never change one.
namespace exit_code {
inline constexpr int done = 0;
inline constexpr int failed = 1;             // the agent answered with an error
inline constexpr int bad_usage = 2;          // also: no such mode, option, agent
inline constexpr int no_agent = 3;           // it cannot be started, or the connection was lost
inline constexpr int permission_needed = 4;  // and nobody decided: it was denied
inline constexpr int cut_off = 5;            // max_tokens, max_turn_requests
inline constexpr int refusal = 6;
inline constexpr int login_needed = 7;
inline constexpr int no_session = 8;  // the one that was named cannot be resumed
inline constexpr int no_model = 9;    // none is configured, and none was chosen
inline constexpr int timed_out = 124;
inline constexpr int cancelled = 130;  // by SIGINT, or by the agent
inline constexpr int signalled = 128;  // and the signal's number
}  // namespace exit_code

struct RunOptions {
  KnownAgent agent;
  std::vector<ContentBlock> prompt;
  std::string cwd;      // absolute
  std::string session;  // an id, or "last"; empty: a new one
  RunChoices choices;
  std::string auth;  // the method, should a login be wanted
  std::vector<v1::McpServer> servers;
  // For the terminals that the agent opens.
  std::vector<io::EnvironmentEdit> command_environment = {};
  std::optional<std::chrono::milliseconds> time;
  // Time for a cancelled turn to end, before the agent is ended.
  std::chrono::milliseconds grace = std::chrono::seconds(10);
  rpc::Framing framing = rpc::Framing::newline;
  std::vector<int> versions = {1};  // of the protocol
  std::shared_ptr<Permissions> permissions;
  std::string version;            // of this program
  std::string typed = "acp run";  // the command line without the agent, for advice
  // The signal that set the `interrupt` of run(); without it SIGINT.
  std::function<int()> signal = {};
};

// Runs a turn; blocks until it is over, and returns the exit code. `interrupt` cancels the turn.
int run(const RunOptions& options, std::unique_ptr<RunPrinter> printer, std::stop_token interrupt);

}  // namespace acp::chat
