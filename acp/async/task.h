// What everything that waits returns: `co_await` it in a coroutine, `.wait()` for it in a plain
// function.
//
//   v1::PromptResponse end = co_await session.prompt("Go").finish();
//   v1::PromptResponse end = session.prompt("Go").finish().wait();         // blocks this thread
//   v1::PromptResponse end = session.prompt("Go").finish().wait_for(60s);  // or throws TimedOut
//
// A coroutine begins when it is awaited; a message is sent at once. Destroying a task before its
// end cancels what it waits for, down to the request itself; a notification that was sent stays
// sent. docs/waiting.md has the table.
//
// g++ 12 destroys an aggregate temporary inside a co_await expression twice: `co_await
// f({.path = p})` is a double free there. The functions of this library do not compile with one on
// that compiler; in your own, name such a value before awaiting. So is `co_await f(c ? s : s + t)`,
// which no function can refuse: docs/waiting.md.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <memory>
#include <semaphore>  // durations, without <chrono>'s calendars: a user's file compiles quicker
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

#include "acp/async/completion.h"

// Declares an overload for temporaries that does not compile where they would be destroyed twice;
// elsewhere it declares nothing.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define ACP_REFUSE_TEMPORARY(declaration)                                           \
  __attribute__((                                                                   \
      unavailable("g++ 12 destroys this temporary twice in a co_await expression: " \
                  "give it a name first (outside of coroutines, too)"))) declaration
#define ACP_TEMPORARIES_BREAK 1
#else
#define ACP_REFUSE_TEMPORARY(declaration) static_assert(true)
#define ACP_TEMPORARIES_BREAK 0
#endif

// In a function template: does not compile with a temporary lambda that would be destroyed twice.
#define ACP_REFUSE_TEMPORARY_LAMBDA(F)                           \
  static_assert(                                                 \
      !ACP_TEMPORARIES_BREAK || std::is_lvalue_reference_v<F> || \
          std::is_trivially_destructible_v<std::decay_t<F>>,     \
      "g++ 12 destroys this lambda twice in a co_await expression: give it a name first")

namespace acp {

// A result that is still to come: see below.
template <class T = void>
class Task;

namespace async {

// The longest time that nanoseconds can count, if it is longer.
template <class Count, class Unit>
constexpr std::chrono::nanoseconds nanoseconds_of(std::chrono::duration<Count, Unit> time) {
  using std::chrono::nanoseconds;
  const std::chrono::duration<double, std::nano> exact = time;
  const double most = static_cast<double>(nanoseconds::max().count());
  if (exact.count() >= most) return nanoseconds::max();
  if (exact.count() <= -most) return nanoseconds::min();
  return std::chrono::duration_cast<nanoseconds>(time);
}

template <class T>
concept AggregateTemporary = !std::is_reference_v<T> && std::is_aggregate_v<T>;

class TaskPromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }

  // Resumes the waiter. A task that ended before its first suspension has its waiter above it on
  // the stack: that one goes on by itself, so that no number of such tasks in a row grows the
  // stack. (Compilers need not turn the transfer into a jump, and g++ does not for sanitizers.)
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) noexcept {
      TaskPromiseBase& promise = done.promise();
      const std::coroutine_handle<> continuation = promise.continuation_;
      return promise.phase_.exchange(Phase::ended) == Phase::beginning ? std::noop_coroutine()
                                                                       : continuation;
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }

  // Runs the task up to its first suspension. Returns true if the waiter must wait.
  bool begin(std::coroutine_handle<> task, std::coroutine_handle<> waiter) {
    continuation_ = waiter;
    task.resume();
    Phase expected = Phase::beginning;
    return phase_.compare_exchange_strong(expected, Phase::suspended);
  }

 private:
  // Atomic, since a task may go on, and end, on another thread while begin() returns on this one.
  enum class Phase : unsigned char { beginning, suspended, ended };
  std::atomic<Phase> phase_ = Phase::beginning;
  std::coroutine_handle<> continuation_;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  Task<T> get_return_object();
  void unhandled_exception() { result_.template emplace<2>(std::current_exception()); }
  template <class U>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    result_.template emplace<1>(std::forward<U>(value));
  }
  T take() {
    if (result_.index() == 2) std::rethrow_exception(std::get<2>(result_));
    return std::move(std::get<1>(result_));
  }

 private:
  std::variant<std::monostate, T, std::exception_ptr> result_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object();
  void unhandled_exception() { error_ = std::current_exception(); }
  void return_void() {}
  void take() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace async

// A result that is still to come. `co_await` it in a coroutine, wait() for it elsewhere: once, and
// what went wrong is thrown there. Dropped before its end, what it waits for is cancelled.
template <class T>
class [[nodiscard("co_await it, or wait() for it")]] Task {
 public:
  using promise_type = async::TaskPromise<T>;

  // A task that has ended.
  Task()
    requires std::is_void_v<T>
  = default;
  // A task whose outcome is settled elsewhere: acp::Promise is the simple way to get one.
  explicit Task(std::shared_ptr<async::Completion<T>> outcome) : outcome_(std::move(outcome)) {}
  // A task that has failed.
  explicit Task(std::exception_ptr error) : outcome_(std::make_shared<async::Completion<T>>()) {
    outcome_->fail(std::move(error));
  }
  Task(Task&& other) noexcept
      : coroutine_(std::exchange(other.coroutine_, nullptr)), outcome_(std::move(other.outcome_)) {}
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    release();
    coroutine_ = std::exchange(other.coroutine_, nullptr);
    outcome_ = std::move(other.outcome_);
    return *this;
  }
  ~Task() { release(); }

  class Awaiter {
   public:
    Awaiter(std::coroutine_handle<promise_type> coroutine,
            std::shared_ptr<async::Completion<T>> outcome)
        : coroutine_(coroutine), outcome_(std::move(outcome)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (outcome_) outcome_->drop();
    }
    bool await_ready() const { return outcome_ ? outcome_->ready() : !coroutine_; }
    bool await_suspend(std::coroutine_handle<> waiter) {
      return outcome_ ? outcome_->suspend(waiter) : coroutine_.promise().begin(coroutine_, waiter);
    }
    T await_resume() {
      if (outcome_) return outcome_->take();
      if constexpr (std::is_void_v<T>)
        if (!coroutine_) return;
      return coroutine_.promise().take();
    }

   private:
    std::coroutine_handle<promise_type> coroutine_;
    std::shared_ptr<async::Completion<T>> outcome_;
  };
  // Once only.
  Awaiter operator co_await() && { return Awaiter(coroutine_, std::move(outcome_)); }

  // Block this thread until the task has ended; for plain functions, each once only. On the thread
  // of an executor, where that would hold up everything, they throw std::logic_error.
  T wait() &&;
  // Throws TimedOut if it takes longer, and Cancelled if the token is stopped first. What was
  // waited for is cancelled then.
  T wait_for(std::chrono::nanoseconds time) &&;
  T wait(std::stop_token stop) &&;
  // The same for a duration of any unit, also for one that nanoseconds cannot count.
  template <class Count, class Unit>
  T wait_for(std::chrono::duration<Count, Unit> time) && {
    return std::move(*this).wait_for(async::nanoseconds_of(time));
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  void release() {
    if (coroutine_) coroutine_.destroy();
    if (outcome_) outcome_->drop();
    outcome_.reset();
  }
  T wait_within(const async::WaitLimit& limit);

  // One of them, or neither.
  std::coroutine_handle<promise_type> coroutine_;
  std::shared_ptr<async::Completion<T>> outcome_;
};

namespace async {

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace async
}  // namespace acp
