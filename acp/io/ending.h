// How a connection ends.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace acp::io {

// open → input ended → (given up →) finished; and beside it, whether the end was asked for here.
// Guarded by the connection's lock, except for what says otherwise.
class Ending {
 public:
  enum class Phase : std::uint8_t {
    open,
    input_ended,  // nothing more comes; handlers have their time, and what waits is sent
    given_up,     // their time is over
    finished,     // nothing of the connection runs any more, unless it was given up
  };

  // ---- asked for here
  // Without the lock: close() may have to wait for it.
  void ask_to_close() { close_asked_.store(true, std::memory_order_relaxed); }
  bool close_asked() const { return close_asked_.load(std::memory_order_relaxed); }
  // True the first time, unless it has finished.
  bool close() { return !finished() && !std::exchange(closing_, true); }
  bool closing() const { return closing_; }

  // ---- the other side
  // Nothing more will be written, though others may hold the pipe: what is left in it is the end.
  void end_when_dry(std::string reason) { when_dry_ = std::move(reason); }
  // Why; nothing while more may be written.
  const std::optional<std::string>& when_dry() const { return when_dry_; }

  // ---- phases: each returns true the first time
  bool end_input() { return phase_ == Phase::open && go_to(Phase::input_ended); }
  bool give_up() { return phase_ == Phase::input_ended && go_to(Phase::given_up); }
  void finish() {
    assert(phase_ == Phase::input_ended || phase_ == Phase::given_up);
    left_running_ = phase_ == Phase::given_up;
    phase_ = Phase::finished;
  }
  bool input_ended() const { return phase_ != Phase::open; }
  bool given_up() const { return phase_ == Phase::given_up || left_running_; }
  bool finished() const { return phase_ == Phase::finished; }

  // ---- what follows
  bool takes_input() const { return phase_ == Phase::open && !closing_; }
  // The other side may have ended its output and still read.
  bool can_send() const { return !closing_ && !finished(); }
  // Nothing will be added that is not there already: what is left must go out.
  bool drains() const { return closing_ || input_ended(); }

 private:
  bool go_to(Phase phase) {
    phase_ = phase;
    return true;
  }

  Phase phase_ = Phase::open;
  bool closing_ = false;
  bool left_running_ = false;  // handlers, when it finished
  std::optional<std::string> when_dry_;
  std::atomic<bool> close_asked_ = false;
};

}  // namespace acp::io
