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
void run_blocking(const std::function<void()>& start, const std::function<bool()>& done);
}  // namespace async

// Runs the task here and blocks until it has ended. On an executor's own thread that would stop all
// others: there it throws std::logic_error.
template <class T>
T wait(Task<T> task) {
  std::optional<Running<T>> running;
  async::run_blocking([&] { running.emplace(std::move(task)); },
                      [&] { return running && running->done(); });
  return running->take();
}

template <class T>
T Task<T>::wait() && {
  return acp::wait(std::move(*this));
}

template <class T>
T Pending<T>::wait() && {
  const auto completion = std::exchange(completion_, nullptr);
  completion->block();
  return completion->take();
}

}  // namespace acp
