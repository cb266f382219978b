#include "acp/io/outbox.h"

#include <algorithm>
#include <utility>

namespace acp::io {

namespace {

using namespace std::chrono_literals;

// What is produced within this time of a write goes out together.
constexpr auto gather_time = 25us;
constexpr std::size_t gather_bytes = 64 * 1024;

}  // namespace

bool Outbox::gather() {
  const std::size_t gathered = size();
  if (gathered >= gather_bytes) {
    last_look_ = {};
    return true;
  }
  // Reading the clock costs as much as a small message: while they come quickly it is read again
  // when there is twice as much. Should they stop coming quickly, a tick sends what is left.
  if (gathered < look_at_) return false;
  last_look_ = now_();
  const auto since = last_look_ - last_flush_;
  if (since >= gather_time) return true;
  look_at_ = since < gather_time / 2 ? std::min(2 * gathered, gather_bytes) : 0;
  return false;
}

Outbox::Result Outbox::flush(Clock::time_point now) {
  const auto time = [&] { return now == Clock::time_point() ? now_() : now; };
  Result result{Flushed::all};
  bool wrote = false;
  while (!failed() && !empty()) {
    const Wire::Outcome outcome = wire_.write(engine_.outgoing());
    if (outcome.kind == Wire::Outcome::Kind::done) {
      engine_.sent(outcome.bytes);
      wrote = true;
      continue;
    }
    if (outcome.kind == Wire::Outcome::Kind::not_now) {
      last_flush_ = time();
      return {Flushed::blocked, std::exchange(state_, State::blocked) != State::blocked};
    }
    state_ = State::failed;
    result = {Flushed::failed, true, outcome.code};
  }
  unblock();
  if (wrote) last_flush_ = time();
  look_at_ = 0;
  if (failed()) {
    result.state = Flushed::failed;
    engine_.sent(size());
  }
  if (!congested()) release_waiting();
  return result;
}

void Outbox::release_waiting() {
  if (waiting_.empty()) return;
  for (const Room& waiter : std::exchange(waiting_, {})) waiter->settle();
}

}  // namespace acp::io
