// A clock that stands still until a test moves it.
#pragma once

#include <chrono>

#include "acp/io/timers.h"

namespace acp::io::testing {

class FakeClock {
 public:
  FakeClock() { time_ = Timers::Clock::time_point(std::chrono::hours(1)); }
  static Timers::Clock::time_point now() { return time_; }
  static void pass(std::chrono::nanoseconds time) { time_ += time; }

 private:
  static inline Timers::Clock::time_point time_;
};

}  // namespace acp::io::testing
