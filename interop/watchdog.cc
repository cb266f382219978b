// A test that does not come to its end says so, and ends the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "interop/testing/inbox.h"

namespace {

class Watchdog : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    over_ = false;
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    thread_ = std::thread([this, name] {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, 2 * interop::patience, [&] { return over_; })) return;
      std::fprintf(stderr, "%s did not come to its end\n", name.c_str());
      ::_exit(1);
    });
  }
  void OnTestEnd(const testing::TestInfo&) override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);
  return RUN_ALL_TESTS();
}
