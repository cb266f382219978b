// The process behind an agent: its stderr, its end, and ours.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "acp/agent_process.h"

namespace acp::detail {

namespace {
constexpr std::chrono::milliseconds kill_grace{1000};
}

void AgentProcess::start_watching() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  stop_read.reset(ends[0]);
  stop_write.reset(ends[1]);
  stderr_end = process.take_stderr();
  watcher = std::thread([this] { watch(); });
}

// Until the process has ended and its stderr with it, or we are told to stop.
void AgentProcess::watch() {
  bool reading = true, running = true;
  while (reading || running) {
    pollfd set[3] = {{stop_read.get(), POLLIN, 0},
                     {reading ? stderr_end.get() : -1, POLLIN, 0},
                     {running ? process.exit_descriptor() : -1, POLLIN, 0}};
    if (poll(set, 3, -1) < 0) continue;  // EINTR
    if (set[1].revents != 0) {
      char buffer[4096];
      const ssize_t size = read(stderr_end.get(), buffer, sizeof buffer);
      const bool over = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
      std::unique_lock lock(mutex);
      if (size > 0) tail.append({buffer, static_cast<std::size_t>(size)});
      if (over) {
        tail.finish();
        reading = false;
        stderr_ended = true;
        exited.notify_all();
      }
      const std::vector<std::string> lines = std::exchange(new_lines, {});
      lock.unlock();
      for (const std::string& line : lines) parts->stderr_hook(line);
    }
    if (set[2].revents != 0) {
      std::unique_lock lock(mutex);
      const bool known = exit.has_value();
      const auto status = process.poll_exit();
      if (!known) exit = status;
      if (process.tree_ended()) running = false;
      if (exit) exited.notify_all();
      lock.unlock();
      // What it has started may hold its stdout: nobody waits for that.
      if (!known && status) connection->end_when_dry("the agent " + status->describe());
    }
    if (set[0].revents != 0) return;
  }
}

void AgentProcess::close() {
  const std::lock_guard one_at_a_time(closing);
  if (std::exchange(closed, true)) return;
  if (connection) {
    connection->close();
    connection->wait_finished();
  }
  if (!process) return;
  {
    // Its input is closed: that should do. Then a signal, then another one.
    std::unique_lock lock(mutex);
    const auto ended = [&] { return exit.has_value(); };
    if (!exited.wait_for(lock, parts->exit_time, ended)) {
      process.terminate(kill_grace);
      exited.wait_for(lock, kill_grace * 2, ended);
    }
  }
  [[maybe_unused]] const ssize_t result = ::write(stop_write.get(), "", 1);
  if (watcher.joinable()) watcher.join();
  std::lock_guard lock(mutex);
  process.kill();
  if (!exit) {
    // The last word on how it ended.
    pollfd set{process.exit_descriptor(), POLLIN, 0};
    if (poll(&set, 1, 1000) > 0) exit = process.poll_exit();
  }
  process = io::Process();
}

}  // namespace acp::detail
