#include "acp/io/thread_pool.h"

#include <utility>

namespace acp::io {

ThreadPool::~ThreadPool() {
  for (auto& [id, thread] : threads_) thread.detach();
  for (std::thread& thread : gone_) thread.detach();
}

void ThreadPool::add(std::function<void()> main) {
  for (std::thread& thread : take_gone()) thread.join();  // at its very end
  std::thread thread(std::move(main));                    // throws if there can be no more
  threads_.emplace(thread.get_id(), std::move(thread));
  ++size_;
}

void ThreadPool::leave() {
  --size_;
  const auto self = threads_.find(std::this_thread::get_id());
  gone_.push_back(std::move(self->second));
  threads_.erase(self);
  wake_all();
}

std::vector<std::thread> ThreadPool::take_gone() { return std::exchange(gone_, {}); }

void ThreadPool::park(std::unique_lock<std::mutex>& lock,
                      std::optional<std::chrono::milliseconds> time) {
  ++parked_;
  if (time)
    changed_.wait_for(lock, *time);
  else
    changed_.wait(lock);
  --parked_;
}

}  // namespace acp::io
