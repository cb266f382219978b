// How long something took, without the time in which it waited for a person.
#pragma once

#include <chrono>
#include <optional>

namespace acp::chat {

class Stopwatch {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Span = std::chrono::steady_clock::duration;

  Stopwatch() = default;
  explicit Stopwatch(Time now) : since_(now) {}

  bool runs() const { return since_.has_value(); }
  void pause(Time now) {
    if (since_) before_ += now - *since_;
    since_.reset();
  }
  void go_on(Time now) {
    if (!since_) since_ = now;
  }
  std::chrono::milliseconds elapsed(Time now) const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
        before_ + (since_ ? now - *since_ : Span(0)));
  }

 private:
  Span before_ = Span(0);
  std::optional<Time> since_;
};

}  // namespace acp::chat
