// Who reads a connection, and how closely that thread is watched.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <utility>

namespace acp::io {

// One thread at a time has the lead: it waits for the wire, reads, and lets the engine work.
// Guarded by the connection's lock.
class Lead {
 public:
  enum class State {
    free,        // nobody reads
    waiting,     // the leader sleeps: until there is room to send, a timer, or a poke
    reading,     // likewise, or until there is input
    processing,  // the leader processes what came, with the lock; it will flush, and run handlers
  };

  State state() const { return state_; }
  bool taken() const { return state_ != State::free; }
  bool asleep() const { return state_ == State::waiting || state_ == State::reading; }
  bool processing() const { return state_ == State::processing; }
  // How often the lead was taken.
  std::uint64_t count() const { return count_; }

  // free → waiting or reading
  void take(bool for_input) {
    assert(!taken());
    ++count_;
    state_ = for_input ? State::reading : State::waiting;
  }
  // → processing
  void process() {
    assert(asleep());
    state_ = State::processing;
  }
  // → free
  void release() {
    assert(processing());
    state_ = State::free;
  }

  // Asks the leader to step down: an answer went to a thread that waits, which reads the next one
  // itself.
  void ask_to_step_down(bool ask) { step_down_ = ask; }
  bool steps_down() { return std::exchange(step_down_, false); }

  // ---- watching

  // How often a thread checks the leader: a leader kept by a handler for so long loses the lead.
  static constexpr std::chrono::milliseconds tick{2};
  // After so many ticks without an event the connection is quiet, and nobody wakes up any more.
  static constexpr unsigned quiet_ticks = 3;

  // Whether nothing happened lately: then nobody watches, and messages are sent at once.
  bool quiet() const { return quiet_; }
  // Ends the quiet. Returns true if it was quiet before.
  bool stir() { return std::exchange(quiet_, false); }
  void calm_down() { quiet_ = true; }

  // A leader that needed no help for long is watched less often: each look costs it time.
  std::chrono::milliseconds watch_time() const {
    return calm_ticks_ < calm_after ? tick : slow_tick;
  }
  // Records a look at the leader. `needed`: it had left something undone. `idle`: nothing happened,
  // and nothing is to be done.
  void watched(bool needed, bool idle) {
    calm_ticks_ = needed ? 0 : std::min(calm_ticks_ + 1, calm_after);
    idle_ticks_ = idle ? idle_ticks_ + 1 : 0;
    if (idle_ticks_ < quiet_ticks) return;
    quiet_ = true;
    idle_ticks_ = 0;
  }

 private:
  static constexpr unsigned calm_after = 50;
  static constexpr std::chrono::milliseconds slow_tick{8};

  State state_ = State::free;
  std::uint64_t count_ = 0;
  bool step_down_ = false;
  bool quiet_ = false;
  unsigned idle_ticks_ = 0;
  unsigned calm_ticks_ = 0;
};

}  // namespace acp::io
