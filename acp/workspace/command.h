// Runs a command here: its output live and within limits, its whole process tree ended at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/error.h"
#include "acp/io/process/process.h"

namespace acp::workspace {

// A command, and where it runs.
struct CommandLine {
  // With arguments: looked for in PATH, and started as it is. Without: a line for the shell.
  std::string command;
  std::vector<std::string> args = {};
  std::string cwd;
  // Added to our environment.
  std::vector<io::EnvironmentEdit> environment = {};
};

// The limits of a command.
struct CommandLimits {
  // Time after which its process tree is killed; nothing for no limit.
  std::optional<std::chrono::milliseconds> time = {};
  // The last bytes of the output that are kept.
  std::size_t output_bytes = 256 * 1024;
};

// How a command ended, and what it printed.
struct CommandOutcome {
  std::string output;  // stdout and stderr as they came, as UTF-8
  bool truncated = false;
  std::size_t total_bytes = 0;
  io::ExitStatus exit;
  bool timed_out = false;
  bool stopped = false;  // by the token
};

// Edits that switch pagers, colours and prompts off; `more` comes after them, and may switch them
// on again.
std::vector<io::EnvironmentEdit> without_prompts(const std::vector<io::EnvironmentEdit>& more);

// Thrown for a command that could not be started at all.
class CommandFailed : public LocalFailure {
 public:
  using LocalFailure::LocalFailure;
};

// Runs a command; blocks until it has ended and all its output is there. Processes that it leaves
// in the background are ended, too. stdin is at its end; pagers, colours and prompts are switched
// off. `on_output` gets each piece of the text, on this thread.
CommandOutcome run_command(const CommandLine& line, const CommandLimits& limits,
                           const std::function<void(std::string_view)>& on_output = {},
                           std::stop_token stop = {});

}  // namespace acp::workspace
