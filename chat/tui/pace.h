// Lets an agent go no faster than its words can be drawn: what waits for the terminal is memory.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "acp/async/completion.h"
#include "acp/async/wait.h"

namespace acp::chat {

// For all threads.
class Pace {
 public:
  using Wait = std::shared_ptr<async::Completion<bool>>;

  // Settled when what there is now is drawn. Ask for it before the drawing is asked for.
  Wait next_drawn() {
    auto wait = std::make_shared<async::Completion<bool>>();
    const std::lock_guard lock(mutex_);
    closed_ ? void(wait->settle(true)) : waiting_.push_back(wait);
    return wait;
  }
  // Everything that has come is drawn.
  void drawn() { go_on(false); }
  // Nothing is drawn any more: nobody is to wait.
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
