// The handlers of a connection that are at work.
#pragma once

#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "acp/async/spawn.h"
#include "acp/handler.h"
#include "acp/io/connection.h"

namespace acp::detail {

// Starts handlers where they belong: coroutines on the connection's executor, plain functions on a
// thread of their own.
class RunningHandlers : public std::enable_shared_from_this<RunningHandlers> {
 public:
  explicit RunningHandlers(std::shared_ptr<io::Connection> connection)
      : connection_(std::move(connection)) {}

  // `done` gets the result or the exception, without the lock. With or without the lock.
  template <class Result, class... Arguments, class Done>
  void run(const Handler<Result(Arguments...)>& handler, Done done, Arguments... arguments) {
    if (handler.may_block()) {
      connection_->post_blocking([&handler, done, arguments...]() mutable {
        std::exception_ptr error;
        std::optional<Value<Result>> result;
        try {
          if constexpr (std::is_void_v<Result>) {
            handler.function()(std::move(arguments)...);
            result.emplace();
          } else {
            result.emplace(handler.function()(std::move(arguments)...));
          }
        } catch (...) {
          error = std::current_exception();
        }
        done(result ? &*result : nullptr, error);
      });
    } else {
      connection_->post([self = shared_from_this(), &handler, done, arguments...]() mutable {
        self->spawn(await<Result, Done, Arguments...>(handler, std::move(done),
                                                      std::move(arguments)...));
      });
    }
  }

  // Something that belongs to the connection, and ends by itself.
  void start(std::function<Task<void>()> make) {
    connection_->post([self = shared_from_this(), make = std::move(make)] { self->spawn(make()); });
  }

  // Destroys those that wait for something that never came. Where no coroutine runs.
  void drop() { running_.clear(); }

 private:
  template <class Result>
  using Value = std::conditional_t<std::is_void_v<Result>, async::Nothing, Result>;

  template <class Result, class Done, class... Arguments>
  static Task<void> await(const Handler<Result(Arguments...)>& handler, Done done,
                          Arguments... arguments) {
    std::exception_ptr error;
    std::optional<Value<Result>> result;
    try {
      Task<Result> task = handler.coroutine()(std::move(arguments)...);
      if constexpr (std::is_void_v<Result>) {
        co_await std::move(task);
        result.emplace();
      } else {
        result.emplace(co_await std::move(task));
      }
    } catch (...) {
      error = std::current_exception();
    }
    done(result ? &*result : nullptr, error);
  }

  // On the executor only.
  void spawn(Task<void> task) {
    struct Slot {
      bool made = false;
    };
    const auto slot = std::make_shared<Slot>();
    running_.emplace_back();
    const auto place = std::prev(running_.end());
    place->emplace(std::move(task), [self = weak_from_this(), slot, place] {
      if (!slot->made) return;
      if (const auto handlers = self.lock()) handlers->running_.erase(place);
    });
    slot->made = true;
    if ((*place)->done()) running_.erase(place);
  }

  std::shared_ptr<io::Connection> connection_;
  std::list<std::optional<Running<void>>> running_;
};

}  // namespace acp::detail
