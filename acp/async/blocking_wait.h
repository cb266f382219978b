// A thread that waits for a task.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "acp/async/completion.h"

namespace acp {

namespace async {
// The errors are the library's, above this folder: error.cc has these two.
[[noreturn]] void throw_cancelled();
[[noreturn]] void throw_timed_out(std::chrono::nanoseconds time);
}  // namespace async

// The executor of a thread that waits: runs what the wait depends on, and otherwise reads the
// connection itself, so that the answer does not have to cross threads.
class BlockingWait final : public Executor {
 public:
  void post(std::function<void()> function) override;
  // Runs what is posted until `done` says so. Throws TimedOut, Cancelled.
  void run(const std::function<bool()>& done, const async::WaitLimit& limit);
  // When the wait times out, if ever.
  std::optional<std::chrono::steady_clock::time_point> end() const { return end_; }

  void set_helper(const std::weak_ptr<async::Helper>& helper) { helper_ = helper; }
  bool has_work();
  // Wakes the waiting thread to look at its condition again.
  void wake() { post(nullptr); }
  // Sets what post() calls to wake a helper that sleeps elsewhere.
  void set_poke(std::function<void()> poke);
  // Sleeps until something is posted, or the time is over.
  void sleep();

  // The wait that this thread is in; null if it is in none.
  static BlockingWait* current();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> queue_;
  std::function<void()> poke_;
  std::weak_ptr<async::Helper> helper_;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

}  // namespace acp
