// A user's function that answers something: a coroutine, a plain function, or one that blocks.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "acp/async/task.h"

namespace acp {

template <class Signature>
class Handler;

// A function that blocks its thread instead of awaiting: it reads a disk, or waits for a person. As
// a handler it runs on a thread of its own, beside all others.
template <class F>
struct Blocking {
  F function;
};
// Marks a function as blocking.
template <class F>
Blocking<F> blocking(F function) {
  return {std::move(function)};
}

namespace detail {

template <class T>
struct TaskValue {
  static constexpr bool is_task = false;
  using type = T;
};
template <class T>
struct TaskValue<Task<T>> {
  static constexpr bool is_task = true;
  using type = T;
};

template <class F>
constexpr bool is_blocking = false;
template <class F>
constexpr bool is_blocking<Blocking<F>> = true;

// A function that can be copied, made of any that can be moved.
template <class F>
auto copyable(F function) {
  if constexpr (std::is_copy_constructible_v<F>)
    return function;
  else
    return
        [shared = std::make_shared<F>(std::move(function))](auto&&... arguments) -> decltype(auto) {
          return (*shared)(std::forward<decltype(arguments)>(arguments)...);
        };
}

// Whether a Result can be made of what a handler returned: a value, nothing, or a Task of one of
// them.
template <class Result, class Given>
constexpr bool is_result() {
  using Value = typename TaskValue<Given>::type;
  if constexpr (std::is_void_v<Result> || std::is_void_v<Value>)
    return std::is_void_v<Value>;
  else
    return std::is_constructible_v<Result, Value> ||
           requires(Value value) { Result{std::move(value)}; };
}

// Converts what a handler returned into the result that is wanted.
template <class Result, class Given>
Result as_result(Given&& given) {
  if constexpr (std::is_convertible_v<Given, Result>)
    return std::forward<Given>(given);
  else
    return Result{std::forward<Given>(given)};
}

}  // namespace detail

// Takes anything callable that returns Result, something a Result is made of, or nothing; or a Task
// of one of these: then it is a coroutine. Coroutines and plain functions of a connection run one
// at a time, so what they share needs no lock; while one of them waits, others run. blocking(f)
// runs beside them.
template <class Result, class... Arguments>
class Handler<Result(Arguments...)> {
 public:
  Handler() = default;
  template <class F>
    requires(!std::is_same_v<std::decay_t<F>, Handler> && !detail::is_blocking<F>)
  Handler(F function) {
    constexpr bool callable = std::is_invocable_v<F&, Arguments...>;
    static_assert(callable,
                  "this handler takes other arguments than it will be given: they are listed where "
                  "the function that installs it is declared");
    if constexpr (callable) {
      using Given = std::invoke_result_t<F&, Arguments...>;
      static_assert(
          detail::is_result<Result, Given>(),
          "this handler returns another type than it should: the right one is listed where "
          "the function that installs it is declared; an acp::Task of it is right, too");
      if constexpr (detail::is_result<Result, Given>())
        install<Given>(detail::copyable(std::move(function)));
    }
  }

  template <class F>
  Handler(Blocking<F> blocking) : Handler(std::move(blocking.function)) {
    static_assert(!std::is_invocable_v<F&, Arguments...> ||
                      !detail::TaskValue<std::invoke_result_t<F&, Arguments...>>::is_task,
                  "blocking() is for plain functions: a coroutine that blocks stops all others");
    blocks_ = true;
  }

  explicit operator bool() const { return coroutine_ || function_; }
  // Whether it is not a coroutine.
  bool is_plain() const { return static_cast<bool>(function_); }
  // Whether a plain function runs on a thread of its own.
  bool blocks() const { return blocks_; }
  // Makes a plain function run on a thread of its own.
  void set_blocks() { blocks_ = true; }
  // The coroutine; its arguments must live until it has ended.
  const std::function<Task<Result>(Arguments&&...)>& coroutine() const { return coroutine_; }
  const std::function<Result(Arguments&&...)>& function() const { return function_; }

 private:
  template <class Given, class F>
  void install(F function) {
    using Value = typename detail::TaskValue<Given>::type;
    if constexpr (std::is_same_v<Given, Task<Result>>) {
      coroutine_ = [function = std::move(function)](Arguments&&... arguments) mutable {
        return function(std::move(arguments)...);
      };
    } else if constexpr (detail::TaskValue<Given>::is_task) {
      coroutine_ = [function =
                        std::move(function)](Arguments&&... arguments) mutable -> Task<Result> {
        Given task = function(std::move(arguments)...);
        if constexpr (std::is_void_v<Value>) {
          co_await std::move(task);
          co_return Result();
        } else {
          Value value = co_await std::move(task);
          co_return detail::as_result<Result>(std::move(value));
        }
      };
    } else {
      function_ = [function = std::move(function)](Arguments&&... arguments) mutable -> Result {
        if constexpr (std::is_void_v<Value>) {
          function(std::move(arguments)...);
          return Result();
        } else {
          return detail::as_result<Result>(function(std::move(arguments)...));
        }
      };
    }
  }

  std::function<Task<Result>(Arguments&&...)> coroutine_;
  std::function<Result(Arguments&&...)> function_;
  bool blocks_ = false;
};

}  // namespace acp
