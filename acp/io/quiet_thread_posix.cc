#include <signal.h>

#include <utility>

#include "acp/io/quiet_thread.h"

namespace acp::io {

namespace {

// A thread begins with the signal mask of the one that starts it.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::thread quiet_thread(std::function<void()> main) {
  const AllSignalsBlocked blocked;
  return std::thread(std::move(main));
}

void QuietThreads::add(std::function<void()> main) {
  {
    std::lock_guard lock(mutex_);
    ++running_;
  }
  try {
    quiet_thread([this, main = std::move(main)]() mutable {
      main();
      main = nullptr;  // before the count says that nothing is left
      ended();
    }).detach();
  } catch (...) {
    ended();
    throw;
  }
}

std::size_t QuietThreads::running() const {
  std::lock_guard lock(mutex_);
  return running_;
}

void QuietThreads::wait() {
  std::unique_lock lock(mutex_);
  none_left_.wait(lock, [this] { return running_ == 0; });
}

void QuietThreads::ended() {
  std::lock_guard lock(mutex_);
  --running_;
  none_left_.notify_all();
}

}  // namespace acp::io
