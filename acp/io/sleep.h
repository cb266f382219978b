// A pause on a connection's clock: with when_any(), a deadline.
#pragma once

#include <chrono>
#include <memory>

#include "acp/async/task.h"
#include "acp/async/wait.h"
#include "acp/io/connection.h"

namespace acp::io {

// Destroyed before its time, it leaves no timer. Ends early with the connection, whose timers end,
// too.
inline Task<async::Nothing> sleep(std::shared_ptr<Connection> connection,
                                  std::chrono::milliseconds time) {
  std::shared_ptr<async::Completion<void>> done;
  {
    Connection::Lock lock(*connection);
    done = connection->completion<void>();
    // Also settles when the timer is forgotten.
    const std::shared_ptr<void> forgotten(nullptr, [done](void*) { done->settle(); });
    const auto timer = lock.after(time, [done, forgotten] { done->settle(); });
    done->on_drop = [weak = std::weak_ptr(connection), timer] {
      const auto connection = weak.lock();
      if (!connection) return;
      Connection::Lock lock(*connection);
      lock.forget(timer);
    };
  }
  if (connection->finished()) done->settle();  // nobody looks at its timers
  co_await Task<void>(done);
  co_return async::Nothing();
}

}  // namespace acp::io
