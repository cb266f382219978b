#include "acp/async/task.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "acp/async/event.h"
#include "acp/async/promise.h"
#include "acp/async/spawn.h"
#include "acp/async/when_all.h"
#include "acp/async/when_any.h"
#include "acp/testing/gate.h"

namespace acp {
namespace {

Task<int> number(int value) { co_return value; }

Task<std::int64_t> sum(int count) {
  std::int64_t total = 0;
  for (int i = 0; i < count; ++i) total += co_await number(i);
  co_return total;
}

Task<std::unique_ptr<int>> owned() { co_return std::make_unique<int>(5); }

Task<void> throws() {
  throw std::runtime_error("no");
  co_return;
}

TEST(Task, IsLazyAndGivesItsValue) {
  bool began = false;
  const auto make = [](bool& flag) -> Task<int> {
    flag = true;
    co_return 7;
  };
  {
    Task<int> task = make(began);
    EXPECT_FALSE(began);
    Running<int> running(std::move(task));
    EXPECT_TRUE(began);
    ASSERT_TRUE(running.done());
    EXPECT_EQ(running.take(), 7);
  }
  Running<std::unique_ptr<int>> pointer(owned());
  EXPECT_EQ(*pointer.take(), 5);
}

// A million awaits in a row take no stack, also where the compiler makes no jump of the transfer.
TEST(Task, AwaitingDoesNotGrowTheStack) {
  Running<std::int64_t> running(sum(1'000'000));
  ASSERT_TRUE(running.done());
  EXPECT_EQ(running.take(), 499'999'500'000);
}

TEST(Task, ExceptionsReachWhoAwaits) {
  const auto catches = []() -> Task<std::string> {
    try {
      co_await throws();
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
    co_return "nothing";
  };
  EXPECT_EQ(Running<std::string>(catches()).take(), "no");
  Running<void> running(throws());
  EXPECT_TRUE(running.done());
  EXPECT_THROW(running.take(), std::runtime_error);
}

TEST(Event, ResumesWhoWaitsOnce) {
  Event<std::string> event;
  const auto wait = [](Event<std::string> e) -> Task<std::string> { co_return co_await e; };
  Running<std::string> running(wait(event));
  EXPECT_FALSE(running.done());
  event.source().settle("a");
  event.source().settle("b");
  ASSERT_TRUE(running.done());
  EXPECT_EQ(running.take(), "a");
  // Settled before anyone waits.
  Event<int> early;
  early.source().settle(3);
  const auto wait_number = [](Event<int> e) -> Task<int> { co_return co_await e; };
  EXPECT_EQ(Running<int>(wait_number(early)).take(), 3);
}

// Ownership is cancellation: what is waited for learns that nobody does any more.
TEST(Task, DestroyingItDestroysWhatItWaitsFor) {
  std::vector<std::string> log;
  struct Note {
    std::vector<std::string>& log;
    std::string name;
    ~Note() { log.push_back(name); }
  };
  const auto source = [&] {
    Event<int> event;
    const auto inner = [](std::vector<std::string>& l, Event<int> e) -> Task<int> {
      const Note note{l, "inner"};
      co_return co_await e;
    };
    const auto outer = [](std::vector<std::string>& l, Task<int> task) -> Task<int> {
      const Note note{l, "outer"};
      co_return co_await std::move(task);
    };
    const auto end = event.source();
    const auto kept = std::make_unique<Running<int>>(outer(log, inner(log, std::move(event))));
    EXPECT_TRUE(end.wanted());
    EXPECT_TRUE(log.empty());
    return end;
  }();
  EXPECT_EQ(log.size(), 2u);
  EXPECT_FALSE(source.wanted());
  source.settle(1);  // too late, and harmless
}

TEST(Event, OutlivesWhoWaitsForIt) {
  Event<int> event;
  const auto wait = [](const Event<int>& e) -> Task<int> { co_return co_await e; };
  { Running<int> gone(wait(event)); }
  event.source().settle(1);
  EXPECT_EQ(Running<int>(wait(event)).take(), 1);
}

TEST(Running, MayBeDestroyedByTheOneItTells) {
  Event<int> event;
  const auto wait = [](Event<int> e) -> Task<int> { co_return co_await e; };
  const auto end = event.source();
  int got = 0;
  std::unique_ptr<Running<int>> running;
  running = std::make_unique<Running<int>>(wait(std::move(event)), [&] {
    got = running->take();
    running.reset();
  });
  end.settle(4);
  EXPECT_EQ(got, 4);
  EXPECT_EQ(running, nullptr);
}

TEST(WhenAny, TheFirstWinsAndTheOtherIsDestroyed) {
  Event<int> fast, slow;
  const auto fast_end = fast.source(), slow_end = slow.source();
  const auto wait = [](Event<int> e) -> Task<int> { co_return co_await e; };
  Running<std::variant<int, int>> running(when_any(wait(std::move(fast)), wait(std::move(slow))));
  EXPECT_FALSE(running.done());
  fast_end.settle(1);
  ASSERT_TRUE(running.done());
  EXPECT_EQ(running.take().index(), 0u);
  EXPECT_FALSE(slow_end.wanted());
  // One that is there already: the other is not begun.
  bool began = false;
  const auto note = [](bool& flag) -> Task<int> {
    flag = true;
    co_return 2;
  };
  Running<std::variant<int, int>> ready(when_any(number(1), note(began)));
  EXPECT_EQ(ready.take().index(), 0u);
  EXPECT_FALSE(began);
  // The second one.
  Event<int> never, late;
  const auto late_end = late.source();
  Running<std::variant<int, int>> other(when_any(wait(std::move(never)), wait(std::move(late))));
  late_end.settle(9);
  EXPECT_EQ(std::get<1>(other.take()), 9);
}

// The first is settled on another thread while this one starts the second.
template <class Both>
void settled_while_another_starts(Both both) {
  const Promise<void> promise;
  bool went_on = false;
  const auto waits = [&](Task<void> settled) -> Task<int> {
    co_await std::move(settled);
    went_on = true;
    co_return 1;
  };
  const auto starts = [&]() -> Task<int> {
    std::thread([&] { promise.set(); }).join();
    EXPECT_FALSE(went_on);
    co_return 2;
  };
  testing::Gate ended;
  Running<void> running(both(waits(promise.task()), starts()), [&] { ended.open(); });
  EXPECT_TRUE(ended.wait("both"));
}

TEST(WhenAny, OneAtATimeWithoutAnExecutor) {
  settled_while_another_starts([](Task<int> waits, Task<int> starts) -> Task<void> {
    const auto first = co_await when_any(std::move(waits), std::move(starts));
    EXPECT_EQ(first.index(), 1u);
  });
}

TEST(WhenAll, OneAtATimeWithoutAnExecutor) {
  settled_while_another_starts([](Task<int> waits, Task<int> starts) -> Task<void> {
    const auto [one, other] = co_await when_all(std::move(waits), std::move(starts));
    EXPECT_EQ(one + other, 3);
  });
}

// Both are settled at the same time, by two threads.
TEST(WhenAll, SettledByTwoThreads) {
  for (int i = 0; i < 200; ++i) {
    const Promise<int> one, other;
    int running_now = 0;
    const auto wait = [&](Task<int> task) -> Task<int> {
      const int value = co_await std::move(task);
      EXPECT_EQ(++running_now, 1);
      --running_now;
      co_return value;
    };
    testing::Gate ended;
    Running<std::tuple<int, int>> running(when_all(wait(one.task()), wait(other.task())),
                                          [&] { ended.open(); });
    std::thread first([&] { one.set(1); });
    std::thread second([&] { other.set(2); });
    EXPECT_TRUE(ended.wait("both"));
    EXPECT_EQ(running.take(), std::tuple(1, 2));
    first.join();
    second.join();
  }
}

}  // namespace
}  // namespace acp
