// Slows an agent down to the speed of drawing: undrawn text takes memory.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "acp/async/completion.h"
#include "acp/async/wait.h"

namespace acp::chat {

// May be used by several threads.
class Pace {
 public:
  using Wait = std::shared_ptr<async::Completion<bool>>;

  // Returns what is settled when the current content is drawn. Call it before requesting the
  // drawing.
  Wait next_drawn() {
    auto wait = std::make_shared<async::Completion<bool>>();
    const std::lock_guard lock(mutex_);
    closed_ ? void(wait->settle(true)) : waiting_.push_back(wait);
    return wait;
  }
  // Call when all content is drawn.
  void drawn() { go_on(false); }
  // Ends all waiting: nothing is drawn any more.
  void close() { go_on(true); }

 private:
  void go_on(bool for_good) {
    std::vector<Wait> waiting;
    {
      const std::lock_guard lock(mutex_);
      closed_ |= for_good;
      waiting.swap(waiting_);
    }
    for (const Wait& wait : waiting) wait->settle(true);
  }

  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Wait> waiting_;
};

}  // namespace acp::chat
