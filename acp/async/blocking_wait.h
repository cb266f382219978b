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

// A thread that waits: what it waits for goes on here, and while there is nothing to run it reads
// the connection itself, so that its own answer does not have to cross threads.
class BlockingWait final : public Executor {
 public:
  void post(std::function<void()> function) override;
  // Runs what is posted until `done` says so. Throws TimedOut, Cancelled.
  void run(const std::function<bool()>& done, const async::WaitLimit& limit);
  // When it gives up, if ever.
  std::optional<std::chrono::steady_clock::time_point> end() const { return end_; }

  void set_helper(const std::weak_ptr<async::Helper>& helper) { helper_ = helper; }
  bool has_work();
  // Something has changed that the waiting thread will see by itself.
  void wake() { post(nullptr); }
  // While a helper sleeps elsewhere than here, post() wakes it by this.
  void set_poke(std::function<void()> poke);
  // Until something is posted, or the time is over.
  void sleep();

  // The one that this thread is in; null if it is in none.
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
