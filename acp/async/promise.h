// An answer that is given later, and from any thread: by a button of a window, by another library.
//
//   acp::Promise<acp::Decision> decision;
//   window.ask(question, [decision](bool yes) { decision.set(decision_of(yes)); });
//   co_return co_await decision.task();
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "acp/async/completion.h"
#include "acp/async/task.h"

namespace acp {

// A handle: copies are the same promise. If it is never settled, its task waits until the task is
// dropped.
template <class T>
class Promise {
 public:
  Promise() : outcome_(std::make_shared<async::Completion<T>>()) {}

  // Settles the promise. Only the first of these calls counts; the others return false.
  template <class Value = T>
    requires(!std::is_void_v<T>)
  bool set(Value value) const {
    return outcome_->settle(std::move(value));
  }
  // Of a Promise<void>.
  bool set() const
    requires std::is_void_v<T>
  {
    return outcome_->settle();
  }
  // Makes the task throw this.
  bool fail(std::exception_ptr error) const { return outcome_->fail(std::move(error)); }

  // The task to await, once.
  Task<T> task() const { return Task<T>(outcome_); }

 private:
  std::shared_ptr<async::Completion<T>> outcome_;
};

namespace async {

// Returns the function as one that settles a promise, and the promise's task.
template <class F>
auto outcome_of(F&& function) {
  using Result = std::invoke_result_t<std::decay_t<F>&>;
  struct Work {
    std::decay_t<F> function;
    Promise<Result> promise = {};
  };
  const auto work = std::make_shared<Work>(Work{std::forward<F>(function)});
  auto run = [work] {
    try {
      if constexpr (std::is_void_v<Result>) {
        work->function();
        work->promise.set();
      } else {
        work->promise.set(work->function());
      }
    } catch (...) {
      work->promise.fail(std::current_exception());
    }
  };
  return std::pair(std::function<void()>(std::move(run)), work->promise.task());
}

}  // namespace async
}  // namespace acp
