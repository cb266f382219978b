// Waiting for tasks: in plain functions, with limits, and for several at once.
#include "acp/async/wait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acp/async/promise.h"
#include "acp/async/when_all.h"
#include "acp/error.h"

namespace acp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

Task<int> number(int value) { co_return value; }
Task<int> plus_one(Promise<int> promise) { co_return 1 + co_await promise.task(); }
// Sets the flag when it is destroyed, be it before its end.
Task<int> noting(Promise<int> promise, std::shared_ptr<bool> destroyed) {
  struct Note {
    std::shared_ptr<bool> destroyed;
    ~Note() { *destroyed = true; }
  };
  const Note note{destroyed};
  co_return co_await promise.task();
}
Task<int> failing() {
  throw std::runtime_error("no");
  co_return 0;
}

TEST(Wait, GivesTheValue) {
  EXPECT_EQ(number(5).wait(), 5);
  EXPECT_EQ(number(5).wait_for(milliseconds(0)), 5);
  EXPECT_EQ(number(5).wait_for(std::chrono::nanoseconds::max()), 5);
  EXPECT_EQ(number(5).wait_for(std::chrono::duration<double>(0.5)), 5);
  EXPECT_EQ(number(5).wait(std::stop_token()), 5);
  Task<void>().wait();
  Task<void>().wait_for(milliseconds(0));
}

TEST(Wait, ThrowsWhatTheTaskThrows) {
  EXPECT_THROW(failing().wait(), std::runtime_error);
  EXPECT_THROW(Task<int>(std::make_exception_ptr(Refused("no"))).wait(), Refused);
  EXPECT_THROW(Task<void>(std::make_exception_ptr(Refused("no"))).wait_for(hours(1)), Refused);
}

// Nanoseconds cannot count these.
TEST(Wait, LongTimesAreNoLimit) {
  for (const auto time : {milliseconds::max(), milliseconds(hours(24) * 365 * 1000)}) {
    const Promise<int> promise;
    std::thread settles([&] { promise.set(5); });
    EXPECT_EQ(promise.task().wait_for(time), 5);
    settles.join();
  }
  EXPECT_THROW(Promise<int>().task().wait_for(milliseconds::min()), TimedOut);
  EXPECT_THROW(Promise<int>().task().wait_for(std::chrono::duration<double>(0.001)), TimedOut);
}

TEST(Wait, EndsWithItsTime) {
  const Promise<int> never;
  EXPECT_THROW(never.task().wait_for(milliseconds(1)), TimedOut);
  EXPECT_THROW(never.task().wait_for(milliseconds(-1)), TimedOut);
  const auto destroyed = std::make_shared<bool>(false);
  try {
    noting(never, destroyed).wait_for(milliseconds(2));
    FAIL();
  } catch (const TimedOut& late) {
    EXPECT_STREQ(late.what(), "it took longer than 0.002 s");
  }
  EXPECT_TRUE(*destroyed);
  // Nobody waits for it any more.
  EXPECT_TRUE(never.set(7));
}

TEST(Wait, EndsWithItsToken) {
  const Promise<int> never;
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_THROW(never.task().wait(stop.get_token()), Cancelled);
  const auto destroyed = std::make_shared<bool>(false);
  EXPECT_THROW(noting(never, destroyed).wait(stop.get_token()), Cancelled);
  EXPECT_TRUE(*destroyed);
  // What is there already is given.
  EXPECT_EQ(number(5).wait(stop.get_token()), 5);
}

TEST(Wait, OnTheThreadOfAnExecutorIsRefused) {
  struct Idle : Executor {
    void post(std::function<void()>) override {}
  };
  const auto executor = std::make_shared<Idle>();
  const Promise<int> promise;
  {
    const Executor::Scope here(executor.get());
    EXPECT_THROW(promise.task().wait(), std::logic_error);
    EXPECT_THROW(number(5).wait(), std::logic_error);
  }
  EXPECT_TRUE(promise.set(1));  // does not look for the wait that was refused
}

TEST(Promise, IsKeptByAnotherThread) {
  for (int i = 0; i < 200; ++i) {
    const Promise<int> first, second;
    std::jthread keeper([&] {
      first.set(1);
      second.set(2);
    });
    EXPECT_EQ(first.task().wait(), 1);
    EXPECT_EQ(plus_one(second).wait_for(hours(1)), 3);
  }
}

TEST(Promise, CountsOnce) {
  const Promise<void> promise;
  EXPECT_TRUE(promise.set());
  EXPECT_FALSE(promise.set());
  EXPECT_FALSE(promise.fail(std::make_exception_ptr(Cancelled())));
  promise.task().wait();
  const Promise<std::string> failed;
  EXPECT_TRUE(failed.fail(std::make_exception_ptr(Refused("no"))));
  EXPECT_FALSE(failed.set("yes"));
  EXPECT_THROW(failed.task().wait(), Refused);
}

// Where no executor is, the task goes on in set().
TEST(Promise, NeedsNoExecutor) {
  const Promise<int> promise;
  const Running<int> running(plus_one(promise));
  EXPECT_FALSE(running.done());
  promise.set(1);
  EXPECT_TRUE(running.done());
}

TEST(WhenAll, GivesValuesInOrder) {
  const Promise<int> first, second;
  std::vector<Task<int>> tasks;
  tasks.push_back(plus_one(first));
  tasks.push_back(number(5));
  tasks.push_back(plus_one(second));
  Running<std::vector<int>> running(when_all(std::move(tasks)));
  second.set(20);
  EXPECT_FALSE(running.done());
  first.set(10);
  ASSERT_TRUE(running.done());
  EXPECT_EQ(running.take(), (std::vector<int>{11, 5, 21}));
  EXPECT_TRUE(when_all(std::vector<Task<int>>()).wait().empty());
}

TEST(WhenAll, TakesTasksOfSeveralKinds) {
  const Promise<std::string> text;
  std::jthread keeper([&] { text.set("text"); });
  const std::tuple<int, std::string> both = when_all(number(5), text.task()).wait();
  EXPECT_EQ(both, (std::tuple<int, std::string>{5, "text"}));
}

TEST(WhenAll, OneThatFailsEndsTheOthers) {
  const Promise<int> never, broken;
  const auto destroyed = std::make_shared<bool>(false);
  std::vector<Task<int>> tasks;
  tasks.push_back(noting(never, destroyed));
  tasks.push_back(plus_one(broken));
  Running<std::vector<int>> running(when_all(std::move(tasks)));
  broken.fail(std::make_exception_ptr(Refused("no")));
  ASSERT_TRUE(running.done());
  EXPECT_THROW(running.take(), Refused);
  EXPECT_TRUE(*destroyed);
}

TEST(WhenAll, TakesTasksWithoutAValue) {
  const Promise<void> first, second;
  std::vector<Task<void>> tasks;
  tasks.push_back(first.task());
  tasks.push_back(second.task());
  Running<void> running(when_all(std::move(tasks)));
  first.set();
  EXPECT_FALSE(running.done());
  second.set();
  EXPECT_TRUE(running.done());
}

}  // namespace
}  // namespace acp
