#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace acp::io {

// A thread that takes no signal: those are the program's business. Throws std::system_error.
std::thread quiet_thread(std::function<void()> main);

// Such threads, which nobody joins one by one.
class QuietThreads {
 public:
  // wait()
  ~QuietThreads() { wait(); }
  // Starts one. Throws std::system_error; then it does not count.
  void add(std::function<void()> main);
  // How many have not ended.
  std::size_t running() const;
  // Blocks until none is left.
  void wait();

 private:
  void ended();
  mutable std::mutex mutex_;
  std::condition_variable none_left_;
  std::size_t running_ = 0;
};

}  // namespace acp::io
