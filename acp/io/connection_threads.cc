// Which thread of a connection does what: who reads, who runs handlers, who looks after the reader.
#include <algorithm>
#include <utility>

#include "acp/async/blocking_wait.h"
#include "acp/io/connection.h"

namespace acp::io {

namespace {

using namespace std::chrono_literals;

// Where the reader needed nobody for so many ticks, it is looked after less often: each look
// disturbs.
constexpr unsigned calm_after = 50;
constexpr auto slow_tick = 8ms;

// The connection whose pool this thread belongs to.
thread_local const Connection* pool_of_this_thread = nullptr;

}  // namespace

void Connection::add_thread() {
  ++threads_;
  const auto self = std::static_pointer_cast<Connection>(shared_from_this());
  for (std::thread& thread : std::exchange(gone_, {})) thread.join();  // at its very end
  std::thread thread([self] { self->thread_main(); });
  pool_.emplace(thread.get_id(), std::move(thread));
}

bool Connection::run_ready(Lock& lock) {
  const bool strand =
      !strand_.empty() && !strand_runs_ && !options_.executor && options_.own_threads;
  // However many functions block: one thread is left to read, and one for coroutines.
  // What was read before the other side stopped reading would add its answers: it waits, too.
  const bool room = may_add_output();
  const bool blocking = !blocking_.empty() && blocking_runs_ + 2 < options_.max_threads && room;
  held_back_ |= !blocking_.empty() && !room;
  if (!strand && !blocking) return false;
  // Somebody must be left to read.
  if (parked_ == 0 && options_.own_threads) {
    if (threads_ < options_.max_threads)
      add_thread();
    else if (in_user_code_ + 1 >= threads_)
      return false;
    else if (leader_waits_)
      wire_.poke();  // nobody looks after it now
  }
  strand ? run_strand(lock) : run_blocking(lock);
  return true;
}

void Connection::run_strand(Lock& lock) {
  strand_runs_ = true;
  ++in_user_code_;
  while (!strand_.empty()) {
    batch_.swap(strand_);
    lock.unlock();
    {
      const Scope scope(options_.executor ? options_.executor.get() : this);
      for (auto& function : batch_) {
        function();
        function = nullptr;
      }
    }
    batch_.clear();
    lock.lock();
    if (!output_blocked_) flush();
  }
  --in_user_code_;
  strand_runs_ = false;
  check_finished();
}

void Connection::run_blocking(Lock& lock) {
  std::function<void()> function = std::move(blocking_.front());
  blocking_.pop_front();
  ++in_user_code_;
  ++blocking_runs_;
  lock.unlock();
  function();
  function = nullptr;
  lock.lock();
  --in_user_code_;
  --blocking_runs_;
  if (!output_blocked_) flush();
  check_finished();
}

void Connection::run_unlocked(Lock& lock) {
  if (unlocked_.empty()) return;
  auto actions = std::exchange(unlocked_, {});
  ++in_user_code_;
  lock.unlock();
  for (const auto& action : actions) action();
  actions.clear();  // what they hold may need the lock to go
  lock.lock();
  --in_user_code_;
  if (!output_blocked_) flush();
  check_finished();
}

void Connection::thread_main() {
  pool_of_this_thread = this;
  Lock lock(*this);
  std::uint64_t seen = lead_count_;
  bool patient = false;  // leaves the lead to others unless they have left it for a tick
  while (!finished_) {
    if (run_ready(lock)) {
      patient = false;
      continue;
    }
    if (options_.own_threads && !led_ && !patient) {
      lead(lock, true, true);
      if (std::exchange(step_down_, false)) {
        patient = true;
        seen = lead_count_;
      }
      continue;
    }
    if (parked_ > 0) break;  // one is enough
    const bool watches = park(lock);
    patient = led_ || lead_count_ != seen;
    if (watches && !finished_) look_after_leader(lead_count_ != seen);
    seen = lead_count_;
    if (!output_blocked_ && !finished_) flush();
  }
  --threads_;
  const auto self = pool_.find(std::this_thread::get_id());
  gone_.push_back(std::move(self->second));
  pool_.erase(self);
  changed_.notify_all();
  ended_.notify_all();
}

// False if it was not to wake up by itself.
bool Connection::park(Lock& lock) {
  const bool watches = !quiet_ && options_.own_threads;
  ++parked_;
  hold(std::thread::id());
  if (watches)
    changed_.wait_for(lock.lock_, calm_ticks_ < calm_after ? tick : slow_tick);
  else
    changed_.wait(lock.lock_);
  hold(std::this_thread::get_id());
  --parked_;
  return watches;
}

void Connection::look_after_leader(bool has_led) {
  const bool needed = (!led_ && !has_led) || !peer_.outgoing().empty();
  calm_ticks_ = needed ? 0 : std::min(calm_ticks_ + 1, calm_after);
  // Not while a coroutine runs: it may be sending, and each message would go out alone.
  const bool idle = leader_waits_ && !has_led && !has_ready() && !strand_runs_;
  idle_ticks_ = idle ? idle_ticks_ + 1 : 0;
  if (idle_ticks_ < quiet_ticks) return;
  quiet_ = true;
  idle_ticks_ = 0;
}

void Connection::help(BlockingWait& waiting) {
  Lock lock(*this);
  while (!waiting.has_work()) {
    if (finished_ || led_) {
      // Somebody else reads, or nothing will come any more: what is posted wakes us.
      flush_now();
      sleeping_.push_back(&waiting);
      lock.unlock();
      waiting.sleep();
      lock.lock();
      std::erase(sleeping_, &waiting);
      return;
    }
    waiting.set_poke([this] { wire_.poke(); });
    lead(lock, !options_.own_threads, true);
    waiting.set_poke(nullptr);
    if (!options_.own_threads && !options_.executor && !strand_runs_ && !strand_.empty())
      run_strand(lock);
  }
  // Whoever sleeps for a quiet connection does not know that nobody reads now.
  if (quiet_) {
    quiet_ = false;
    if (parked_ > 0) changed_.notify_one();
  }
}

bool Connection::wait_finished() {
  Lock lock(*this);
  // A thread of ours cannot wait for itself.
  const unsigned self = pool_of_this_thread == this ? 1 : 0;
  while (!(finished_ && (given_up_ || threads_ <= self))) {
    if (!options_.own_threads && !finished_) {
      lead(lock, true, true);
      if (!options_.executor && !strand_runs_ && !strand_.empty()) run_strand(lock);
      continue;
    }
    hold(std::thread::id());
    ended_.wait(lock.lock_);
    hold(std::this_thread::get_id());
  }
  if (given_up_ && left_behind_ && !strand_runs_) {
    const std::shared_ptr<Role> role = std::move(left_behind_);
    lock.unlock();
    role->drop_handlers();
    lock.lock();
  }
  // When this returns nothing of ours runs any more, not even a thread's last steps.
  std::vector<std::thread> gone = std::exchange(gone_, {});
  const bool all = !given_up_;
  lock.unlock();
  for (std::thread& thread : gone) thread.join();
  return all;
}

}  // namespace acp::io
