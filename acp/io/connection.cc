#include "acp/io/connection.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "acp/async/blocking_wait.h"

namespace acp::io {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t smallest_buffer = 64 * 1024;
constexpr std::size_t largest_buffer = 1024 * 1024;

// Before the connection has started, and when it has finished.
class Nobody final : public rpc::EngineHandler {
  void on_request(const rpc::RequestId&, std::string_view, JsonView) override {}
  bool on_notification(rpc::NotificationToken, std::string_view, JsonView) override { return true; }
  void on_cancel(const rpc::RequestId&) override {}
};
Nobody nobody;

}  // namespace

void Role::on_frame(rpc::Direction direction, std::string_view text) {
  if (!tap_) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  tap_({direction, std::chrono::nanoseconds(now).count(), text});
}

// ---- the lock

void Connection::Lock::lock() {
  lock_.lock();
  connection_.hold(std::this_thread::get_id());
}
void Connection::Lock::unlock() {
  connection_.hold(std::thread::id());
  lock_.unlock();
}

void Connection::Locked::unlocked(std::function<void()> action) const {
  if (connection_.lead_.processing()) {
    connection_.work_.add_unlocked(std::move(action));
  } else if (!connection_.options_.own_threads) {
    // The program's loop comes by: no thread is needed.
    connection_.work_.add_unlocked(std::move(action));
    connection_.wire_.poke();
  } else {
    connection_.post_blocking(std::move(action));
  }
}

Outbox::Room Connection::Locked::room() const {
  auto waiter = connection_.completion<void>();
  if (congested() && !connection_.ending_.finished())
    connection_.outbox_.wait_for_room(waiter);
  else
    waiter->settle();
  return waiter;
}

// ---- beginning and end

std::shared_ptr<Connection> Connection::open(Transport transport, ConnectionOptions options) {
  return std::shared_ptr<Connection>(new Connection(std::move(transport), std::move(options)));
}

Connection::Connection(Transport transport, ConnectionOptions options)
    : options_(std::move(options)),
      link_(transport.link),
      wire_(std::move(transport)),
      engine_(options_.engine, nobody),
      outbox_(engine_, wire_, options_.now),
      timers_(options_.now) {}

void Connection::start(std::shared_ptr<Role> role) {
  Lock lock(*this);
  role_ = std::move(role);
  engine_.hand_to(*role_);
  if (options_.own_threads) add_thread();
}

void Connection::end_input(const std::string& reason) {
  if (!ending_.end_input()) return;
  const std::shared_ptr<Role> role = role_;
  engine_.end_of_input(link_ ? link_->end_reason() : "");
  role->on_input_ended(reason);
  after(options_.drain_time, [this] {
    if (role_) role_->on_drain_over();
    after(options_.drain_time, [this] {
      ending_.give_up();
      check_finished();
    });
  });
  check_finished();
}

void Connection::close() {
  ending_.ask_to_close();
  Lock lock(*this);
  if (!ending_.close()) return;
  engine_.close();
  if (role_) {
    end_input("the connection was closed");
    const std::shared_ptr<Role> role = role_;
    if (role) role->on_drain_over();
  }
  flushed(outbox_.flush());
  check_finished();
  wire_.poke();
  wake_one();
}

void Connection::end_when_dry(std::string reason) {
  Lock lock(*this);
  ending_.end_when_dry(std::move(reason));
  wire_.poke();
}

void Connection::check_finished() {
  if (ending_.finished() || !ending_.input_ended()) return;
  const bool idle = role_->handlers_running() == 0 && work_.idle();
  const bool sent = outbox_.failed() || outbox_.empty();
  if ((idle && sent) || ending_.given_up()) finish();
}

void Connection::finish() {
  ending_.finish();
  engine_.close();
  outbox_.release_waiting();
  timers_.clear();
  if (!lead_.taken()) wire_.close();
  wire_.poke();
  engine_.hand_to(nobody);
  if (ending_.given_up()) left_running_ = role_;
  role_.reset();
  pool_.wake_all();
  ended_.notify_all();
}

bool Connection::finished() {
  Lock lock(*this);
  return ending_.finished();
}

// ---- work for other threads

void Connection::post(std::function<void()> function) {
  if (locked_by_this_thread_ != nullptr && locked_by_this_thread_ != this) {
    {
      const std::lock_guard lock(posted_mutex_);
      posted_.push_back(std::move(function));
    }
    return wire_.poke();
  }
  std::optional<Lock> lock;
  if (!locked_here()) lock.emplace(*this);
  work_.add_coroutine(std::move(function));
  schedule();
}

void Connection::post_plain(std::function<void()> function) {
  std::optional<Lock> lock;
  if (!locked_here()) lock.emplace(*this);
  work_.add_plain(std::move(function));
  if (!lead_.processing()) wake_one();
}

void Connection::post_blocking(std::function<void()> function) {
  std::optional<Lock> lock;
  if (!locked_here()) lock.emplace(*this);
  work_.add_blocking(std::move(function));
  if (!options_.own_threads) {
    // One that is parked takes one of them; each of the others needs a thread, too.
    if (work_.blocking_wait() > pool_.parked() && pool_.size() < options_.max_threads)
      return add_thread();
    return pool_.wake_one();
  }
  if (!lead_.processing()) wake_one();
}

void Connection::take_posted() {
  std::vector<std::function<void()>> posted;
  {
    const std::lock_guard lock(posted_mutex_);
    posted.swap(posted_);
  }
  if (posted.empty()) return;
  for (auto& function : posted) work_.add_coroutine(std::move(function));
  schedule();
}

// Sees to it that coroutines are run.
void Connection::schedule() {
  if (options_.executor) {
    if (strand_scheduled_ || !work_.coroutines_wait()) return;
    strand_scheduled_ = true;
    const auto self = std::static_pointer_cast<Connection>(shared_from_this());
    options_.executor->post([self] {
      Lock lock(*self);
      self->strand_scheduled_ = false;
      // Otherwise the one who leaves the strand calls this again.
      if (self->work_.strand_ready()) self->run_strand(lock);
      if (self->work_.strand_ready()) self->schedule();
    });
    return;
  }
  // Otherwise the thread that does either goes on with it.
  if (!lead_.processing() && !work_.strand_runs()) wake_one();
}

void Connection::wake_one() {
  if (!options_.own_threads) return wire_.poke();
  if (pool_.parked() > 0)
    pool_.wake_one();
  else if (lead_.asleep())
    wire_.poke();
}

Timers::Id Connection::after(Delay time, std::function<void()> action) {
  const Timers::Id id = timers_.after(time, std::move(action));
  if (lead_.asleep() || !options_.own_threads) wire_.poke();
  return id;
}

// ---- sending

void Connection::send_or_gather() {
  if (outbox_.blocked() || lead_.processing() || outbox_.failed()) return;
  // In a quiet time nobody would come by to send what is left; nor would a program's own loop.
  if (lead_.quiet() || !options_.own_threads) return flush();
  if (outbox_.gather()) flush_now();
}

void Connection::flushed(const Outbox::Result& result) {
  using Flushed = Outbox::Flushed;
  if (result.state == Flushed::blocked) {
    // The thread that waits for the wire must now wait for this, too.
    if (result.changed && lead_.asleep()) wire_.poke();
    return;
  }
  if (result.state == Flushed::failed && result.changed) {
    // What it sent before it went is still to be read.
    if (!ending_.when_dry())
      ending_.end_when_dry(std::string("the other side no longer reads (") +
                           std::strerror(result.code) + ")");
    wire_.poke();
  }
  if (held_back_ && may_add_output()) {
    held_back_ = false;
    pool_.wake_all();
    wake_one();
  }
  if (ending_.input_ended()) check_finished();
}

// ---- reading

bool Connection::wants_input() const {
  // What waits for a handler to end must not fill memory, nor be dropped: the other side waits,
  // too. Unless the handler may itself be waiting for something that is still to be read.
  const bool held = engine_.queue_is_long() && engine_.pending_calls() <= role_->lasting_calls();
  return !held && ending_.takes_input() && role_->takes_input() &&
         outbox_.size() < options_.max_outgoing_bytes;
}

bool Connection::may_add_output() const {
  return ending_.drains() || outbox_.size() < options_.max_outgoing_bytes;
}

void Connection::lead(Lock& lock, bool runs_handlers, bool may_wait) {
  // What was gathered must not wait for what is waited for here.
  flush_now();
  const bool input = wants_input(), output = outbox_.blocked();
  // Decided before the wire is looked at: what came in the meantime is still to be read.
  const bool ends_if_dry = ending_.when_dry() && input;
  Wire::Ready ready;
  Wire::Outcome outcome{Wire::Outcome::Kind::not_now};
  bool probing = false;
  if (buffer_.empty()) buffer_.resize(smallest_buffer);
  {
    std::optional<std::chrono::nanoseconds> timeout =
        may_wait && !ends_if_dry ? timers_.next() : 0ns;
    // A thread that is parked looks after that, and spares us a timer for each wait.
    constexpr auto quiet_time = Lead::quiet_ticks * Lead::tick;
    if (may_wait && !lead_.quiet() && pool_.parked() == 0 && (!timeout || *timeout > quiet_time)) {
      timeout = quiet_time;
      probing = true;
    }
    lead_.take(input);
    lock.unlock();
    if (input && more_to_read_)
      ready.input = true;
    else
      ready = wire_.wait(input, output, timeout);
    if (ready.input) outcome = wire_.read(buffer_.data(), buffer_.size());
    lock.lock();
    lead_.process();
    take_posted();
  }
  if (ending_.finished()) {
    lead_.release();
    wire_.close();
    pool_.wake_all();
    ended_.notify_all();
    return;
  }
  if (ready.input || ready.output) {
    // Back from a quiet time: from now on the leader is watched.
    if (lead_.stir() && pool_.parked() > 0) pool_.wake_one();
  } else if (probing && !has_ready() && !work_.strand_runs()) {
    // Not while a coroutine runs: it may be sending, and each message would go out alone.
    lead_.calm_down();
  }
  if (ready.output) outbox_.unblock();
  if (ready.input) take_input(outcome);
  if (ends_if_dry && !ready.input) end_input(*ending_.when_dry());
  timers_.fire();
  flush();
  lead_.release();
  if (ending_.finished()) wire_.close();
  // Not in a quiet time: nobody would come by to see that nobody leads.
  if (runs_handlers)
    lead_.ask_to_step_down(!lead_.quiet() &&
                           std::any_of(sleeping_.begin(), sleeping_.end(),
                                       [](BlockingWait* waiting) { return waiting->has_work(); }));
  else if (has_ready())
    pool_.parked() > 0 || !options_.own_threads ? wake_one() : add_thread();
  run_unlocked(lock);
}

void Connection::take_input(const Wire::Outcome& outcome) {
  using Kind = Wire::Outcome::Kind;
  more_to_read_ = false;
  switch (outcome.kind) {
    case Kind::done:
      engine_.feed({buffer_.data(), outcome.bytes});
      // Where much is sent there is more. Only large messages need a large buffer: small ones are
      // better off where the processor's caches hold them.
      if (outcome.bytes == buffer_.size()) {
        more_to_read_ = wire_.read_never_waits();
        if (buffer_.size() < largest_buffer && engine_.partial_bytes() >= buffer_.size())
          buffer_.resize(buffer_.size() * 4);
      }
      return;
    case Kind::not_now:
      return;
    case Kind::ended: {
      std::string reason = ending_.when_dry().value_or(link_ ? link_->end_reason() : "");
      if (reason.empty()) reason = "the other side closed the connection";
      return end_input(reason);
    }
    case Kind::failed:
      return end_input(std::string("reading failed: ") + std::strerror(outcome.code));
  }
}

// ---- a program's own loop

std::vector<PollInterest> Connection::watches() {
  Lock lock(*this);
  return wire_.watches(wants_input(), outbox_.blocked());
}

int Connection::timeout() {
  Lock lock(*this);
  if (has_ready() || ((more_to_read_ || ending_.when_dry()) && wants_input())) return 0;
  const auto next = timers_.next();
  if (!next) return -1;
  const auto time = std::chrono::ceil<std::chrono::milliseconds>(*next).count();
  return static_cast<int>(std::min<decltype(time)>(time, std::numeric_limits<int>::max()));
}

void Connection::dispatch() {
  Lock lock(*this);
  if (ending_.finished()) return;
  lead_.calm_down();  // nobody comes by in between: what is sent is sent at once
  lead(lock, true, false);
  run_strand_here(lock);
}

}  // namespace acp::io
