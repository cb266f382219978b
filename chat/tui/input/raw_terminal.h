// The terminal of this process. However the process ends, the terminal's settings are restored.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/io/process/process.h"
#include "acp/io/wake_pipe.h"

namespace acp::chat {

class RawTerminal {
 public:
  enum class How {
    keys,   // each key at once, nothing echoed; bracketed paste and focus are reported
    lines,  // as it is: a dumb terminal, or a pipe
  };

  // The mode that standard input and output allow.
  static How possible();
  // Whether somebody types, or the input is a file or a pipe.
  static bool typed();

  // Sets up the terminal; there is one in a process. Throws std::runtime_error.
  explicit RawTerminal(How how);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };
  Size size() const;

  struct Event {
    std::string input = {};
    bool ended = false;  // there will be no more input
    bool woken = false;
    bool resized = false;
    bool interrupted = false;  // SIGINT
    int end_signal = 0;        // SIGTERM, SIGHUP
  };
  // Waits until something happens, or wake() is called; -1 is for ever.
  Event wait(int milliseconds);
  // Wakes wait(), from any thread.
  void wake();

  // Writes all bytes. Throws std::runtime_error if the terminal is gone.
  void write(std::string_view bytes);

  // Restores the terminal for another program; enter() takes it back.
  void leave();
  void enter();
  // Stops this process, as Ctrl-Z does; returns when it goes on.
  void suspend();

 private:
  How how_;
  bool entered_ = false;
  bool input_ended_ = false;
  std::atomic<bool> woken_ = false;
  io::WakePipe wake_;  // also for the handlers of signals
};

// Runs a program in this terminal, and returns its exit code; -1 if it did not run, or was killed.
int run_in_terminal(const std::vector<std::string>& argv,
                    const std::vector<io::EnvironmentEdit>& environment, const std::string& cwd);

}  // namespace acp::chat
