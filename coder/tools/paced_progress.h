// Limits the rate of progress.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "coder/tools/tool.h"

namespace acp::coder {

// Shows the newest content at most once in `between`, and never later than that. Contents replaced
// in between are dropped. Nothing is shown after its end.
class PacedProgress {
 public:
  using Content = std::vector<v1::ToolCallContent>;

  explicit PacedProgress(const ToolProgress& show,
                         std::chrono::milliseconds between = std::chrono::milliseconds(100))
      : show_(show), between_(between) {}
  PacedProgress(const PacedProgress&) = delete;
  PacedProgress& operator=(const PacedProgress&) = delete;
  ~PacedProgress();

  // Shows the content, now or later. Throws what showing has thrown.
  void tell(Content content);

 private:
  using Clock = std::chrono::steady_clock;
  void show_later(const std::stop_token& stop);

  const ToolProgress& show_;
  const std::chrono::milliseconds between_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Clock::time_point next_ = {};     // nothing is shown before
  std::optional<Content> waiting_;  // the newest
  std::exception_ptr failure_;
  std::jthread later_;  // from the first that has to wait
};

}  // namespace acp::coder
