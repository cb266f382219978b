// What is to happen later.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "acp/io/delay.h"

namespace acp::io {

// Not for several threads at once: its owner locks.
class Timers {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = Clock::time_point (*)();
  using Id = std::uint64_t;

  // A test has a clock of its own.
  explicit Timers(Now now = &Clock::now) : now_(now) {}

  Id after(Delay time, std::function<void()> action);
  // Nothing happens if it has run, or was forgotten before.
  void forget(Id timer);
  void clear();

  // Time until the first is due: nothing if there is none, zero if it is due.
  std::optional<std::chrono::nanoseconds> next() const;
  // Runs what is due, in order. An action may add timers, and forget any.
  void fire();

 private:
  struct Timer {
    Id id;
    std::function<void()> action;
  };
  using Queue = std::multimap<Clock::time_point, Timer>;

  Now now_;
  Queue queue_;
  std::map<Id, Queue::iterator> by_id_;
  Id next_id_ = 1;
};

}  // namespace acp::io
