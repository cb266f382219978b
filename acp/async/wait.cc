#include "acp/async/wait.h"

#include <stdexcept>

#include "acp/async/blocking_wait.h"
#include "acp/async/exclusive.h"

namespace acp {

namespace {
using Clock = std::chrono::steady_clock;

thread_local BlockingWait* current_wait = nullptr;
thread_local async::Exclusive* current_exclusive = nullptr;
}  // namespace

namespace async {
Exclusive* Exclusive::current() { return current_exclusive; }
Exclusive::Scope::Scope(Exclusive* held) : outer_(std::exchange(current_exclusive, held)) {}
Exclusive::Scope::~Scope() { current_exclusive = outer_; }
}  // namespace async

BlockingWait* BlockingWait::current() { return current_wait; }

void BlockingWait::post(std::function<void()> function) {
  std::lock_guard lock(mutex_);
  queue_.push_back(std::move(function));
  if (current_wait == this) return;  // this thread is awake, and looks before it sleeps
  if (poke_) poke_();
  changed_.notify_one();
}

bool BlockingWait::has_work() {
  std::lock_guard lock(mutex_);
  return !queue_.empty();
}

void BlockingWait::set_poke(std::function<void()> poke) {
  std::lock_guard lock(mutex_);
  poke_ = std::move(poke);
}

void BlockingWait::sleep() {
  std::unique_lock lock(mutex_);
  const auto has_work = [&] { return !queue_.empty(); };
  if (end_)
    changed_.wait_until(lock, *end_, has_work);
  else
    changed_.wait(lock, has_work);
}

void BlockingWait::run(const std::function<bool()>& done, const async::WaitLimit& limit) {
  if (Executor::current() != nullptr && dynamic_cast<BlockingWait*>(Executor::current()) == nullptr)
    throw std::logic_error("wait() on an executor's thread: use co_await there");
  const Scope scope(this);
  BlockingWait* const outer = std::exchange(current_wait, this);
  struct Restore {
    BlockingWait* outer;
    ~Restore() { current_wait = outer; }
  } const restore{outer};
  // A time that the clock cannot show is no limit.
  const auto now = Clock::now();
  if (limit.time && *limit.time < Clock::time_point::max() - now) end_ = now + *limit.time;
  const std::stop_callback wake_up(limit.stop, [this] { wake(); });
  std::vector<std::function<void()>> batch;
  while (true) {
    {
      std::lock_guard lock(mutex_);
      batch.swap(queue_);
    }
    for (const auto& function : batch)
      if (function) function();
    const bool ran = !batch.empty();
    batch.clear();
    if (ran && !done()) continue;
    if (done()) return;
    if (limit.stop.stop_requested()) async::throw_cancelled();
    if (end_ && Clock::now() >= *end_) async::throw_timed_out(*limit.time);
    const async::LetOthersRun others;
    if (const auto helper = helper_.lock())
      helper->help(*this);
    else
      sleep();
  }
}

namespace async {

void run_blocking(const std::function<void()>& start, const std::function<bool()>& done,
                  const WaitLimit& limit) {
  const auto here = std::make_shared<BlockingWait>();
  here->post(start);
  here->run(done, limit);
}

}  // namespace async
}  // namespace acp
