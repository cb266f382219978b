#include "acp/io/quiet_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <system_error>

namespace acp::io {
namespace {

// While it lives, no thread can start: the system has no room for its stack.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_getattr_default_np(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 60);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

bool is_blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

TEST(QuietThread, TakesNoSignalAndItsCallerDoes) {
  bool blocked = false;
  quiet_thread([&] { blocked = is_blocked(SIGTERM); }).join();
  EXPECT_TRUE(blocked);
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(QuietThread, OneThatCannotStartLeavesTheSignalsAlone) {
  const NoThreads none;
  EXPECT_THROW(quiet_thread([] {}), std::system_error);
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(QuietThreads, OneThatCannotStartIsNotWaitedFor) {
  QuietThreads threads;
  {
    const NoThreads none;
    EXPECT_THROW(threads.add([] {}), std::system_error);
  }
  EXPECT_EQ(threads.running(), 0u);
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i) threads.add([&] { ++done; });
  threads.wait();
  EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace acp::io
