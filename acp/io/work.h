// What a connection has to run for its user, and how much of it runs.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace acp::io {

// Guarded by the connection's lock; what is taken from it runs without.
class Work {
 public:
  using Function = std::function<void()>;

  // ---- coroutines: one at a time, in order
  void add_coroutine(Function function) { strand_.push_back(std::move(function)); }
  bool coroutines_wait() const { return !strand_.empty(); }
  bool strand_runs() const { return strand_runs_; }
  bool strand_ready() const { return !strand_.empty() && strand_free(); }
  // All that wait, until end_strand(); more may come meanwhile.
  std::vector<Function>& take_coroutines() {
    batch_.clear();
    batch_.swap(strand_);
    return batch_;
  }
  void begin_strand() {
    strand_runs_ = true;
    ++running_;
  }
  void end_strand() {
    batch_.clear();
    strand_runs_ = false;
    --running_;
  }

  // ---- plain functions: on the strand, but each on a thread on which it may wait. One that does
  // leaves the strand, and claims it afterwards.
  void add_plain(Function function) { plain_.push_back(std::move(function)); }
  bool plain_waits() const { return !plain_.empty(); }
  bool plain_ready() const { return !plain_.empty() && strand_free(); }
  Function begin_plain() {
    Function function = std::move(plain_.front());
    plain_.pop_front();
    strand_runs_ = true;
    ++blocking_runs_;
    ++running_;
    return function;
  }
  void end_plain() {
    strand_runs_ = false;
    end_blocking();
  }
  void leave_strand() { strand_runs_ = false; }
  void claim_strand() { ++claims_; }
  bool strand_claimed() const { return claims_ != 0; }
  void take_claimed() {
    --claims_;
    strand_runs_ = true;
  }

  // ---- functions that block: side by side
  void add_blocking(Function function) { blocking_.push_back(std::move(function)); }
  std::size_t blocking_wait() const { return blocking_.size(); }
  std::size_t blocking_run() const { return blocking_runs_; }
  Function begin_blocking() {
    Function function = std::move(blocking_.front());
    blocking_.pop_front();
    ++blocking_runs_;
    ++running_;
    return function;
  }
  void end_blocking() {
    --blocking_runs_;
    --running_;
  }

  // ---- what the reader runs as soon as it has let go of the lock
  void add_unlocked(Function action) { unlocked_.push_back(std::move(action)); }
  bool unlocked_wait() const { return !unlocked_.empty(); }
  std::vector<Function> begin_unlocked() {
    ++running_;
    return std::exchange(unlocked_, {});
  }
  void end_unlocked() { --running_; }

  // Threads in user code.
  std::size_t running() const { return running_; }
  // Nothing waits, nothing runs.
  bool idle() const {
    return strand_.empty() && plain_.empty() && blocking_.empty() && unlocked_.empty() &&
           running_ == 0;
  }

 private:
  // One that has waited comes first.
  bool strand_free() const { return !strand_runs_ && claims_ == 0; }

  std::vector<Function> strand_, batch_, unlocked_;
  std::deque<Function> plain_, blocking_;
  std::size_t claims_ = 0;
  bool strand_runs_ = false;
  std::size_t blocking_runs_ = 0;
  std::size_t running_ = 0;
};

}  // namespace acp::io
