// Lines of a log, written by a thread of their own: one who reads them slowly holds nobody up.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace acp::gateway {

class LogWriter {
 public:
  // `write` may block.
  using Write = std::function<void(std::string_view text)>;
  explicit LogWriter(Write write, std::size_t max_waiting_bytes = 1024 * 1024,
                     std::chrono::milliseconds farewell_time = std::chrono::seconds(1));
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  // Waits until all is written, but no longer than the farewell time.
  ~LogWriter();

  // Takes a line, without its end; never blocks. Above the limit lines are dropped; the next one
  // that is written says how many.
  void add(std::string_view line);

 private:
  struct State;
  // The thread keeps it, too: it may be writing when this is gone.
  const std::shared_ptr<State> state_;
  const std::chrono::milliseconds farewell_time_;
};

}  // namespace acp::gateway
