// The threads of a connection.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace acp::io {

// Guarded by the connection's lock, which the threads take themselves.
class ThreadPool {
 public:
  ThreadPool() = default;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Perhaps on one of these threads itself.
  ~ThreadPool();

  // `main` calls leave() as its last step with the lock.
  void add(std::function<void()> main);
  void leave();
  std::size_t size() const { return size_; }
  // The threads that have left and are to be joined, without the lock.
  std::vector<std::thread> take_gone();

  // Threads that wait for something to do.
  std::size_t parked() const { return parked_; }
  // Until it is woken, or the time is over.
  void park(std::unique_lock<std::mutex>& lock, std::optional<std::chrono::milliseconds> time);
  void wake_one() { changed_.notify_one(); }
  void wake_all() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
  std::map<std::thread::id, std::thread> threads_;
  std::vector<std::thread> gone_;
  std::size_t size_ = 0;
  std::size_t parked_ = 0;
};

}  // namespace acp::io
