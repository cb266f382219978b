// A connection that runs: the engine, its descriptors, and the threads on which user code is
// called.
//
// One lock guards the engine. It is held for the engine's own steps, which never wait, and never
// while user code runs. Whoever holds the lead reads: a thread of the connection, or one that waits
// for an answer and so reads it itself. A thread that reads also runs the handlers of what it read,
// which saves the hop to another thread; should a handler keep it longer than a few milliseconds,
// another thread takes the lead.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "acp/async/completion.h"
#include "acp/async/executor.h"
#include "acp/io/tap.h"
#include "acp/io/wire.h"
#include "acp/rpc/peer.h"

namespace acp::io {

struct ConnectionOptions {
  rpc::PeerOptions peer;
  // Where coroutines run; null: on the connection's own threads, one at a time.
  std::shared_ptr<Executor> executor;
  // False: the program has a loop of its own and calls dispatch().
  bool own_threads = true;
  // For plain functions, which may block.
  unsigned max_threads = 64;
  // Bytes that wait to be sent: above this nothing more is read, so that a side that asks and never
  // reads cannot fill our memory.
  std::size_t max_outgoing_bytes = 16 * 1024 * 1024;
  // After the other side's end, handlers have this long to end; then they are told to stop, and
  // have it once more.
  std::chrono::milliseconds drain_time{1000};
  // Sees every frame, in order. It must be quick, and must not call the connection.
  Tap tap;
};

// What a connection is for: the agent's role, or the client's. Called with the connection locked.
class Role {
 public:
  virtual ~Role() = default;
  virtual void on_request(const rpc::RequestId& id, std::string_view method, JsonView params) = 0;
  virtual bool on_notification(rpc::NotificationToken token, std::string_view method,
                               JsonView params) = 0;
  virtual bool on_streamed(std::string_view /*params*/) { return false; }
  virtual bool on_urgent(std::string_view method, JsonView params) = 0;
  virtual void on_cancel(const rpc::RequestId& id) = 0;
  virtual void on_trouble(const rpc::Trouble& trouble) = 0;
  // Nothing more will come. What waits for an answer has failed.
  virtual void on_input_ended(const std::string& reason) = 0;
  // Handlers had their time: tell them to stop.
  virtual void on_drain_over() = 0;
  // False while the other side should wait: what it sent has not been taken yet.
  virtual bool takes_input() const { return true; }
  // Of our requests those that no handler waits for: turns, which last as long as they like.
  virtual std::size_t lasting_calls() const { return 0; }
  // Handlers that have not ended.
  virtual std::size_t handlers_running() const = 0;
  // Without the lock, when nothing runs any more: coroutines that did not end are destroyed.
  virtual void drop_handlers() = 0;
};

class Connection final : public Executor, public async::Helper, private rpc::PeerHandler {
 public:
  using Clock = std::chrono::steady_clock;
  using TimerId = std::uint64_t;

  // The connection's lock, held for as long as it lives.
  class Lock {
   public:
    explicit Lock(Connection& connection) : connection_(connection), lock_(connection.mutex_) {
      connection_.hold(std::this_thread::get_id());
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
      if (lock_.owns_lock()) connection_.hold(std::thread::id());
    }
    void lock();
    void unlock();

   private:
    friend class Connection;
    Connection& connection_;
    std::unique_lock<std::mutex> lock_;
  };

  static std::shared_ptr<Connection> open(Transport transport, ConnectionOptions options);
  ~Connection() override;

  // Begins to read. The connection lets go of the role when it has finished.
  void start(std::shared_ptr<Role> role);

  // ---- with the lock ----
  rpc::Peer& peer() { return peer_; }
  // After calls to the peer: sends what there is, at once or with what follows in the next moment.
  void sent_something() {
    input_wanted();
    if (peer_.outgoing().size() >= look_at_clock_ || quiet_) send_or_gather();
  }
  // The moment may be told a little too early: then what follows is gathered for a shorter time.
  void flush_now() {
    if (!output_blocked_) flush(last_look_);
  }
  // Runs soon, without the lock.
  void unlocked(std::function<void()> action);
  // Runs with the lock held.
  TimerId after(std::chrono::nanoseconds time, std::function<void()> action);
  void forget(TimerId timer);
  bool congested() const { return peer_.congested() && !output_failed_; }
  // No answer will come any more.
  bool ended() const { return peer_.input_ended() || output_failed_; }
  // The other side may have ended its output and still read.
  bool can_send() const { return !output_failed_ && !closing_ && !finished_; }
  // close() was called, and perhaps still waits for the lock, while the other side does not read.
  bool drops_answers() const { return close_asked_.load(std::memory_order_relaxed) && congested(); }
  // Settled when there is room again.
  std::shared_ptr<async::Completion<void>> room();
  template <class T>
  std::shared_ptr<async::Completion<T>> completion() {
    auto made = std::make_shared<async::Completion<T>>();
    made->home = weak_from_this();
    made->helper = std::static_pointer_cast<Connection>(shared_from_this());
    return made;
  }
  // The role takes input again, or a handler has ended that others waited for.
  void input_wanted() {
    if (leader_waits_ && !leader_reads_ && wants_input()) wire_.poke();
  }
  // A handler, or something it waited for, has ended: perhaps that was the last.
  void check_finished();

  // ---- without the lock, from any thread ----
  // With or without the lock.
  void post(std::function<void()> function) override;
  // For functions that may block, each on a thread of its own.
  // With or without the lock.
  void post_blocking(std::function<void()> function);
  void help(BlockingWait& waiting) override;
  // Sends what is left, then closes. Whoever waits is told so.
  void close();
  // Whoever wrote to us is gone, though others may hold the pipe: what is left of it is the end.
  void end_when_dry(std::string reason);
  // Blocks until everything has ended, or was given up on. False if handlers were left behind.
  bool wait_finished();
  bool finished();

  // ---- for a program's own loop ----
  std::vector<Watch> watches();
  // Milliseconds until dispatch() must be called, -1 for none.
  int timeout();
  // Reads, runs coroutines, sends. Never waits.
  void dispatch();

 private:
  // How often a thread looks after the one that reads: a handler that keeps it that long loses it
  // the lead.
  static constexpr std::chrono::milliseconds tick{2};
  // Nothing for so many of them: the connection is quiet, and nobody wakes up any more.
  static constexpr unsigned quiet_ticks = 3;

  struct Timer {
    TimerId id;
    std::function<void()> action;
  };

  Connection(Transport transport, ConnectionOptions options);

  void on_request(const rpc::RequestId&, std::string_view, JsonView) override;
  bool on_notification(rpc::NotificationToken, std::string_view, JsonView) override;
  bool on_streamed(std::string_view) override;
  bool on_urgent(std::string_view, JsonView) override;
  void on_cancel(const rpc::RequestId&) override;
  void on_trouble(const rpc::Trouble&) override;
  void on_frame(rpc::Direction, std::string_view) override;

  void thread_main();
  bool park(Lock& lock);
  void look_after_leader(bool has_led);
  void add_thread();
  bool run_ready(Lock& lock);
  void run_strand(Lock& lock);
  void run_blocking(Lock& lock);
  void run_unlocked(Lock& lock);
  // Waits for the wire, reads, lets the engine work, sends. The lead is free again when it returns.
  void lead(Lock& lock, bool runs_handlers, bool may_wait);
  void take_input(const Wire::Outcome& outcome);
  void end_input(const std::string& reason);
  void fire_timers();
  std::optional<std::chrono::nanoseconds> next_timer() const;
  void send_or_gather();
  // `now`, if the caller knows it.
  void flush(Clock::time_point now = {});
  bool wants_input() const;
  // Not while more waits to be sent than the other side reads.
  bool may_add_output() const;
  bool has_ready() const {
    return (!blocking_.empty() && may_add_output()) || (!strand_.empty() && !strand_runs_);
  }
  void schedule();
  void wake_one();
  void finish();
  // Only a thread that asks for itself needs the answer: no order with others.
  void hold(std::thread::id holder) { holder_.store(holder, std::memory_order_relaxed); }
  bool locked_here() const {
    return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  ConnectionOptions options_;
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
  Wire wire_;
  rpc::Peer peer_;
  std::shared_ptr<Role> role_;
  std::shared_ptr<Role> left_behind_;  // with handlers that did not end

  std::vector<std::function<void()>> strand_;  // coroutines: one at a time
  std::vector<std::function<void()>> batch_;   // of them, being run
  bool strand_runs_ = false;
  bool strand_scheduled_ = false;               // on the user's executor
  std::deque<std::function<void()>> blocking_;  // plain functions: side by side
  std::vector<std::function<void()>> unlocked_;
  std::vector<std::shared_ptr<async::Completion<void>>> waiting_for_room_;
  std::vector<BlockingWait*> sleeping_;  // threads that wait while another one reads

  std::multimap<Clock::time_point, Timer> timers_;
  std::map<TimerId, std::multimap<Clock::time_point, Timer>::iterator> live_timers_;
  TimerId next_timer_id_ = 1;

  std::vector<char> buffer_;
  bool more_to_read_ = false;  // the last read filled the buffer
  bool led_ = false;           // somebody reads
  bool leader_waits_ = false;  // and is asleep
  bool leader_reads_ = false;  // and will wake up for input
  bool processing_ = false;    // under the lock, by a leader who will run handlers and flush
  bool step_down_ = false;   // an answer went to a thread that waits: it reads the next one itself
  bool quiet_ = false;       // nothing happened lately: nobody needs to look after the leader
  unsigned idle_ticks_ = 0;  // in which nothing happened
  unsigned calm_ticks_ = 0;  // in which the leader needed nobody
  std::uint64_t lead_count_ = 0;
  std::condition_variable changed_;
  // For those who wait for the end: they must not take a thread's wake-up.
  std::condition_variable ended_;
  std::map<std::thread::id, std::thread> pool_;
  std::vector<std::thread> gone_;  // to be joined
  unsigned threads_ = 0;
  unsigned parked_ = 0;
  unsigned in_user_code_ = 0;
  unsigned blocking_runs_ = 0;

  Clock::time_point last_flush_{}, last_look_{};
  std::size_t look_at_clock_ = 0;  // not before this much is gathered
  bool output_blocked_ = false;
  bool output_failed_ = false;
  bool input_end_seen_ = false;
  std::optional<std::string> end_when_dry_;
  bool closing_ = false;
  std::atomic<bool> close_asked_ = false;
  bool held_back_ = false;  // functions that wait until the other side has read more
  bool given_up_ = false;
  bool finished_ = false;
};

}  // namespace acp::io
