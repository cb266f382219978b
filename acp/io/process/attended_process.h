// A child process that is looked after: its stderr is read, and its end is noticed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "acp/io/process/process.h"
#include "acp/io/process/tail_buffer.h"
#include "acp/io/wake_pipe.h"

namespace acp::io {

class AttendedProcess {
 public:
  // Called on a thread that belongs to the process, without a lock. They must not end it.
  struct Hooks {
    std::function<void(std::string_view line)> on_stderr = nullptr;
    std::function<void(const ExitStatus&)> on_exit = nullptr;
  };

  // Holds no process.
  AttendedProcess() = default;
  AttendedProcess(const AttendedProcess&) = delete;
  AttendedProcess& operator=(const AttendedProcess&) = delete;
  // end(), without time to end by itself.
  ~AttendedProcess();

  // Once. Its stdin and stdout have been taken.
  void attend(Process process, Hooks hooks);
  bool attending() const { return id_ != 0; }

  // How the process ended, once it has; its last lines on stderr; its id, 0 if there is none.
  std::optional<ExitStatus> exit_status() const;
  std::string stderr_tail() const;
  int id() const { return id_; }
  // Waits until the process and its stderr have ended, or the time is over.
  void wait_ended(std::chrono::milliseconds time) const;
  // Waits until the process has ended, even if another one holds its stderr; or until all that it
  // started has ended, too. Returns false if the time was over first.
  bool wait_exit(std::chrono::milliseconds time) const;
  bool wait_tree_ended(std::chrono::milliseconds time) const;

  // Ends the process, whose stdin has been closed: it has this long to end by itself, then come
  // signals. All that it started ends with it.
  void end(std::chrono::milliseconds time);

 private:
  void watch();

  Hooks hooks_;
  int id_ = 0;
  Descriptor stderr_end_;
  std::optional<WakePipe> stop_;  // once it has begun
  std::thread watcher_;

  mutable std::mutex mutex_;  // of what follows
  mutable std::condition_variable changed_;
  Process process_;
  TailBuffer tail_;
  std::vector<std::string> new_lines_;  // that the hook has not seen
  std::optional<ExitStatus> exit_;
  bool stderr_ended_ = false;
  bool tree_ended_ = false;
};

}  // namespace acp::io
