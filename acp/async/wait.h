// Waiting for a task on a thread that may block: a program without coroutines, a plain handler.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "acp/async/completion.h"
#include "acp/async/spawn.h"
#include "acp/async/task.h"

namespace acp {

// A thread that waits: what it waits for goes on here, and while there is nothing to run it reads
// the connection itself, so that its own answer does not have to cross threads.
class BlockingWait final : public Executor {
 public:
  void post(std::function<void()> function) override;
  // Runs what is posted until `done` says so.
  void run(const std::function<bool()>& done);

  void set_helper(const std::weak_ptr<async::Helper>& helper) { helper_ = helper; }
  bool has_work();
  // Something has changed that the waiting thread will see by itself.
  void wake() { post(nullptr); }
  // While a helper sleeps elsewhere than here, post() wakes it by this.
  void set_poke(std::function<void()> poke);
  void sleep();

  // The one that this thread is in; null if it is in none.
  static BlockingWait* current();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> queue_;
  std::function<void()> poke_;
  std::weak_ptr<async::Helper> helper_;
};

// Runs the task here and blocks until it has ended. On an executor's own thread that would stop all
// others: there it throws std::logic_error.
template <class T>
T wait(Task<T> task) {
  const auto here = std::make_shared<BlockingWait>();
  std::optional<Running<T>> running;
  here->post([&] { running.emplace(std::move(task)); });
  here->run([&] { return running && running->done(); });
  return running->take();
}

template <class T>
T Task<T>::wait() && {
  return acp::wait(std::move(*this));
}

template <class T>
T Pending<T>::wait() && {
  const auto completion = std::exchange(completion_, nullptr);
  completion->block();
  return completion->take();
}

}  // namespace acp
