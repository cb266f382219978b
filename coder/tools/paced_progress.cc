#include "coder/tools/paced_progress.h"

#include <utility>

namespace acp::coder {

PacedProgress::~PacedProgress() {
  later_.request_stop();
  if (later_.joinable()) later_.join();
}

void PacedProgress::tell(Content content) {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (const Clock::time_point now = Clock::now(); now >= next_) {
    waiting_.reset();
    show_(std::move(content));
    next_ = Clock::now() + between_;
    return;
  }
  const bool first = !std::exchange(waiting_, std::move(content));
  if (!later_.joinable())
    later_ = std::jthread([this](const std::stop_token& stop) { show_later(stop); });
  else if (first)
    changed_.notify_all();
}

void PacedProgress::show_later(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait(lock, stop, [&] { return waiting_.has_value(); });
    const Clock::time_point until = next_;  // a copy: it is read while the lock is not held
    changed_.wait_until(lock, stop, until, [] { return false; });
    if (stop.stop_requested()) return;
    if (!waiting_ || Clock::now() < next_) continue;
    try {
      show_(std::move(*std::exchange(waiting_, std::nullopt)));
    } catch (...) {
      failure_ = std::current_exception();
      return;
    }
    next_ = Clock::now() + between_;
  }
}

}  // namespace acp::coder
