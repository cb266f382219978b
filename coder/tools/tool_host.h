// What the tools of a turn work with: the session's files, commands, and reports to the user. It
// uses the client where that offers them, so that unsaved buffers count and the user sees a
// command's terminal; otherwise this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/workspace/decisions.h"
#include "acp/workspace/files/files.h"

namespace acp::coder {

struct CommandOutcome {
  std::string output;
  bool truncated = false;
  std::optional<std::uint32_t> exit_code = {};  // none if a signal ended it
  std::string signal = {};
  bool timed_out = false;
  bool lost = false;  // nobody knows how it ended: what watched over it was killed
};

struct CommandWanted {
  std::string command;  // a line for the shell
  std::string cwd;      // absolute, inside the session's directories
  std::uint64_t seconds = 0;
};

// Where the output of a running command is shown.
struct CommandProgress {
  std::function<void(const std::string& id)> on_terminal;  // in a terminal of the client's
  std::function<void(std::string_view output)> on_output;  // here: what is new
};

// Functions may be called from several threads at once. Paths are absolute, or relative to the
// session's working directory; all file functions stay inside the session's boundary and throw
// FileError. All throw Cancelled once the turn has been cancelled.
class ToolHost {
 public:
  virtual ~ToolHost() = default;

  // The files on disk: for directories, deleting, moving, searching.
  virtual const workspace::Files& files() const = 0;
  virtual std::string read_text(const std::string& path, std::optional<std::uint32_t> line = {},
                                std::optional<std::uint32_t> limit = {}) = 0;
  virtual void write_text(const std::string& path, const std::string& content) = 0;

  // Runs a command. Throws CommandFailed if it cannot be started.
  virtual CommandOutcome run(const CommandWanted& wanted, const CommandProgress& progress) = 0;

  virtual void show_plan(const std::vector<v1::PlanEntry>& entries) = 0;
  // One of the session's modes, as they are listed.
  virtual std::vector<std::string> modes() const = 0;
  virtual std::string mode() const = 0;
  virtual void switch_mode(const std::string& mode) = 0;

  // A filter of what rules hide from the model when a tool of this kind lists or searches. Empty:
  // nothing.
  virtual workspace::PathFilter path_filter(v1::ToolKind) { return {}; }

  // Masks known keys in a text. Call it before cutting: half a key would not be recognized.
  virtual void mask(std::string&) const {}

  virtual std::stop_token stop_token() const = 0;
};

}  // namespace acp::coder
