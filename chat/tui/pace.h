// Lets an agent go no faster than its words can be drawn: what waits for the terminal is memory.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "acp/async/completion.h"
#include "acp/async/wait.h"

namespace acp::chat {

// For all threads.
class Pace {
 public:
  using Wait = std::shared_ptr<async::Completion<bool>>;

  // So much has come. Something to wait for if enough waits to be drawn.
  Wait came(std::size_t weight) {
    const std::lock_guard lock(mutex_);
    waiting_ += weight;
    if (waiting_ < most || closed_) return nullptr;
    if (!held_) held_ = std::make_shared<async::Completion<bool>>();
    return held_;
  }
  // Everything that has come is drawn.
  void drawn() { go_on(false); }
  // Nothing is drawn any more: nobody is to wait.
  void close() { go_on(true); }

 private:
  static constexpr std::size_t most = 4000;

  void go_on(bool for_good) {
    Wait held;
    {
      const std::lock_guard lock(mutex_);
      waiting_ = 0;
      closed_ |= for_good;
      held.swap(held_);
    }
    if (held) held->settle(true);
  }

  std::mutex mutex_;
  std::size_t waiting_ = 0;
  bool closed_ = false;
  Wait held_;
};

}  // namespace acp::chat
