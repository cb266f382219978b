#include "acp/io/timers.h"

#include <gtest/gtest.h>

#include <string>

#include "acp/io/testing/fake_clock.h"

namespace acp::io {
namespace {

using namespace std::chrono_literals;
using testing::FakeClock;

struct TimersTest : ::testing::Test {
  Timers::Id note(std::chrono::nanoseconds time, char letter) {
    return timers.after(time, [this, letter] { ran += letter; });
  }
  std::string fired() {
    timers.fire();
    return ran;
  }

  FakeClock clock;
  Timers timers{&FakeClock::now};
  std::string ran;
};

TEST_F(TimersTest, RunInTheOrderOfTheirTimes) {
  EXPECT_FALSE(timers.next());
  note(30ms, 'c');
  note(10ms, 'a');
  note(10ms, 'b');
  EXPECT_EQ(timers.next(), 10ms);
  FakeClock::pass(9ms);
  EXPECT_EQ(fired(), "");
  EXPECT_EQ(timers.next(), 1ms);
  FakeClock::pass(1ms);
  EXPECT_EQ(timers.next(), 0ms);
  EXPECT_EQ(fired(), "ab");
  FakeClock::pass(1h);
  EXPECT_EQ(timers.next(), 0ms);
  EXPECT_EQ(fired(), "abc");
  EXPECT_FALSE(timers.next());
}

// Durations that have more nanoseconds than there are, and times that the clock does not reach.
TEST_F(TimersTest, NoTimeIsTooLong) {
  timers.after(std::chrono::milliseconds::max(), [this] { ran += 'x'; });
  timers.after(std::chrono::hours::max(), [this] { ran += 'y'; });
  note(std::chrono::nanoseconds::max(), 'z');
  timers.after(std::chrono::milliseconds::min(), [this] { ran += 'a'; });
  EXPECT_EQ(timers.next(), 0ms);
  EXPECT_EQ(fired(), "a");
  FakeClock::pass(24h);
  EXPECT_EQ(fired(), "a");
  EXPECT_GT(timers.next(), 24h);
}

TEST_F(TimersTest, WhatIsForgottenDoesNotRun) {
  const Timers::Id first = note(1ms, 'a');
  note(1ms, 'b');
  timers.forget(first);
  timers.forget(first);
  timers.forget(99);
  FakeClock::pass(1ms);
  EXPECT_EQ(fired(), "b");
  note(1ms, 'c');
  timers.clear();
  FakeClock::pass(1ms);
  EXPECT_EQ(fired(), "b");
}

TEST_F(TimersTest, AnActionMayAddAndForgetOthers) {
  const Timers::Id later = note(2ms, 'x');
  timers.after(1ms, [&] {
    note(0ms, 'n');  // due at once
    note(5ms, 'l');
    timers.forget(later);
  });
  FakeClock::pass(3ms);
  EXPECT_EQ(fired(), "n");
  FakeClock::pass(5ms);
  EXPECT_EQ(fired(), "nl");
}

}  // namespace
}  // namespace acp::io
