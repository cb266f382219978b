#include "acp/role/agent/machine_threads.h"

#include <utility>

#include "acp/io/quiet_thread.h"

namespace acp::detail {

void MachineThreads::run(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (over_) return;
  jobs_.push_back(std::move(job));
  if (jobs_.size() > idle_ && threads_.size() < most)
    threads_.push_back(io::quiet_thread([this] { work(); }));
  changed_.notify_one();
}

void MachineThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return over_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) return;
    {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
}

void MachineThreads::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace acp::detail
