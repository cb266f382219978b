// One thing to wait for, settled once from outside: how callbacks become something to await.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

namespace acp {

// An event of one thread, for settle() and for awaiting. The waiter goes on inside settle().
template <class T>
class Event {
  struct State {
    std::optional<T> value;
    std::coroutine_handle<> waiter;
  };

 public:
  Event() : state_(std::make_shared<State>()) {}

  // The side that settles. If the waiter is gone, settle() does nothing.
  class Source {
   public:
    // Settles the event; only the first call counts.
    void settle(T value) const {
      const auto state = state_.lock();
      if (!state || state->value) return;
      state->value.emplace(std::move(value));
      if (const auto waiter = std::exchange(state->waiter, nullptr)) waiter.resume();
    }
    // Whether somebody may still wait for it.
    bool wanted() const { return !state_.expired(); }

   private:
    friend class Event;
    explicit Source(const std::shared_ptr<State>& state) : state_(state) {}
    std::weak_ptr<State> state_;
  };
  // Makes a source; there may be any number.
  Source source() const { return Source(state_); }

  class Awaiter;
  Awaiter operator co_await() const { return Awaiter(state_); }

 private:
  std::shared_ptr<State> state_;
};

template <class T>
class Event<T>::Awaiter {
 public:
  explicit Awaiter(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Awaiter(const Awaiter&) = delete;
  Awaiter& operator=(const Awaiter&) = delete;
  // A waiter that stops waiting must not be resumed, even if the event lives on.
  ~Awaiter() { state_->waiter = nullptr; }

  bool await_ready() const noexcept { return state_->value.has_value(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { state_->waiter = waiter; }
  T await_resume() { return std::move(*state_->value); }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace acp
