// Waiting for several tasks at once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "acp/async/event.h"
#include "acp/async/series.h"
#include "acp/async/spawn.h"
#include "acp/async/task.h"

namespace acp {

namespace async {

// Counts tasks that run one at a time, and wakes the one that waits for them all.
class Countdown {
 public:
  // Returns what to call when a task has ended, for each task.
  std::function<void()> on_end() {
    ++state_->open;
    return [state = state_] {
      --state->open;
      // The waiter may end all of this.
      if (const auto wake = std::exchange(state->wake, nullptr)) wake();
    };
  }
  // Waits until all have ended, or `failed` says that one of them need not be waited for.
  template <class Failed>
  Task<void> wait(Failed failed) {
    while (state_->open > 0 && !failed()) {
      Event<bool> news;
      state_->wake = [source = news.source()] { source.settle(true); };
      co_await news;
    }
  }

 private:
  struct State {
    std::size_t open = 0;
    std::function<void()> wake;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace async

// Runs all tasks at once, on the executor that awaits, or, where there is none, one at a time;
// returns their values in the order of the tasks, or nothing for tasks without one. When one of
// them throws, so does this, and the others are cancelled.
template <class T>
Task<std::conditional_t<std::is_void_v<T>, void, std::vector<T>>> when_all(
    std::vector<Task<T>> tasks) {
  const async::EnterSeries one_at_a_time;
  co_await one_at_a_time;
  async::Countdown countdown;
  std::vector<Running<T>> running;
  running.reserve(tasks.size());
  for (Task<T>& task : tasks) running.emplace_back(std::move(task), countdown.on_end());
  const auto failed = [&] {
    for (const Running<T>& one : running)
      if (one.failed()) return true;
    return false;
  };
  Task<void> all = countdown.wait(failed);
  co_await std::move(all);
  for (Running<T>& one : running)
    if (one.failed()) one.take();
  if constexpr (!std::is_void_v<T>) {
    std::vector<T> values;
    values.reserve(running.size());
    for (Running<T>& one : running) values.push_back(one.take());
    co_return values;
  }
}

// Waits for tasks of several kinds.
template <class... T>
  requires(sizeof...(T) > 1 && (!std::is_void_v<T> && ...))
Task<std::tuple<T...>> when_all(Task<T>... tasks) {
  const async::EnterSeries one_at_a_time;
  co_await one_at_a_time;
  async::Countdown countdown;
  std::tuple<Running<T>...> running{Running<T>(std::move(tasks), countdown.on_end())...};
  const auto failed = [&] {
    return std::apply([](const auto&... one) { return (one.failed() || ...); }, running);
  };
  Task<void> all = countdown.wait(failed);
  co_await std::move(all);
  std::apply([](auto&... one) { ((one.failed() ? void(one.take()) : void()), ...); }, running);
  co_return std::apply([](auto&... one) { return std::tuple<T...>(one.take()...); }, running);
}

}  // namespace acp
