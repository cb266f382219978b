// From the engine's output to the wire.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "acp/async/completion.h"
#include "acp/io/timers.h"
#include "acp/io/wire.h"
#include "acp/rpc/engine.h"

namespace acp::io {

// Gathers small messages for a moment, so that they go out together; writes; and lets producers
// wait while the other side does not read. Guarded by the connection's lock.
class Outbox {
 public:
  using Clock = Timers::Clock;
  using Room = std::shared_ptr<async::Completion<void>>;

  Outbox(rpc::Engine& engine, Wire& wire, Timers::Now now = &Clock::now)
      : engine_(engine), wire_(wire), now_(now) {}

  // Whether the wire takes nothing now: flush() again when it does.
  bool blocked() const { return state_ == State::blocked; }
  void unblock() {
    if (blocked()) state_ = State::open;
  }
  // Whether the other side reads no more. Then output is dropped.
  bool failed() const { return state_ == State::failed; }
  bool congested() const { return engine_.congested() && !failed(); }
  bool empty() const { return engine_.outgoing().empty(); }
  std::size_t size() const { return engine_.outgoing().size(); }

  // Whether gather() would do anything. Asked for each message.
  bool worth_a_look() const { return size() >= look_at_; }
  // Returns true if the output should go out now: enough was gathered, or the last write was long
  // ago.
  bool gather();

  enum class Flushed { all, blocked, failed };
  struct Result {
    Flushed state;
    bool changed = false;  // it was not so before
    int code = 0;          // why it failed: errno
  };
  Result flush() { return flush(Clock::time_point()); }
  // Flushes with the time of the last look at the clock, which may be a little early: later
  // messages are then gathered for a shorter time.
  Result flush_quickly() { return flush(last_look_); }

  // Settles the waiter when there is room again.
  void wait_for_room(Room waiter) { waiting_.push_back(std::move(waiter)); }
  void release_waiting();

 private:
  enum class State { open, blocked, failed };

  Result flush(Clock::time_point now);

  rpc::Engine& engine_;
  Wire& wire_;
  Timers::Now now_;
  State state_ = State::open;
  Clock::time_point last_flush_{}, last_look_{};
  std::size_t look_at_ = 0;  // the clock is not read before this much is gathered
  std::vector<Room> waiting_;
};

}  // namespace acp::io
