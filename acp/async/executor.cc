#include "acp/async/executor.h"

#include <mutex>
#include <utility>

#include "acp/async/series.h"

namespace acp {

namespace {
thread_local Executor* current_executor = nullptr;
thread_local async::Series* current_series = nullptr;
}  // namespace

Executor* Executor::current() { return current_executor; }
Executor::Scope::Scope(Executor* executor)
    : outer_(std::exchange(current_executor, executor)),
      outer_series_(std::exchange(current_series, nullptr)) {}
Executor::Scope::~Scope() {
  current_executor = outer_;
  current_series = outer_series_;
}

namespace async {

std::shared_ptr<Series> Series::current() {
  return current_series != nullptr ? current_series->shared_from_this() : nullptr;
}

void Series::run(std::function<void()> function) {
  {
    const std::lock_guard lock(lock_);
    queue_.push_back(std::move(function));
    if (std::exchange(running_, true)) return;
  }
  const auto self = shared_from_this();
  struct Inside {
    explicit Inside(Series* series) : outer(std::exchange(current_series, series)) {}
    ~Inside() { current_series = outer; }
    Series* const outer;
  } const inside(this);
  while (true) {
    std::vector<std::function<void()>> batch;
    {
      const std::lock_guard lock(lock_);
      running_ = !queue_.empty();
      if (!running_) return;
      batch.swap(queue_);
    }
    for (const auto& next : batch) next();
  }
}

bool EnterSeries::await_ready() const noexcept {
  return current_executor != nullptr || current_series != nullptr;
}

void EnterSeries::await_suspend(std::coroutine_handle<> waiter) const {
  std::make_shared<Series>()->run([waiter] { waiter.resume(); });
}

}  // namespace async
}  // namespace acp
