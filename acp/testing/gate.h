// Waiting for one another in tests, with an end to it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acp/testing/raw_end.h"

namespace acp::testing {

// Closed until somebody opens it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // False, and a test failure, when patience is over.
  bool wait(const char* what) {
    std::unique_lock lock(mutex_);
    const bool opened =
        changed_.wait_for(lock, std::chrono::milliseconds(patience), [&] { return open_; });
    EXPECT_TRUE(opened) << "waited in vain: " << what;
    return opened;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// What happened, in order.
class Events {
 public:
  void add(std::string what) {
    const std::lock_guard lock(mutex_);
    list_.push_back(std::move(what));
  }
  std::vector<std::string> list() const {
    const std::lock_guard lock(mutex_);
    return list_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> list_;
};

// The other side's part, on a thread of its own.
class Script {
 public:
  Script(Transport transport, std::function<void(RawEnd&)> play)
      : end_(std::move(transport)), thread_([this, play = std::move(play)] { play(end_); }) {}
  ~Script() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  RawEnd& end() { return end_; }

 private:
  RawEnd end_;
  std::thread thread_;
};

}  // namespace acp::testing
