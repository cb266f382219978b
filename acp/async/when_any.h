// Waiting for the first of two tasks; the other is cancelled by being destroyed. The base of
// time-outs.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "acp/async/event.h"
#include "acp/async/series.h"
#include "acp/async/spawn.h"
#include "acp/async/task.h"

namespace acp {

namespace async {
// For when_any(), which takes tasks with a value.
inline Task<Nothing> with_value(Task<void> task) {
  co_await std::move(task);
  co_return Nothing();
}
}  // namespace async

// The first task to end gives the result, or the exception. Both run on the executor that awaits;
// where there is none, one at a time.
template <class A, class B>
Task<std::variant<A, B>> when_any(Task<A> first, Task<B> second) {
  const async::EnterSeries one_at_a_time;
  co_await one_at_a_time;
  Event<int> ended;
  const auto source = ended.source();
  Running<A> a(std::move(first), [source] { source.settle(0); });
  // If the first has ended already, the second is never begun.
  if (a.done()) co_return std::variant<A, B>(std::in_place_index<0>, a.take());
  Running<B> b(std::move(second), [source] { source.settle(1); });
  const int which = co_await ended;
  if (which == 0) co_return std::variant<A, B>(std::in_place_index<0>, a.take());
  co_return std::variant<A, B>(std::in_place_index<1>, b.take());
}

}  // namespace acp
