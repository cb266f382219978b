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

// As much as a pipe holds, and more.
inline constexpr std::size_t read_at_once = 128 * 1024;

// A standard descriptor of ours, so that neither reading nor writing waits, and nobody else who has
// it notices: what can be opened anew is.
io::Descriptor open_unshared(int fd, bool writing);

class TapChannel {
 public:
  TapChannel(io::Descriptor in, io::Descriptor out);

  // What to poll for; -1 for nothing.
  int wants_read() const { return in_ && may_read() ? in_.get() : -1; }
  int wants_write() const { return out_ && sent_ < pending_.size() ? out_.get() : -1; }
  // When something becomes due.
  std::optional<TapClock::time_point> next_due() const;

  // Reads once, to there. 0: nothing there, or the end; then in_ended().
  std::size_t read(std::span<char> room);
  // The same, to a place of its own; good until the next call.
  std::string_view read();
  bool in_ended() const { return !in_; }

  // Writes as much as can be, and keeps the rest.
  void write(std::string_view bytes);
  // After a pause, and after what is there.
  void write_later(FaultedWrite write);
  // Goes on with what is kept, and what has become due.
  void go_on(TapClock::time_point now);

  // All that was read has been written, or never will be.
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

  // Not while nobody takes what was read before: a slow reader slows the writer down, as without
  // us.
  bool may_read() const {
    return !stalled_ && sent_ == pending_.size() && timed_bytes_ < most_delayed;
  }
  // Of what was written; 0 if it would have to wait. Closes what nobody reads any more.
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
