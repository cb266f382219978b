// Which thread of a connection does what: who reads, who runs handlers, who watches the reader.
#include <utility>

#include "acp/async/blocking_wait.h"
#include "acp/io/connection.h"

namespace acp::io {

namespace {

// The connection whose pool this thread belongs to.
thread_local const Connection* pool_of_this_thread = nullptr;
// The connection whose coroutines this thread runs right now.
thread_local const Connection* strand_of_this_thread = nullptr;

}  // namespace

void Connection::add_thread() {
  pool_.add(
      [self = std::static_pointer_cast<Connection>(shared_from_this())] { self->thread_main(); });
}

bool Connection::run_ready(Lock& lock) {
  const bool strand = work_.strand_ready() && !options_.executor && options_.own_threads;
  // However many functions block: one thread is left to read, and one for coroutines.
  // What was read before the other side stopped reading would add its answers: it waits, too.
  const bool room = may_add_output();
  const bool allowed = room && work_.blocking_run() + 2 < options_.max_threads;
  const bool blocking = allowed && work_.blocking_wait() > 0;
  const bool plain = allowed && work_.plain_ready() && options_.own_threads;
  held_back_ |= !room && (work_.blocking_wait() > 0 || work_.plain_waits());
  if (!strand && !plain && !blocking) return false;
  // One must be left to read.
  if (pool_.parked() == 0 && options_.own_threads) {
    if (pool_.size() < options_.max_threads)
      add_thread();
    else if (work_.running() + 1 >= pool_.size())
      return false;
    else if (lead_.asleep())
      wire_.poke();  // nobody watches it now
  }
  if (plain && (plain_first_ || !strand))
    run_plain(lock);
  else
    strand ? run_strand(lock) : run_blocking(lock);
  return true;
}

void Connection::run_strand_here(Lock& lock) {
  if (!options_.executor && work_.strand_ready()) run_strand(lock);
  while (!ending_.finished() && work_.plain_ready() && may_add_output()) run_plain(lock);
}

void Connection::run_strand(Lock& lock) {
  plain_first_ = true;
  work_.begin_strand();
  const Connection* const outer = std::exchange(strand_of_this_thread, this);
  while (work_.coroutines_wait() && !work_.strand_claimed()) {
    auto& batch = work_.take_coroutines();
    lock.unlock();
    {
      const Executor::Scope scope(options_.executor ? options_.executor.get() : this);
      for (auto& function : batch) {
        function();
        function = nullptr;
      }
    }
    lock.lock();
    flush();
  }
  strand_of_this_thread = outer;
  work_.end_strand();
  if (work_.strand_claimed()) strand_free_.notify_one();
  check_finished();
}

void Connection::run_plain(Lock& lock) {
  plain_first_ = false;
  std::function<void()> function = work_.begin_plain();
  lock.unlock();
  {
    const Exclusive::Scope held(this);
    function();
    function = nullptr;
  }
  lock.lock();
  work_.end_plain();
  strand_left();
  flush();
  check_finished();
}

void Connection::leave() {
  const Lock lock(*this);
  work_.leave_strand();
  strand_left();
}

void Connection::enter() {
  Lock lock(*this);
  work_.claim_strand();
  while (work_.strand_runs()) {
    hold(std::thread::id());
    strand_free_.wait(lock.lock_);
    hold(std::this_thread::get_id());
  }
  work_.take_claimed();
}

// Who waits for it goes on.
void Connection::strand_left() {
  if (work_.strand_claimed()) return strand_free_.notify_one();
  if (work_.coroutines_wait()) schedule();
  if (work_.plain_waits() && !lead_.processing()) wake_one();
}

void Connection::run_blocking(Lock& lock) {
  std::function<void()> function = work_.begin_blocking();
  lock.unlock();
  function();
  function = nullptr;
  lock.lock();
  work_.end_blocking();
  flush();
  check_finished();
}

void Connection::run_unlocked(Lock& lock) {
  if (!work_.unlocked_wait()) return;
  auto actions = work_.begin_unlocked();
  lock.unlock();
  for (const auto& action : actions) action();
  actions.clear();  // what they hold may need the lock to go
  lock.lock();
  work_.end_unlocked();
  flush();
  check_finished();
}

void Connection::thread_main() {
  pool_of_this_thread = this;
  Lock lock(*this);
  std::uint64_t seen = lead_.count();
  bool patient = false;  // leaves the lead to others unless they have left it for a tick
  while (!ending_.finished()) {
    if (run_ready(lock)) {
      patient = false;
      continue;
    }
    if (options_.own_threads && !lead_.taken() && !patient) {
      lead(lock, true, true);
      if (lead_.steps_down()) {
        patient = true;
        seen = lead_.count();
      }
      continue;
    }
    if (pool_.parked() > 0) break;  // one is enough
    const bool watches = park(lock);
    const bool has_led = lead_.count() != seen;
    patient = lead_.taken() || has_led;
    if (watches && !ending_.finished()) {
      const bool needed = (!lead_.taken() && !has_led) || !outbox_.empty();
      // Not while a coroutine runs: it may be sending, and each message would go out alone.
      const bool idle = lead_.asleep() && !has_led && !has_ready() && !work_.strand_runs();
      lead_.watched(needed, idle);
    }
    seen = lead_.count();
    if (!ending_.finished()) flush();
  }
  pool_.leave();
  ended_.notify_all();
}

// False if it was not to wake up by itself.
bool Connection::park(Lock& lock) {
  const bool watches = !lead_.quiet() && options_.own_threads;
  hold(std::thread::id());
  pool_.park(lock.lock_, watches ? std::optional(lead_.watch_time()) : std::nullopt);
  hold(std::this_thread::get_id());
  return watches;
}

void Connection::help(BlockingWait& waiting) {
  Lock lock(*this);
  // A thread that reads sleeps no longer than the first timer allows.
  struct Alarm {
    Lock& lock;
    std::optional<Timers::Id> id;
    ~Alarm() {
      if (id) lock.forget(*id);
    }
  } alarm{lock, {}};
  if (const auto end = waiting.end())
    alarm.id = lock.after(*end - Timers::Clock::now(), [&waiting] { waiting.wake(); });
  while (!waiting.has_work()) {
    if (ending_.finished() || lead_.taken()) {
      // Another thread reads, or nothing will come any more: what is posted wakes us.
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
    if (!options_.own_threads) run_strand_here(lock);
  }
  // A thread that sleeps for a quiet connection does not know that nobody reads now.
  if (lead_.stir() && pool_.parked() > 0) pool_.wake_one();
}

bool Connection::wait_finished() {
  Lock lock(*this);
  // What runs on the strand cannot wait for its own end: the connection ends after it.
  if (strand_of_this_thread == this) return ending_.finished();
  // A thread of ours cannot wait for itself.
  const unsigned self = pool_of_this_thread == this ? 1 : 0;
  while (!(ending_.finished() && (ending_.given_up() || pool_.size() <= self))) {
    if (!options_.own_threads && !ending_.finished()) {
      lead(lock, true, true);
      run_strand_here(lock);
      continue;
    }
    hold(std::thread::id());
    ended_.wait(lock.lock_);
    hold(std::this_thread::get_id());
  }
  if (ending_.given_up() && left_running_ && !work_.strand_runs()) {
    const std::shared_ptr<Role> role = std::move(left_running_);
    lock.unlock();
    role->drop_handlers();
    lock.lock();
  }
  // When this returns nothing of ours runs any more, not even a thread's last steps.
  std::vector<std::thread> gone = pool_.take_gone();
  const bool all = !ending_.given_up();
  lock.unlock();
  for (std::thread& thread : gone) thread.join();
  return all;
}

}  // namespace acp::io
