// One outcome to wait for, settled once, from any thread: how the answer to a call becomes a Task.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>  // durations
#include <stop_token>
#include <type_traits>
#include <utility>

#include "acp/async/executor.h"

namespace acp {

class BlockingWait;

namespace async {

class Series;

// Does the work that a waiting thread waits for: see wait.h.
class Helper {
 public:
  virtual ~Helper() = default;
  // Returns when the waiting thread has something to run.
  virtual void help(BlockingWait& waiting) = 0;
};

// What may end a wait before its outcome; by default nothing.
struct WaitLimit {
  std::optional<std::chrono::nanoseconds> time = {};
  std::stop_token stop = {};
};

// A lock for a few loads and stores, without <mutex>, which costs compile time in every user's
// file.
class MomentaryLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) taken_.wait(true);
  }
  void unlock() {
    taken_.store(false, std::memory_order_release);
    taken_.notify_one();
  }

 private:
  std::atomic<bool> taken_ = false;
};

// The part that does not depend on the type of the outcome.
class CompletionBase : public std::enable_shared_from_this<CompletionBase> {
 public:
  virtual ~CompletionBase() = default;

  // Where a waiter that runs on no executor goes on: if this was never set, in the call that
  // settles it. And the helper of a thread that waits. Both are set before anybody waits.
  std::weak_ptr<Executor> home;
  std::weak_ptr<Helper> helper;
  // Called if the waiter is destroyed before there is an outcome.
  std::function<void()> on_drop;

  bool ready() const;
  // Returns false if the outcome is there already. Otherwise the waiter later goes on where it runs
  // now.
  bool suspend(std::coroutine_handle<> waiter);
  void drop();
  // Blocks this thread until the outcome is there. Throws TimedOut, Cancelled.
  void block(const WaitLimit& limit);
  // Returns false if it was settled before.
  bool fail(std::exception_ptr error);

 protected:
  // Changes the outcome, and lets the waiter go on. Returns false if it was settled before.
  template <class Change>
  bool settle_with(Change change) {
    lock_.lock();
    if (settled_) {
      lock_.unlock();
      return false;
    }
    settled_ = true;
    change();
    unlock_and_wake();
    return true;
  }
  // Taken out, so that it ends where it is thrown, and not on the thread that lets go of this.
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void unlock_and_wake();

  mutable MomentaryLock lock_;
  bool settled_ = false;
  std::exception_ptr error_;
  std::coroutine_handle<> waiter_;
  std::shared_ptr<Executor> where_;
  std::shared_ptr<Series> series_;   // null if the waiter is of none
  bool anywhere_ = false;            // the waiter goes on in the call that settles this
  BlockingWait* blocked_ = nullptr;  // instead of a coroutine
};

struct Nothing {};

template <class T>
class Completion : public CompletionBase {
 public:
  using Value = std::conditional_t<std::is_void_v<T>, Nothing, T>;
  bool settle(Value value = {}) {
    return settle_with([&] { value_.emplace(std::move(value)); });
  }
  // Takes the outcome, once it is settled.
  T take() {
    rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  std::optional<Value> value_;
};

}  // namespace async

}  // namespace acp
