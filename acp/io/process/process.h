// A child process on three pipes, and with it everything that it starts: when the Process goes, or
// the program that holds it, the whole tree goes.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/io/descriptor.h"

namespace acp::io {

// Sets a variable, or removes it where there is no value.
struct EnvironmentEdit {
  std::string name;
  std::optional<std::string> value = {};
};

// What the child shares with its host's terminal.
enum class ProcessGroup {
  own_session,  // nothing: no Ctrl-C, no hang-up, no /dev/tty
  own_group,    // /dev/tty, but no Ctrl-C
  shared,       // both: Ctrl-C reaches it together with the host
};
// "own_session", "own_group", "shared"
constexpr const char* to_string(ProcessGroup value) {
  switch (value) {
    case ProcessGroup::own_session:
      return "own_session";
    case ProcessGroup::own_group:
      return "own_group";
    case ProcessGroup::shared:
      return "shared";
  }
  return "";
}

// How a process is started.
struct ProcessOptions {
  // A command without a slash is looked for in the PATH that the child will see, as a shell does. A
  // relative path starts at the child's cwd.
  std::vector<std::string> argv = {};
  // The child's working directory, which must exist; empty for ours.
  std::string cwd = {};
  // Applied in order to a copy of our environment. Nobody may change ours (setenv) meanwhile.
  std::vector<EnvironmentEdit> environment = {};
  ProcessGroup group = ProcessGroup::own_session;
  // Of stdin and stdout, in bytes, as far as the system allows; 0 leaves the system's size.
  std::size_t pipe_size = 1024 * 1024;
};

// How a process ended.
struct ExitStatus {
  // What ended it.
  enum class Kind {
    exited,  // value is the exit code
    killed,  // value is the signal
    lost,    // nobody knows: what watched over the process was killed
  };

  Kind kind = Kind::lost;
  int value = 0;

  // It exited with code 0.
  bool success() const { return kind == Kind::exited && value == 0; }
  // "exited with code 3", "killed by SIGKILL"
  std::string describe() const;
  // With the subject "agent": "the agent exited with code 3", "the agent was killed by SIGKILL".
  std::string describe(std::string_view subject) const;

  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};
// "exited", "killed", "lost"
constexpr const char* to_string(ExitStatus::Kind value) {
  switch (value) {
    case ExitStatus::Kind::exited:
      return "exited";
    case ExitStatus::Kind::killed:
      return "killed";
    case ExitStatus::Kind::lost:
      return "lost";
  }
  return "";
}

// Why a process did not start.
struct StartError {
  // What could not be done.
  enum class Phase {
    resolve,  // there is no such command, or it cannot be executed
    cwd,      // the working directory cannot be entered
    spawn,    // the system refused: descriptors, memory, processes, the size of the arguments
  };

  Phase phase = Phase::spawn;
  int code = 0;         // errno
  std::string reason;   // "gemini: command not found (No such file or directory)"
  std::string command;  // the command line, quoted for a shell

  // "resolve: gemini: command not found (No such file or directory); the command was: gemini --acp"
  std::string message() const;
};
// "resolve", "cwd", "spawn"
constexpr const char* to_string(StartError::Phase value) {
  switch (value) {
    case StartError::Phase::resolve:
      return "resolve";
    case StartError::Phase::cwd:
      return "cwd";
    case StartError::Phase::spawn:
      return "spawn";
  }
  return "";
}

// The words as one would type them to a POSIX shell; control characters and what is not UTF-8 as
// $'\033'.
std::string command_line(const std::vector<std::string>& argv);

class StartResult;

// Not for use by two threads at a time. Starts no threads, changes no signal disposition, and no
// SIGCHLD reaches the host. Between host and child stands a small process, "tree-supervisor", which
// adopts every orphan of the tree and outlives a host that is killed, just long enough to kill the
// tree. A child can kill it: see orphans.h for what is left then.
//
// Starting takes as long as a fork of the host: 0.4 ms, and some 20 ms for each gigabyte that it
// holds.
class Process {
 public:
  // Returns once the command runs in the child, or has failed to.
  static StartResult start(const ProcessOptions& options);

  // Holds no process.
  Process() noexcept;
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  // kill(), and returns when no process of the tree lives. Should the system not let one die (it
  // waits for a dead disk, or runs as another user), gives up after ten seconds; the supervisor
  // goes on. In a fork of the host it only closes descriptors.
  ~Process();

  explicit operator bool() const { return state_ != nullptr; }

  // The functions below are for a Process that holds one.

  // Our ends of the pipes: non-blocking, not inherited by other children. Taken, they are the
  // caller's to close; otherwise they are closed with the Process. Writing to a child that is gone
  // raises SIGPIPE: a thread that writes blocks it.
  Descriptor& child_stdin();
  Descriptor& child_stdout();
  Descriptor& child_stderr();
  Descriptor take_stdin() { return std::move(child_stdin()); }
  Descriptor take_stdout() { return std::move(child_stdout()); }
  Descriptor take_stderr() { return std::move(child_stderr()); }

  // Becomes readable when there is something for poll_exit() to find: the child has ended, and
  // later, the whole tree has. Once tree_ended(), it stays readable: stop watching.
  NativeDescriptor exit_descriptor() const;
  // How the child ended, once it has. Others of its tree may live on; they end with the Process.
  std::optional<ExitStatus> poll_exit();
  // No process of the tree is left. As of the last poll_exit().
  bool tree_ended() const;

  // SIGTERM to every process of the tree; SIGKILL to those left when the time of grace is over.
  // Returns at once. Called again, it can only shorten the grace.
  void terminate(std::chrono::milliseconds grace);
  // SIGKILL to every process of the tree. Returns at once.
  void kill();

  // The child's process id, and for diagnosis the supervisor's.
  int id() const;
  int supervisor_id() const;

 private:
  struct State;
  explicit Process(std::unique_ptr<State> state) noexcept;

  std::unique_ptr<State> state_;
};

// A process, or the reason why there is none.
class StartResult {
 public:
  StartResult(Process process) : process_(std::move(process)) {}
  StartResult(StartError error) : error_(std::move(error)) {}

  // There is a process.
  bool ok() const { return static_cast<bool>(process_); }
  explicit operator bool() const { return ok(); }
  // Only where ok().
  Process& operator*() { return process_; }
  Process* operator->() { return &process_; }
  // Only where not ok().
  const StartError& error() const { return error_; }

 private:
  Process process_;
  StartError error_;
};

}  // namespace acp::io
