// Pauses on a connection's clock. One that is destroyed before its time leaves no timer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "acp/async/task.h"
#include "acp/async/wait.h"
#include "acp/io/connection.h"

namespace acp::io {

// Of the connection.
enum class AtTheEnd : std::uint8_t { never_comes, comes_early };

inline Task<async::Nothing> pause(std::shared_ptr<Connection> connection,
                                  std::chrono::milliseconds time, AtTheEnd at_the_end) {
  std::shared_ptr<async::Completion<void>> done;
  {
    Connection::Lock lock(*connection);
    done = connection->completion<void>();
    std::shared_ptr<void> when_forgotten;
    if (at_the_end == AtTheEnd::comes_early)
      when_forgotten.reset(static_cast<void*>(nullptr), [done](void*) { done->settle(); });
    const auto timer = lock.after(time, [done, when_forgotten] { done->settle(); });
    done->on_drop = [weak = std::weak_ptr(connection), timer] {
      const auto connection = weak.lock();
      if (!connection) return;
      Connection::Lock lock(*connection);
      lock.forget(timer);
    };
  }
  // Nobody looks at its timers any more.
  if (at_the_end == AtTheEnd::comes_early && connection->finished()) done->settle();
  co_await Task<void>(done);
  co_return async::Nothing();
}

// Ends early with the connection: ask it which of the two it was.
inline Task<async::Nothing> sleep(std::shared_ptr<Connection> connection,
                                  std::chrono::milliseconds time) {
  return pause(std::move(connection), time, AtTheEnd::comes_early);
}

// For when_any(), beside a request, which the end of the connection makes fail: that is not this
// deadline's to report, so it never comes then.
inline Task<async::Nothing> deadline(std::shared_ptr<Connection> connection,
                                     std::chrono::milliseconds time) {
  return pause(std::move(connection), time, AtTheEnd::never_comes);
}

}  // namespace acp::io
