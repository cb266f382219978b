// Threads for what blocks on the agent's own machine. Not the connection's: all of those may be
// taken by handlers that wait for just that.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace acp::detail {

class MachineThreads {
 public:
  MachineThreads() = default;
  MachineThreads(const MachineThreads&) = delete;
  MachineThreads& operator=(const MachineThreads&) = delete;
  ~MachineThreads() { stop(); }

  // Runs it soon, beside others; with a lock held or without. It must not throw. After stop() it is
  // dropped.
  void run(std::function<void()> job);
  // Returns when all that was asked for has been done. Not from a job.
  void stop();

 private:
  static constexpr std::size_t most = 8;

  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool over_ = false;
};

}  // namespace acp::detail
