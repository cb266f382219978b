// Where coroutines go on: the seam for a user's own loop, a GUI thread for instance.
#pragma once

#include <functional>
#include <memory>

namespace acp {

namespace async {
class Series;
}

// Runs functions one at a time, in order.
class Executor : public std::enable_shared_from_this<Executor> {
 public:
  virtual ~Executor() = default;
  // Runs the function later, on the executor's thread, in the order of the calls. From any thread.
  virtual void post(std::function<void()> function) = 0;

  // The executor whose function runs on this thread; null on a thread that belongs to none.
  static Executor* current();

  // While it lives, this thread is the executor's.
  class Scope {
   public:
    explicit Scope(Executor* executor);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Executor* outer_;
    async::Series* outer_series_;
  };
};

}  // namespace acp
