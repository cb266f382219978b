// Ending before the end: a signal, or the time that was given is over.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>

#include "acp/async/completion.h"
#include "acp/async/task.h"
#include "acp/async/wait.h"
#include "acp/async/when_any.h"

namespace acp::chat {

// It was not waited for any longer.
class StoppedEarly : public std::runtime_error {
 public:
  StoppedEarly() : std::runtime_error("stopped") {}
};

// Until the time is over; without one, for ever. False as soon as the token is set.
bool sleep_unless(std::stop_token stop, std::optional<std::chrono::milliseconds> time);

// A token that is set after a time.
class Alarm {
 public:
  explicit Alarm(std::chrono::milliseconds time);
  ~Alarm();
  std::stop_token token() const { return ringing_.get_token(); }

 private:
  std::stop_source ringing_;
  std::jthread thread_;
};

// First the one token is set: what is under way is to come to its end. When the time of grace is
// over, the other: nothing is waited for any more.
class Stopping {
 public:
  enum class Why { not_at_all, interrupted, timed_out };

  // `interrupt` asks for an end; without `time` there is no time limit.
  Stopping(std::stop_token interrupt, std::optional<std::chrono::milliseconds> time,
           std::chrono::milliseconds grace);
  ~Stopping();

  Why why() const { return why_.load(); }
  std::stop_token please() const { return please_.get_token(); }
  std::stop_token now() const { return now_.get_token(); }

 private:
  std::atomic<Why> why_ = Why::not_at_all;
  std::stop_source please_, now_;
  std::jthread thread_;
};

namespace detail {
inline Task<async::Nothing> settled(std::shared_ptr<async::Completion<void>> done) {
  co_await Pending<void>(done);
  co_return async::Nothing();
}
inline Task<async::Nothing> with_value(Task<void> task) {
  co_await std::move(task);
  co_return async::Nothing();
}
template <class T>
Task<T> unless(std::stop_token stop, Task<T> task) {
  const auto stopped = std::make_shared<async::Completion<void>>();
  const std::stop_callback settle(stop, [stopped] { stopped->settle(); });
  Task<async::Nothing> stopping = settled(stopped);
  Task<std::variant<T, async::Nothing>> either = when_any(std::move(task), std::move(stopping));
  std::variant<T, async::Nothing> result = co_await std::move(either);
  if (result.index() == 1) throw StoppedEarly();
  co_return std::move(std::get<0>(result));
}
}  // namespace detail

// Blocks until the task has ended. If the token is set before, drops the task and throws
// StoppedEarly.
template <class T>
T wait_unless(std::stop_token stop, Task<T> task) {
  return detail::unless(std::move(stop), std::move(task)).wait();
}
inline void wait_unless(std::stop_token stop, Task<void> task) {
  detail::unless(std::move(stop), detail::with_value(std::move(task))).wait();
}

}  // namespace acp::chat
