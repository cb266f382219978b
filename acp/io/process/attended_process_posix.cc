#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "acp/io/delay.h"
#include "acp/io/process/attended_process.h"

namespace acp::io {

namespace {
constexpr std::chrono::milliseconds kill_grace{1000};

Delay::Clock::time_point from_now(Delay time) { return time.after(Delay::Clock::now()); }
}  // namespace

AttendedProcess::~AttendedProcess() { end(std::chrono::milliseconds(0)); }

void AttendedProcess::attend(Process process, Hooks hooks) {
  stop_.emplace();
  hooks_ = std::move(hooks);
  // The hook is the program's: it is called when the lock is gone.
  tail_ = TailBuffer(TailBuffer::default_limit, [this](std::string_view line) {
    if (hooks_.on_stderr) new_lines_.emplace_back(line);
  });
  stderr_end_ = process.take_stderr();
  id_ = process.id();
  process_ = std::move(process);
  watcher_ = std::thread([this] { watch(); });
}

std::optional<ExitStatus> AttendedProcess::exit_status() const {
  const std::lock_guard lock(mutex_);
  return exit_;
}

std::string AttendedProcess::stderr_tail() const {
  const std::lock_guard lock(mutex_);
  return tail_.text();
}

void AttendedProcess::wait_ended(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, from_now(time), [&] { return exit_ && stderr_ended_; });
}

bool AttendedProcess::wait_exit(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, from_now(time), [&] { return exit_.has_value(); });
}

bool AttendedProcess::wait_tree_ended(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, from_now(time), [&] { return tree_ended_; });
}

// Until the process has ended and its stderr with it, or we are told to stop.
void AttendedProcess::watch() {
  bool reading = true, running = true;
  while (reading || running) {
    pollfd set[3] = {{stop_->descriptor(), POLLIN, 0},
                     {reading ? stderr_end_.get() : -1, POLLIN, 0},
                     {running ? process_.exit_descriptor() : -1, POLLIN, 0}};
    if (poll(set, 3, -1) < 0) continue;  // EINTR
    if (set[1].revents != 0) {
      char buffer[4096];
      const ssize_t size = read(stderr_end_.get(), buffer, sizeof buffer);
      const bool over = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
      std::unique_lock lock(mutex_);
      if (size > 0) tail_.append({buffer, static_cast<std::size_t>(size)});
      if (over) {
        tail_.finish();
        reading = false;
        stderr_ended_ = true;
        changed_.notify_all();
      }
      const std::vector<std::string> lines = std::exchange(new_lines_, {});
      lock.unlock();
      for (const std::string& line : lines) hooks_.on_stderr(line);
    }
    if (set[2].revents != 0) {
      std::unique_lock lock(mutex_);
      const bool known = exit_.has_value();
      const auto status = process_.poll_exit();
      if (!known) exit_ = status;
      if (process_.tree_ended()) {
        running = false;
        tree_ended_ = true;
      }
      if (exit_) changed_.notify_all();
      lock.unlock();
      if (!known && status && hooks_.on_exit) hooks_.on_exit(*status);
    }
    if (set[0].revents != 0) return;
  }
}

void AttendedProcess::end(std::chrono::milliseconds time) {
  if (!process_) return;
  {
    std::unique_lock lock(mutex_);
    const auto ended = [&] { return exit_.has_value(); };
    if (!changed_.wait_until(lock, from_now(time), ended)) {
      process_.terminate(kill_grace);
      changed_.wait_for(lock, kill_grace * 2, ended);
    }
  }
  stop_->poke();
  if (watcher_.joinable()) watcher_.join();
  const std::lock_guard lock(mutex_);
  process_.kill();
  if (!exit_) {
    // The last word on how it ended.
    pollfd set{process_.exit_descriptor(), POLLIN, 0};
    if (poll(&set, 1, 1000) > 0) exit_ = process_.poll_exit();
  }
  process_ = Process();
}

}  // namespace acp::io
