// A connection that runs: the engine, its descriptors, and the threads on which user code is
// called. docs/architecture.md shows how a message passes through it.
//
// One lock guards the engine. It is held for the engine's own steps, which never wait, and not
// while handlers run. Of user code, only the Tap and what is passed to with_state() and
// change_state() is called with it: such a function is quick, and calls nothing of the library. The
// thread that has the lead reads: one of the connection's, or one that waits for an answer and so
// reads it itself. The reader also runs the handlers of what it read, which saves the hop to
// another thread; should a handler keep it longer than a few milliseconds, another thread takes the
// lead.
#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "acp/async/completion.h"
#include "acp/async/exclusive.h"
#include "acp/async/executor.h"
#include "acp/io/ending.h"
#include "acp/io/lead.h"
#include "acp/io/outbox.h"
#include "acp/io/tap.h"
#include "acp/io/thread_pool.h"
#include "acp/io/timers.h"
#include "acp/io/wire.h"
#include "acp/io/work.h"
#include "acp/rpc/engine.h"

namespace acp::detail {
class Translation;
}

namespace acp::io {

struct ConnectionOptions {
  rpc::EngineOptions engine;
  // Where coroutines run; null: on the connection's own threads, one at a time.
  std::shared_ptr<Executor> executor;
  // False: the program has a loop of its own and calls dispatch().
  bool own_threads = true;
  // Threads for plain functions, and those that block.
  unsigned max_threads = 64;
  // Bytes that wait to be sent: above this nothing more is read, so that a side that asks and never
  // reads cannot fill our memory.
  std::size_t max_outgoing_bytes = 16 * 1024 * 1024;
  // How long handlers may take after the other side's end; then they are asked to stop, and get the
  // same time again.
  std::chrono::milliseconds drain_time{1000};
  // Sees every frame, in order. It must be quick, and must not call the connection.
  Tap tap;
  // For tests.
  Timers::Now now = &Timers::Clock::now;
};

// The user of a connection: the agent's role, or the client's. Called with the lock held, by the
// engine and by the connection.
class Role : public rpc::EngineHandler {
 public:
  // Called when nothing more will come. Calls that wait for an answer have failed.
  virtual void on_input_ended(const std::string& reason) = 0;
  // Asks handlers that had their time to stop.
  virtual void on_drain_over() = 0;
  // Returns false while the other side should wait: what it sent has not been taken yet.
  virtual bool takes_input() const { return true; }
  // Counts our requests that no handler waits for: turns, which have no time limit.
  virtual std::size_t lasting_calls() const { return 0; }
  // Counts handlers that have not ended.
  virtual std::size_t handlers_running() const = 0;
  // Destroys coroutines that did not end. Called without the lock, when nothing runs any more.
  virtual void drop_handlers() = 0;
  // For what the program sends; null where the wire speaks the version of the program.
  virtual detail::Translation* translation() { return nullptr; }

 protected:
  explicit Role(const Tap& tap) : tap_(tap) {}

 private:
  void on_frame(rpc::Direction direction, std::string_view text) final;

  const Tap tap_;
};

class Connection final : public Executor, public async::Helper, private async::Exclusive {
 public:
  // Access to what the lock guards. A Locked exists only where the lock is held: by a Lock, or by
  // the caller of functions that the engine and the connection call (held()).
  class Locked {
   public:
    rpc::Engine& engine() const { return connection_.engine_; }
    detail::Translation* translation() const {
      return connection_.role_ ? connection_.role_->translation() : nullptr;
    }
    // Sends what the engine has to send, at once or together with messages of the next moment. To
    // be called after calls to the engine.
    void sent_something() const {
      input_wanted();
      if (connection_.outbox_.worth_a_look() || connection_.lead_.quiet())
        connection_.send_or_gather();
    }
    void flush_now() const { connection_.flush_now(); }
    // Runs the action soon, without the lock.
    void unlocked(std::function<void()> action) const;
    // Runs the action later, with the lock held.
    Timers::Id after(Delay time, std::function<void()> action) const {
      return connection_.after(time, std::move(action));
    }
    void forget(Timers::Id timer) const { connection_.timers_.forget(timer); }
    bool congested() const { return connection_.outbox_.congested(); }
    // Whether no answer can come any more.
    bool ended() const { return engine().input_ended() || connection_.outbox_.failed(); }
    // Whether sending is possible: the other side may have ended its output and still read.
    bool can_send() const {
      return !connection_.outbox_.failed() && connection_.ending_.can_send();
    }
    // Whether close() was called, and perhaps still waits for the lock, while the other side does
    // not read.
    bool drops_answers() const { return connection_.ending_.close_asked() && congested(); }
    // Returns a completion that is settled when there is room again.
    Outbox::Room room() const;
    // Reads on: the role takes input again, or a handler has ended that others waited for.
    void input_wanted() const { connection_.input_wanted(); }
    // To be called when a handler, or something it waited for, has ended: perhaps that was the
    // last.
    void check_finished() const { connection_.check_finished(); }

   private:
    friend class Connection;
    explicit Locked(Connection& connection) : connection_(connection) {}
    Connection& connection_;
  };

  // The lock, held for as long as it lives.
  class Lock : public Locked {
   public:
    explicit Lock(Connection& connection) : Locked(connection), lock_(connection.mutex_) {
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
    std::unique_lock<std::mutex> lock_;
  };

  static std::shared_ptr<Connection> open(Transport transport, ConnectionOptions options);

  // Begins to read. The connection lets go of the role when it has finished.
  void start(std::shared_ptr<Role> role);

  // For functions that are called with the lock held: by the engine, by a timer, by the holder of a
  // Lock.
  Locked held() {
    assert(locked_here());
    return Locked(*this);
  }
  const Tap& tap() const { return options_.tap; }
  template <class T>
  std::shared_ptr<async::Completion<T>> completion() {
    auto made = std::make_shared<async::Completion<T>>();
    made->home = weak_from_this();
    made->helper = std::static_pointer_cast<Connection>(shared_from_this());
    return made;
  }

  // ---- from any thread, with or without the lock
  void post(std::function<void()> function) override;
  // Runs plain functions, one at a time with the coroutines, but on threads where they may wait.
  // With a program's own loop they run there.
  void post_plain(std::function<void()> function);
  // Runs functions that block, each on a thread of its own.
  void post_blocking(std::function<void()> function);

  // ---- from any thread, without the lock
  void help(BlockingWait& waiting) override;
  // Sends what is left, then closes. What waits for an answer fails.
  void close();
  // Ends the input once the pipe is empty: the other side has ended, though others may still hold
  // the pipe.
  void end_when_dry(std::string reason);
  // Blocks until everything has ended, or was given up on. Returns false if handlers were left
  // running.
  bool wait_finished();
  bool finished();

  // ---- for a program's own loop
  std::vector<PollInterest> watches();
  // Milliseconds until dispatch() must be called, -1 for none.
  int timeout();
  // Reads, runs coroutines, sends. Never waits.
  void dispatch();

 private:
  Connection(Transport transport, ConnectionOptions options);

  void thread_main();
  void add_thread();
  bool park(Lock& lock);
  bool run_ready(Lock& lock);
  void run_strand(Lock& lock);
  void run_plain(Lock& lock);
  void run_blocking(Lock& lock);
  void run_unlocked(Lock& lock);
  // Waits for the wire, reads, lets the engine work, sends. The lead is free again when it returns.
  void lead(Lock& lock, bool runs_handlers, bool may_wait);
  void take_input(const Wire::Outcome& outcome);
  void end_input(const std::string& reason);
  Timers::Id after(Delay time, std::function<void()> action);
  void send_or_gather();
  void flush_now() {
    if (!outbox_.blocked()) flushed(outbox_.flush_quickly());
  }
  void flush() {
    if (!outbox_.blocked()) flushed(outbox_.flush());
  }
  void flushed(const Outbox::Result& result);
  bool wants_input() const;
  void input_wanted() {
    if (lead_.state() == Lead::State::waiting && wants_input()) wire_.poke();
  }
  // Whether more output may be added: not while too much waits to be sent.
  bool may_add_output() const;
  bool has_ready() const {
    return ((work_.blocking_wait() > 0 || work_.plain_ready()) && may_add_output()) ||
           work_.strand_ready();
  }
  // Runs coroutines and plain functions on the program's loop, or on a thread that waits, where
  // there are no threads of ours.
  void run_strand_here(Lock& lock);
  // ---- async::Exclusive: a plain function that waits
  void leave() override;
  void enter() override;
  void strand_left();
  void schedule();
  void take_posted();
  void wake_one();
  void check_finished();
  void finish();
  // Relaxed: a thread asks only whether it is the holder itself.
  void hold(std::thread::id holder) {
    holder_.store(holder, std::memory_order_relaxed);
    locked_by_this_thread_ = holder == std::thread::id() ? nullptr : this;
  }
  bool locked_here() const {
    return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  // No thread has two of these locks. What is posted here by one that has another connection's, as
  // a proxy's answers are, waits under a lock of its own until the leader comes by.
  static inline thread_local Connection* locked_by_this_thread_ = nullptr;
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;

  ConnectionOptions options_;
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
  const std::shared_ptr<TransportLink> link_;  // outlives the wire, whose end it waits for
  Wire wire_;
  rpc::Engine engine_;
  Outbox outbox_;
  Timers timers_;
  Lead lead_;
  Ending ending_;
  Work work_;
  ThreadPool pool_;
  std::shared_ptr<Role> role_;
  std::shared_ptr<Role> left_running_;   // with handlers that did not end
  std::vector<BlockingWait*> sleeping_;  // threads that wait while another one reads
  std::vector<char> buffer_;
  bool more_to_read_ = false;      // the last read filled the buffer
  bool strand_scheduled_ = false;  // on the user's executor
  bool held_back_ = false;         // functions that wait until the other side has read more
  bool plain_first_ = false;       // of coroutines and plain functions: these ran last
  // For threads that wait for the end: they must not take another thread's wake-up.
  std::condition_variable ended_;
  // For plain functions that have waited.
  std::condition_variable strand_free_;
};

}  // namespace acp::io
