// Tasks that were started together on a thread of no executor go on wherever each is resumed: on
// two threads at once, where they wait for two connections. A series lets one of them run at a
// time.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <vector>

#include "acp/async/completion.h"

namespace acp::async {

class Series : public std::enable_shared_from_this<Series> {
 public:
  // Runs the function here and now; if another thread runs one of this series, that thread does it
  // next.
  void run(std::function<void()> function);

  // The series whose function runs on this thread; null if there is none, or on an executor whose
  // function was called inside.
  static std::shared_ptr<Series> current();

 private:
  MomentaryLock lock_;
  bool running_ = false;
  std::vector<std::function<void()>> queue_;
};

// To be awaited before several tasks are started. On an executor it does nothing.
struct EnterSeries {
  bool await_ready() const noexcept;
  void await_suspend(std::coroutine_handle<> waiter) const;
  void await_resume() const noexcept {}
};

}  // namespace acp::async
