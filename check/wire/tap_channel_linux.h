// One direction of the relay. Nothing here waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "acp/io/descriptor.h"
#include "check/wire/fault.h"

namespace acp::check {

using TapClock = std::chrono::steady_clock;

// More than the capacity of a pipe.
inline constexpr std::size_t read_at_once = 128 * 1024;

// Opens a standard descriptor of ours again, if possible, as non-blocking, without an effect on
// other processes that share it.
io::Descriptor open_unshared(int fd, bool writing);

class TapChannel {
 public:
  TapChannel(io::Descriptor in, io::Descriptor out);

  // The descriptor to poll; -1 for none.
  int wants_read() const { return in_ && may_read() ? in_.get() : -1; }
  int wants_write() const { return out_ && sent_ < pending_.size() ? out_.get() : -1; }
  // The time when something becomes due.
  std::optional<TapClock::time_point> next_due() const;

  // Reads once into `room`. Returns 0 if there is nothing, or at the end; then in_ended().
  std::size_t read(std::span<char> room);
  // Reads into a buffer of its own; valid until the next call.
  std::string_view read();
  bool in_ended() const { return !in_; }

  // Writes as much as possible, and keeps the rest.
  void write(std::string_view bytes);
  // Writes after a pause, and after all earlier bytes.
  void write_later(FaultedWrite write);
  // Writes what was kept, and what has become due.
  void go_on(TapClock::time_point now);

  // Whether all that was read has been written, or never will be.
  bool drained() const { return !out_ || stalled_ || (sent_ == pending_.size() && timed_.empty()); }
  bool out_ended() const { return !out_; }
  bool stalled() const { return stalled_; }
  void close_in() { in_.reset(); }
  void close_out() { out_.reset(); }

 private:
  static constexpr std::size_t most_delayed = 1024 * 1024;
  struct Timed {
    TapClock::time_point due;
    std::string bytes;
    bool for_good = false;
  };

  // Whether it may read: a slow reader slows the writer down, as it would without us.
  bool may_read() const {
    return !stalled_ && sent_ == pending_.size() && timed_bytes_ < most_delayed;
  }
  // Writes; returns how many bytes were taken, 0 if it would block. Closes the output if nobody
  // reads it any more.
  std::size_t write_some(std::string_view bytes);

  io::Descriptor in_, out_;
  bool out_is_socket_ = false, out_may_wait_ = false;
  std::string buffer_;
  std::string pending_;
  std::size_t sent_ = 0;
  std::deque<Timed> timed_;
  std::size_t timed_bytes_ = 0;
  bool stalled_ = false;  // for good
};

}  // namespace acp::check
