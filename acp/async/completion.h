// One outcome to wait for, settled once, from any thread: how the answer to a call becomes
// something to await.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "acp/async/executor.h"

namespace acp {

class BlockingWait;

namespace async {

// Works off what a waiting thread waits for: see wait.h.
class Helper {
 public:
  virtual ~Helper() = default;
  // Returns when the waiting thread has something to run.
  virtual void help(BlockingWait& waiting) = 0;
};

// For moments: a few loads and stores. (<mutex> would cost every user's file its compile time.)
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

  // Where a waiter goes on that runs on no executor; and who helps a thread that waits. Both are
  // set before anybody waits.
  std::weak_ptr<Executor> home;
  std::weak_ptr<Helper> helper;
  // Called if the waiter goes before there is an outcome: nobody wants it any more.
  std::function<void()> on_drop;

  bool ready() const;
  // False if the outcome is there already. The waiter goes on where it runs now.
  bool suspend(std::coroutine_handle<> waiter);
  void drop();
  // Blocks this thread until the outcome is there.
  void block();
  void fail(std::exception_ptr error);

 protected:
  // Changes the outcome, and lets the waiter go on. False if it was settled before.
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
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void unlock_and_wake();

  mutable MomentaryLock lock_;
  bool settled_ = false;
  std::exception_ptr error_;
  std::coroutine_handle<> waiter_;
  std::shared_ptr<Executor> where_;
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
  // Once it is settled.
  T take() {
    rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  std::optional<Value> value_;
};

}  // namespace async

// An outcome to be awaited, once. Destroying it before the outcome is there says that nobody wants
// it: a request is cancelled.
template <class T>
class [[nodiscard("co_await it, or wait() for it")]] Pending {
 public:
  explicit Pending(std::shared_ptr<async::Completion<T>> completion)
      : completion_(std::move(completion)) {}
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&& other) noexcept {
    if (this == &other) return *this;
    release();
    completion_ = std::move(other.completion_);
    return *this;
  }
  ~Pending() { release(); }

  class Awaiter {
   public:
    explicit Awaiter(std::shared_ptr<async::Completion<T>> completion)
        : completion_(std::move(completion)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (completion_) completion_->drop();
    }
    bool await_ready() const { return completion_->ready(); }
    bool await_suspend(std::coroutine_handle<> waiter) { return completion_->suspend(waiter); }
    T await_resume() { return completion_->take(); }

   private:
    std::shared_ptr<async::Completion<T>> completion_;
  };
  Awaiter operator co_await() && { return Awaiter(std::move(completion_)); }

  bool ready() const { return completion_->ready(); }
  // Blocks this thread; not for an executor's. Defined in wait.h.
  T wait() &&;

 private:
  void release() {
    if (completion_) completion_->drop();
    completion_.reset();
  }
  std::shared_ptr<async::Completion<T>> completion_;
};

}  // namespace acp
