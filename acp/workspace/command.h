// A command that is run here: its output live and within limits, its whole tree gone at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/io/process/process.h"

namespace acp::workspace {

// What runs, and where.
struct CommandLine {
  // With arguments: looked for in PATH, and started as it is. Without: a line for the shell.
  std::string command;
  std::vector<std::string> args = {};
  std::string cwd;
  // Added to our environment.
  std::vector<io::EnvironmentEdit> environment = {};
};

// What it may use.
struct CommandLimits {
  // Then its tree is killed; nothing for no limit.
  std::optional<std::chrono::milliseconds> time = {};
  // The last bytes of the output that are kept.
  std::size_t output_bytes = 256 * 1024;
};

// How it ended, and what it printed.
struct CommandResult {
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

// What could not be started at all.
class CommandFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Blocks until the command has ended and all that it printed is there. What it leaves behind in the
// background ends with it. stdin is at its end; pagers, colours and prompts are switched off.
// `on_output` gets each piece of the text, on this thread.
CommandResult run_command(const CommandLine& line, const CommandLimits& limits,
                          const std::function<void(std::string_view)>& on_output = {},
                          std::stop_token stop = {});

}  // namespace acp::workspace
