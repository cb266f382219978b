// The handlers of a connection that are at work.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "acp/async/task.h"
#include "acp/handler.h"
#include "acp/io/connection.h"

namespace acp::detail {

// Starts handlers in the right place: coroutines on the connection's executor, plain functions one
// at a time with them, blocking functions on threads of their own.
class RunningHandlers : public std::enable_shared_from_this<RunningHandlers> {
 public:
  explicit RunningHandlers(std::shared_ptr<io::Connection> connection)
      : connection_(std::move(connection)) {}

  // Starts a handler; may be called with or without the lock. `done` gets the result or the
  // exception, without the lock. It or the arguments own the role, and so everything needed here.
  template <class Result, class... Arguments, class Done>
  void run(const Handler<Result(Arguments...)>& handler, Done done, Arguments... arguments) {
    if (handler.is_plain()) {
      auto call = [&handler, done = std::move(done),
                   ... arguments = std::move(arguments)]() mutable {
        std::exception_ptr error;
        std::optional<Value<Result>> result;
        try {
          if constexpr (std::is_void_v<Result>) {
            handler.function()(std::move(arguments)...);
            result.emplace();
          } else {
            result.emplace(handler.function()(std::move(arguments)...));
          }
        } catch (...) {
          error = std::current_exception();
        }
        done(result ? &*result : nullptr, error);
      };
      if (handler.blocks())
        connection_->post_blocking(std::move(call));
      else
        connection_->post_plain(std::move(call));
    } else {
      connection_->post([this, &handler, done = std::move(done),
                         ... arguments = std::move(arguments)]() mutable {
        await<Result, Done, Arguments...>(*this, handler, std::move(done), std::move(arguments)...);
      });
    }
  }

  // Starts a coroutine that belongs to the connection, and ends by itself.
  void start(std::function<Task<void>()> make) {
    connection_->post(
        [self = shared_from_this(), make = std::move(make)] { await(*self, make()); });
  }

  // Destroys handlers that wait for something that never came. Call it where no coroutine runs.
  void drop() {
    while (first_ != nullptr) Frame::from_promise(*first_).destroy();
  }
  ~RunningHandlers() { drop(); }

 private:
  // A coroutine that runs at once, frees itself at its end, and is known to the list meanwhile.
  // Only the executor touches the list.
  struct Run {
    struct promise_type {
      template <class... Rest>
      explicit promise_type(RunningHandlers& owner, const Rest&...)
          : owner(owner), next(owner.first_) {
        if (next != nullptr) next->previous = this;
        owner.first_ = this;
      }
      ~promise_type() {
        (previous != nullptr ? previous->next : owner.first_) = next;
        if (next != nullptr) next->previous = previous;
      }
      Run get_return_object() { return {}; }
      std::suspend_never initial_suspend() noexcept { return {}; }
      std::suspend_never final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::terminate(); }  // await() catches everything

      RunningHandlers& owner;
      promise_type* previous = nullptr;
      promise_type* next;
    };
  };
  using Frame = std::coroutine_handle<Run::promise_type>;

  static Run await(RunningHandlers&, Task<void> task) {
    try {
      co_await std::move(task);
    } catch (...) {  // it has reported its own errors
    }
  }

  template <class Result>
  using Value = std::conditional_t<std::is_void_v<Result>, async::Nothing, Result>;

  template <class Result, class Done, class... Arguments>
  static Run await(RunningHandlers&, const Handler<Result(Arguments...)>& handler, Done done,
                   Arguments... arguments) {
    std::exception_ptr error;
    std::optional<Value<Result>> result;
    try {
      Task<Result> task = handler.coroutine()(std::move(arguments)...);
      if constexpr (std::is_void_v<Result>) {
        co_await std::move(task);
        result.emplace();
      } else {
        result.emplace(co_await std::move(task));
      }
    } catch (...) {
      error = std::current_exception();
    }
    done(result ? &*result : nullptr, error);
  }

  std::shared_ptr<io::Connection> connection_;
  Run::promise_type* first_ = nullptr;
};

}  // namespace acp::detail
