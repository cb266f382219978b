#include "acp/io/timers.h"

#include <algorithm>
#include <utility>

namespace acp::io {

Timers::Id Timers::after(Delay time, std::function<void()> action) {
  const Id id = next_id_++;
  by_id_.emplace(id, queue_.emplace(time.after(now_()), Timer{id, std::move(action)}));
  return id;
}

void Timers::forget(Id timer) {
  const auto found = by_id_.find(timer);
  if (found == by_id_.end()) return;
  queue_.erase(found->second);
  by_id_.erase(found);
}

void Timers::clear() {
  queue_.clear();
  by_id_.clear();
}

std::optional<std::chrono::nanoseconds> Timers::next() const {
  if (queue_.empty()) return std::nullopt;
  return std::max<std::chrono::nanoseconds>(queue_.begin()->first - now_(),
                                            std::chrono::nanoseconds(0));
}

void Timers::fire() {
  while (!queue_.empty() && queue_.begin()->first <= now_()) {
    const Timer timer = std::move(queue_.begin()->second);
    queue_.erase(queue_.begin());
    by_id_.erase(timer.id);
    timer.action();
  }
}

}  // namespace acp::io
