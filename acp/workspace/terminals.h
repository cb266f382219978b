// Commands in terminals of their own, as a client offers them to its agent.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "acp/async/completion.h"
#include "acp/async/wait.h"
#include "acp/error.h"
#include "acp/io/process/process.h"
#include "acp/workspace/command.h"

namespace acp::workspace {

// No terminal has this id, or it was released.
class UnknownTerminal : public LocalFailure {
 public:
  explicit UnknownTerminal(const std::string& id) : LocalFailure("no terminal " + id) {}
};

// May be used by several threads. The commands run in pseudo-terminals, so that they print as they
// do for people, but without a keyboard: their input is at its end.
class Terminals {
 public:
  static constexpr std::size_t default_output_bytes = 1024 * 1024;
  static constexpr std::size_t most_output_bytes = 64 * 1024 * 1024;
  // The size of each terminal, in characters.
  static constexpr int columns = 80, rows = 24;

  // What a command has printed, and how it ended.
  struct Output {
    std::string text;  // the last of it
    bool truncated = false;
    std::optional<io::ExitStatus> exit;  // once the command has ended and all it printed is here
  };
  // Pieces of the output as they come, on the terminals' own thread.
  using OnOutput = std::function<void(const std::string& id, std::string_view text)>;

  // Called when a command has ended; or, without a status, when its terminal was released. On the
  // terminals' own thread, or on the one that releases.
  using OnEnd = std::function<void(const std::string& id, const std::optional<io::ExitStatus>&)>;

  explicit Terminals(OnOutput on_output = {}, OnEnd on_end = {});
  Terminals(const Terminals&) = delete;
  Terminals& operator=(const Terminals&) = delete;
  // Releases all.
  ~Terminals();

  // Starts a command, and returns the id of its terminal, which is never used again; or gives it
  // this one, which no other has. `owner` is for release_all(). Throws CommandFailed.
  std::string create(const CommandLine& line, const std::string& owner,
                     std::optional<std::size_t> output_bytes = {}, std::string id = {});

  // These throw UnknownTerminal, also after a release.
  std::string owner(const std::string& id) const;
  Output output(const std::string& id) const;
  // Waits for the command's end; any number may wait. If the terminal is released first, the status
  // is that of a killed command.
  Task<io::ExitStatus> wait(const std::string& id);
  // Kills the whole process tree. Output and exit status can still be read.
  void kill(const std::string& id);
  // Releases a terminal. Returns when no process of it is left.
  void release(const std::string& id);
  void release_all(const std::string& owner);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace acp::workspace
