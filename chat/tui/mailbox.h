// Functions that other threads post to the thread that owns the terminal, and answers that they
// wait for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace acp::chat {

// May be used by several threads. Once closed, it drops what is posted.
class Mailbox {
 public:
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void post(std::function<void()> letter) {
    const std::lock_guard lock(mutex_);
    if (!wake_) return;
    letters_.push_back(std::move(letter));
    wake_();
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }
  std::vector<std::function<void()>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(letters_, {});
  }
  void close() {
    std::vector<std::function<void()>> unread;
    const std::lock_guard lock(mutex_);
    wake_ = nullptr;
    unread.swap(letters_);
  }

 private:
  std::mutex mutex_;
  std::function<void()> wake_;
  std::vector<std::function<void()>> letters_;
};

// An answer that a thread waits for.
template <class T>
class Awaited {
 public:
  void give(T value) {
    const std::lock_guard lock(mutex_);
    if (!value_) value_ = std::move(value);
    given_.notify_all();
  }
  // Waits for the answer; nothing if the token was set first.
  std::optional<T> wait(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    given_.wait(lock, std::move(stop), [this] { return value_.has_value(); });
    return value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any given_;
  std::optional<T> value_;
};

}  // namespace acp::chat
