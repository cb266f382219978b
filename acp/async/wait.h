// Waiting for a task on a thread that may block: a program without coroutines, a plain handler.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "acp/async/completion.h"
#include "acp/async/spawn.h"
#include "acp/async/task.h"

namespace acp {

namespace async {
// Calls `start` as this thread's executor, and runs what is posted to it until `done` says so.
// Throws TimedOut, Cancelled. On an executor's own thread that would stop all others: there it
// throws std::logic_error.
void run_blocking(const std::function<void()>& start, const std::function<bool()>& done,
                  const WaitLimit& limit);
}  // namespace async

template <class T>
T Task<T>::wait() && {
  return wait_within({});
}
// Declared in task.h: see there.
template <class T>
T Task<T>::wait_for(std::chrono::nanoseconds time) && {
  return wait_within({.time = time});
}
template <class T>
T Task<T>::wait(std::stop_token stop) && {
  return wait_within({.stop = std::move(stop)});
}

template <class T>
T Task<T>::wait_within(const async::WaitLimit& limit) {
  Task task = std::move(*this);
  if (task.outcome_) {
    task.outcome_->block(limit);
    return task.outcome_->take();
  }
  if constexpr (std::is_void_v<T>)
    if (!task.coroutine_) return;
  std::optional<Running<T>> running;
  async::run_blocking([&] { running.emplace(std::move(task)); },
                      [&] { return running && running->done(); }, limit);
  return running->take();
}

}  // namespace acp
