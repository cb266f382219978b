#include "acp/io/connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "acp/async/blocking_wait.h"

namespace acp::io {

namespace {

using namespace std::chrono_literals;

// What is produced within this time of a write goes out together.
constexpr auto gather_time = 25us;
constexpr std::size_t gather_bytes = 64 * 1024;
constexpr std::size_t smallest_buffer = 64 * 1024;
constexpr std::size_t largest_buffer = 1024 * 1024;

}  // namespace

// ---- the lock

void Connection::Lock::lock() {
  lock_.lock();
  connection_.hold(std::this_thread::get_id());
}
void Connection::Lock::unlock() {
  connection_.hold(std::thread::id());
  lock_.unlock();
}

// ---- beginning and end

std::shared_ptr<Connection> Connection::open(Transport transport, ConnectionOptions options) {
  return std::shared_ptr<Connection>(new Connection(std::move(transport), std::move(options)));
}

Connection::Connection(Transport transport, ConnectionOptions options)
    : options_(std::move(options)), wire_(std::move(transport)), peer_(options_.peer, *this) {}

// Perhaps on one of these threads itself.
Connection::~Connection() {
  for (auto& [id, thread] : pool_) thread.detach();
  for (std::thread& thread : gone_) thread.detach();
}

void Connection::start(std::shared_ptr<Role> role) {
  Lock lock(*this);
  role_ = std::move(role);
  if (options_.own_threads) add_thread();
}

void Connection::end_input(const std::string& reason) {
  if (input_end_seen_ || finished_) return;
  input_end_seen_ = true;
  peer_.end_of_input();
  const std::shared_ptr<Role> role = role_;
  role->on_input_ended(reason);
  after(options_.drain_time, [this] {
    if (role_) role_->on_drain_over();
    after(options_.drain_time, [this] {
      given_up_ = true;
      check_finished();
    });
  });
  check_finished();
}

void Connection::close() {
  close_asked_ = true;
  Lock lock(*this);
  if (closing_ || finished_) return;
  closing_ = true;
  peer_.close();
  if (role_) {
    end_input("the connection was closed");
    const std::shared_ptr<Role> role = role_;
    if (role) role->on_drain_over();
  }
  flush();
  check_finished();
  wire_.poke();
  wake_one();
}

void Connection::end_when_dry(std::string reason) {
  Lock lock(*this);
  end_when_dry_ = std::move(reason);
  wire_.poke();
}

void Connection::check_finished() {
  if (finished_ || !input_end_seen_) return;
  const bool idle = role_->handlers_running() == 0 && strand_.empty() && !strand_runs_ &&
                    blocking_.empty() && in_user_code_ == 0 && unlocked_.empty();
  const bool sent = output_failed_ || peer_.outgoing().empty();
  if ((idle && sent) || given_up_) finish();
}

void Connection::finish() {
  finished_ = true;
  peer_.close();
  for (const auto& waiter : std::exchange(waiting_for_room_, {})) waiter->settle();
  timers_.clear();
  live_timers_.clear();
  if (!led_) wire_.close();
  wire_.poke();
  if (given_up_) left_behind_ = role_;
  role_.reset();
  changed_.notify_all();
  ended_.notify_all();
}

bool Connection::finished() {
  Lock lock(*this);
  return finished_;
}

// ---- what the engine tells

void Connection::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  role_->on_request(id, method, params);
}
bool Connection::on_notification(rpc::NotificationToken token, std::string_view method,
                                 JsonView params) {
  return role_ == nullptr || role_->on_notification(token, method, params);
}
bool Connection::on_streamed(std::string_view params) {
  return role_ != nullptr && role_->on_streamed(params);
}
bool Connection::on_urgent(std::string_view method, JsonView params) {
  return role_->on_urgent(method, params);
}
void Connection::on_cancel(const rpc::RequestId& id) { role_->on_cancel(id); }
void Connection::on_trouble(const rpc::Trouble& trouble) {
  if (role_) role_->on_trouble(trouble);
}
void Connection::on_frame(rpc::Direction direction, std::string_view text) {
  if (!options_.tap) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  options_.tap({direction, std::chrono::nanoseconds(now).count(), text});
}

// ---- work for other threads

void Connection::post(std::function<void()> function) {
  if (locked_here()) {
    strand_.push_back(std::move(function));
    return schedule();
  }
  Lock lock(*this);
  strand_.push_back(std::move(function));
  schedule();
}

void Connection::post_blocking(std::function<void()> function) {
  std::optional<Lock> lock;
  if (!locked_here()) lock.emplace(*this);
  blocking_.push_back(std::move(function));
  if (!options_.own_threads) {
    // Whoever is parked takes one of them; each of the others needs a thread, too.
    if (blocking_.size() > parked_ && threads_ < options_.max_threads) return add_thread();
    return changed_.notify_one();
  }
  if (!processing_) wake_one();
}

void Connection::unlocked(std::function<void()> action) {
  if (processing_) {
    unlocked_.push_back(std::move(action));
  } else if (!options_.own_threads) {
    // The program's loop comes by: no thread is needed.
    unlocked_.push_back(std::move(action));
    wire_.poke();
  } else {
    post_blocking(std::move(action));
  }
}

// Sees to it that what is in strand_ is run.
void Connection::schedule() {
  if (options_.executor) {
    if (strand_scheduled_ || strand_.empty()) return;
    strand_scheduled_ = true;
    const auto self = std::static_pointer_cast<Connection>(shared_from_this());
    options_.executor->post([self] {
      Lock lock(*self);
      self->strand_scheduled_ = false;
      if (!self->strand_runs_) self->run_strand(lock);
      self->schedule();
    });
    return;
  }
  if (processing_ || strand_runs_) return;  // whoever it is goes on with it
  wake_one();
}

void Connection::wake_one() {
  if (!options_.own_threads) return wire_.poke();
  if (parked_ > 0)
    changed_.notify_one();
  else if (leader_waits_)
    wire_.poke();
}

Connection::TimerId Connection::after(std::chrono::nanoseconds time, std::function<void()> action) {
  const TimerId id = next_timer_id_++;
  const auto timer = timers_.emplace(Clock::now() + time, Timer{id, std::move(action)});
  live_timers_.emplace(id, timer);
  if (leader_waits_ || !options_.own_threads) wire_.poke();
  return id;
}

std::optional<std::chrono::nanoseconds> Connection::next_timer() const {
  if (timers_.empty()) return std::nullopt;
  return std::max<std::chrono::nanoseconds>(timers_.begin()->first - Clock::now(), 0ns);
}

void Connection::fire_timers() {
  while (!timers_.empty() && timers_.begin()->first <= Clock::now()) {
    const Timer timer = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    live_timers_.erase(timer.id);
    timer.action();
  }
}

void Connection::forget(TimerId timer) {
  const auto found = live_timers_.find(timer);
  if (found == live_timers_.end()) return;
  timers_.erase(found->second);
  live_timers_.erase(found);
}

// ---- sending

void Connection::send_or_gather() {
  if (output_blocked_ || processing_ || output_failed_) return;
  const std::size_t gathered = peer_.outgoing().size();
  // In a quiet time nobody would come by to send what is left; nor would a program's own loop.
  if (gathered >= gather_bytes || quiet_ || !options_.own_threads) return flush();
  // The clock costs as much as a small message: while they come quickly it is looked at again when
  // there is twice as much. Should they stop coming quickly, a tick sends what is left.
  if (gathered < look_at_clock_) return;
  last_look_ = Clock::now();
  const auto since = last_look_ - last_flush_;
  if (since >= gather_time) return flush(last_look_);
  look_at_clock_ = since < gather_time / 2 ? std::min(2 * gathered, gather_bytes) : 0;
}

void Connection::flush(Clock::time_point now) {
  bool wrote = false;
  while (!output_failed_ && !peer_.outgoing().empty()) {
    const Wire::Outcome outcome = wire_.write(peer_.outgoing());
    if (outcome.kind == Wire::Outcome::Kind::done) {
      peer_.sent(outcome.bytes);
      wrote = true;
      continue;
    }
    if (outcome.kind == Wire::Outcome::Kind::not_now) {
      // Whoever waits for the wire must now wait for this, too.
      if (!output_blocked_ && leader_waits_) wire_.poke();
      output_blocked_ = true;
      last_flush_ = now == Clock::time_point() ? Clock::now() : now;
      return;
    }
    output_failed_ = true;
    // What it sent before it went is still to be read.
    if (!end_when_dry_)
      end_when_dry_ =
          std::string("the other side no longer reads (") + std::strerror(outcome.code) + ")";
    wire_.poke();
  }
  output_blocked_ = false;
  if (wrote) last_flush_ = now == Clock::time_point() ? Clock::now() : now;
  look_at_clock_ = 0;
  if (output_failed_) peer_.sent(peer_.outgoing().size());
  if (!waiting_for_room_.empty() && !congested())
    for (const auto& waiter : std::exchange(waiting_for_room_, {})) waiter->settle();
  if (held_back_ && may_add_output()) {
    held_back_ = false;
    changed_.notify_all();
    wake_one();
  }
  if (input_end_seen_) check_finished();
}

std::shared_ptr<async::Completion<void>> Connection::room() {
  auto waiter = completion<void>();
  if (congested() && !finished_)
    waiting_for_room_.push_back(waiter);
  else
    waiter->settle();
  return waiter;
}

// ---- reading

bool Connection::wants_input() const {
  // What waits for a handler to end must not fill memory, nor be dropped: the other side waits,
  // too. Unless the handler may itself be waiting for something that is still to be read.
  const bool held = peer_.queue_is_long() && peer_.pending_calls() <= role_->lasting_calls();
  return !held && !input_end_seen_ && !closing_ && !finished_ && role_->takes_input() &&
         peer_.outgoing().size() < options_.max_outgoing_bytes;
}

bool Connection::may_add_output() const {
  return closing_ || input_end_seen_ || peer_.outgoing().size() < options_.max_outgoing_bytes;
}

void Connection::lead(Lock& lock, bool runs_handlers, bool may_wait) {
  // What was gathered must not wait for what is waited for here.
  flush_now();
  led_ = true;
  ++lead_count_;
  const bool input = wants_input(), output = output_blocked_;
  // Decided before the wire is looked at: what came in the meantime is still to be read.
  const bool ends_if_dry = end_when_dry_ && input;
  Wire::Ready ready;
  Wire::Outcome outcome{Wire::Outcome::Kind::not_now};
  bool probing = false;
  if (buffer_.empty()) buffer_.resize(smallest_buffer);
  {
    std::optional<std::chrono::nanoseconds> timeout = may_wait && !ends_if_dry ? next_timer() : 0ns;
    // Somebody who is parked looks after that, and spares us a timer for each wait.
    if (may_wait && !quiet_ && parked_ == 0 && (!timeout || *timeout > quiet_ticks * tick)) {
      timeout = quiet_ticks * tick;
      probing = true;
    }
    leader_waits_ = true;
    leader_reads_ = input;
    lock.unlock();
    if (input && more_to_read_)
      ready.input = true;
    else
      ready = wire_.wait(input, output, timeout);
    if (ready.input) outcome = wire_.read(buffer_.data(), buffer_.size());
    lock.lock();
    leader_waits_ = false;
  }
  if (finished_) {
    led_ = false;
    wire_.close();
    changed_.notify_all();
    ended_.notify_all();
    return;
  }
  if (ready.input || ready.output) {
    // Back from a quiet time: from now on somebody watches.
    if (std::exchange(quiet_, false) && parked_ > 0) changed_.notify_one();
  } else if (probing && !has_ready() && !strand_runs_) {
    // Not while a coroutine runs: it may be sending, and each message would go out alone.
    quiet_ = true;
  }
  processing_ = true;
  if (ready.output) output_blocked_ = false;
  if (ready.input) take_input(outcome);
  if (ends_if_dry && !ready.input) end_input(*end_when_dry_);
  fire_timers();
  if (!output_blocked_) flush();
  processing_ = false;
  led_ = false;
  if (finished_) wire_.close();
  // Not in a quiet time: nobody would come by to see that nobody leads.
  if (runs_handlers)
    step_down_ = !quiet_ && std::any_of(sleeping_.begin(), sleeping_.end(),
                                        [](BlockingWait* waiting) { return waiting->has_work(); });
  else if (has_ready())
    parked_ > 0 || !options_.own_threads ? wake_one() : add_thread();
  run_unlocked(lock);
}

void Connection::take_input(const Wire::Outcome& outcome) {
  using Kind = Wire::Outcome::Kind;
  more_to_read_ = false;
  switch (outcome.kind) {
    case Kind::done:
      peer_.feed({buffer_.data(), outcome.bytes});
      // Somebody who sends much has more. Only large messages need a large buffer: small ones are
      // better off where the processor's caches hold them.
      if (outcome.bytes == buffer_.size()) {
        more_to_read_ = wire_.read_never_waits();
        if (buffer_.size() < largest_buffer && peer_.partial_bytes() >= buffer_.size())
          buffer_.resize(buffer_.size() * 4);
      }
      return;
    case Kind::not_now:
      return;
    case Kind::ended:
      return end_input(end_when_dry_.value_or("the other side closed the connection"));
    case Kind::failed:
      return end_input(std::string("reading failed: ") + std::strerror(outcome.code));
  }
}

// ---- a program's own loop

std::vector<Watch> Connection::watches() {
  Lock lock(*this);
  return wire_.watches(wants_input(), output_blocked_);
}

int Connection::timeout() {
  Lock lock(*this);
  if (has_ready() || (more_to_read_ && wants_input())) return 0;
  const auto next = next_timer();
  return next ? static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(*next).count()) : -1;
}

void Connection::dispatch() {
  Lock lock(*this);
  if (finished_) return;
  quiet_ = true;  // nobody comes by in between: what is sent is sent at once
  lead(lock, true, false);
  if (!options_.executor && !strand_runs_ && !strand_.empty()) run_strand(lock);
}

}  // namespace acp::io
