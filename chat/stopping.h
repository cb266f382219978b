// Ends a run early: by a signal, or a time limit.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

namespace acp::chat {

// Sleeps until the time is over; without one, for ever. Returns false as soon as the token is set.
bool sleep_unless(std::stop_token stop, std::optional<std::chrono::milliseconds> time);

// First sets one token: work in progress should end. After the time of grace it sets the other:
// then nothing is waited for any more.
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

}  // namespace acp::chat
