// A coroutine that gives one value. It starts when it is awaited, and goes with its owner:
// destroying a task destroys what it waits for, down to the operation itself, which thereby is
// cancelled.
//
// g++ 12.2 destroys an aggregate temporary inside a co_await expression twice: name such values
// before awaiting. `co_await f({.path = p})` is a double free there.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

namespace acp {

template <class T = void>
class Task;

namespace async {

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

  // Runs the task up to its first suspension. True if the waiter must wait.
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

template <class T>
class [[nodiscard("co_await it, or wait() for it")]] Task {
 public:
  using promise_type = async::TaskPromise<T>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    if (handle_) handle_.destroy();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Starts the task; it may be awaited once.
  auto operator co_await() && {
    struct Awaiter {
      std::coroutine_handle<promise_type> handle;
      bool await_ready() const noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> waiter) noexcept {
        return handle.promise().begin(handle, waiter);
      }
      T await_resume() { return handle.promise().take(); }
    };
    return Awaiter{handle_};
  }

  // Runs it and blocks this thread until it has ended; for plain functions. Defined in wait.h.
  T wait() &&;

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
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
