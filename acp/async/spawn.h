// Running a task without awaiting it.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "acp/async/task.h"

namespace acp {

namespace async {

// A coroutine that nobody awaits; its owner can destroy it while it is suspended, and when it has
// ended.
class Detached {
 public:
  struct promise_type {
    Detached get_return_object() {
      return Detached(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    // Reports the end when the coroutine is suspended for good: the receiver may destroy it.
    struct Final {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        const std::function<void()> told = std::move(ended.promise().on_end);
        if (told) told();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }  // run() below catches everything

    std::function<void()> on_end;
  };

  Detached(Detached&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Detached& operator=(Detached&&) = delete;
  ~Detached() {
    if (handle_) handle_.destroy();
  }
  void start(std::function<void()> on_end) {
    handle_.promise().on_end = std::move(on_end);
    handle_.resume();
  }

 private:
  explicit Detached(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace async

// A task that runs by itself. Destroying it while it waits cancels what it waits for.
template <class T>
class Running {
 public:
  // Starts the task here and now. `on_end` is called when it has ended; if that is not before the
  // constructor returns, it may destroy this object.
  explicit Running(Task<T> task, std::function<void()> on_end = nullptr)
      : state_(std::make_unique<State>()), coroutine_(run(std::move(task), *state_)) {
    coroutine_.start(std::move(on_end));
  }

  // Whether it has ended.
  bool done() const { return state_->finished; }
  // Whether it is done, and take() throws.
  bool failed() const { return state_->error != nullptr; }
  // Returns the result, once it is done; throws what the task threw.
  T take() {
    if (state_->error) std::rethrow_exception(state_->error);
    if constexpr (!std::is_void_v<T>) return std::move(*state_->value);
  }

 private:
  struct Nothing {};
  struct State {
    bool finished = false;
    std::exception_ptr error;
    std::optional<std::conditional_t<std::is_void_v<T>, Nothing, T>> value;
  };

  static async::Detached run(Task<T> task, State& state) {
    try {
      if constexpr (std::is_void_v<T>)
        co_await std::move(task);
      else
        state.value.emplace(co_await std::move(task));
    } catch (...) {
      state.error = std::current_exception();
    }
    state.finished = true;
  }

  std::unique_ptr<State> state_;
  async::Detached coroutine_;
};

}  // namespace acp
