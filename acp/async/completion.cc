#include "acp/async/completion.h"

#include <mutex>

#include "acp/async/blocking_wait.h"
#include "acp/async/series.h"

namespace acp {

namespace async {

bool CompletionBase::ready() const {
  std::lock_guard lock(lock_);
  return settled_;
}

bool CompletionBase::suspend(std::coroutine_handle<> waiter) {
  std::lock_guard lock(lock_);
  if (settled_) return false;
  waiter_ = waiter;
  const auto same = [](const auto& a, const auto& b) {
    return !a.owner_before(b) && !b.owner_before(a);
  };
  if (Executor* const here = Executor::current())
    where_ = here->shared_from_this();
  else if (same(home, std::weak_ptr<Executor>()))
    anywhere_ = true;
  else
    where_ = home.lock();
  series_ = Series::current();
  if (BlockingWait* const blocking = BlockingWait::current()) blocking->set_helper(helper);
  return true;
}

void CompletionBase::block(const WaitLimit& limit) {
  BlockingWait here;
  {
    std::lock_guard lock(lock_);
    if (settled_) return;
    blocked_ = &here;
    here.set_helper(helper);
  }
  // The thread that settles it may still be using the place.
  struct Leave {
    CompletionBase& self;
    ~Leave() {
      std::lock_guard lock(self.lock_);
      self.blocked_ = nullptr;
    }
  } const leave{*this};
  here.run([this] { return ready(); }, limit);
}

void CompletionBase::drop() {
  std::function<void()> unwanted;
  {
    std::lock_guard lock(lock_);
    waiter_ = nullptr;
    if (!settled_) unwanted = std::move(on_drop);
    on_drop = nullptr;
  }
  if (unwanted) unwanted();
}

bool CompletionBase::fail(std::exception_ptr error) {
  return settle_with([&] { error_ = std::move(error); });
}

// The waiter is looked up again where it goes on: it may have been destroyed on the way.
void CompletionBase::unlock_and_wake() {
  if (blocked_ != nullptr) blocked_->wake();
  const std::shared_ptr<Executor> where = std::move(where_);
  const std::shared_ptr<Series> series = std::move(series_);
  const bool waits = waiter_ && (where || anywhere_);
  lock_.unlock();
  if (!waits) return;
  const auto wake = [self = shared_from_this()] {
    std::coroutine_handle<> waiter;
    {
      std::lock_guard again(self->lock_);
      waiter = std::exchange(self->waiter_, nullptr);
    }
    if (waiter) waiter.resume();
  };
  if (series) {
    const auto wake_in_series = [series, wake] { series->run(wake); };
    where ? where->post(wake_in_series) : wake_in_series();
  } else {
    where ? where->post(wake) : wake();
  }
}

}  // namespace async
}  // namespace acp
