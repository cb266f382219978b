#include "gateway/log_writer.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "acp/io/quiet_thread.h"

namespace acp::gateway {

struct LogWriter::State {
  State(Write write, std::size_t max_waiting_bytes)
      : write(std::move(write)), max_waiting_bytes(max_waiting_bytes) {}

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ended || !waiting.empty(); });
      if (waiting.empty()) break;
      std::string text = std::exchange(waiting, {});
      if (const std::size_t count = std::exchange(dropped, 0); count > 0)
        text +=
            "(" + std::to_string(count) + " lines of the log are missing here: nobody read it)\n";
      lock.unlock();
      write(text);
      lock.lock();
    }
    finished = true;
    changed.notify_all();
  }

  const Write write;
  const std::size_t max_waiting_bytes;
  std::mutex mutex;
  std::condition_variable changed;
  std::string waiting;
  std::size_t dropped = 0;
  bool ended = false, finished = false;
};

LogWriter::LogWriter(Write write, std::size_t max_waiting_bytes,
                     std::chrono::milliseconds farewell_time)
    : state_(std::make_shared<State>(std::move(write), max_waiting_bytes)),
      farewell_time_(farewell_time) {
  io::quiet_thread([state = state_] { state->run(); }).detach();
}

LogWriter::~LogWriter() {
  std::unique_lock lock(state_->mutex);
  state_->ended = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, farewell_time_, [this] { return state_->finished; });
}

void LogWriter::add(std::string_view line) {
  const std::lock_guard lock(state_->mutex);
  // What comes after a gap belongs after the line that reports it.
  if (state_->dropped > 0 || state_->waiting.size() + line.size() > state_->max_waiting_bytes) {
    ++state_->dropped;
    return;
  }
  state_->waiting.append(line).push_back('\n');
  state_->changed.notify_all();
}

}  // namespace acp::gateway
