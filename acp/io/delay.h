// How long until something happens.
#pragma once

#include <algorithm>
#include <chrono>

namespace acp::io {

// Any duration: std::chrono::milliseconds::max() has more nanoseconds than can be counted. What the
// clock cannot show never comes; what is below zero comes at once.
class Delay {
 public:
  using Clock = std::chrono::steady_clock;

  template <class Rep, class Period>
  // NOLINTNEXTLINE(google-explicit-constructor): every duration is one.
  constexpr Delay(std::chrono::duration<Rep, Period> time) {
    using Duration = std::chrono::duration<Rep, Period>;
    using std::chrono::duration_cast;
    if (time > duration_cast<Duration>(Clock::duration::max()))
      time_ = Clock::duration::max();
    else if (time > Duration::zero())
      time_ = duration_cast<Clock::duration>(time);
  }

  constexpr Clock::time_point after(Clock::time_point now) const {
    const Clock::duration most = Clock::time_point::max() - now;
    return now + std::min(time_, most);
  }

 private:
  Clock::duration time_{};
};

}  // namespace acp::io
