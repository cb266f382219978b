#include "chat/stopping.h"

#include <condition_variable>
#include <mutex>

namespace acp::chat {

bool sleep_unless(std::stop_token stop, std::optional<std::chrono::milliseconds> time) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  const auto never = [] { return false; };
  if (time)
    changed.wait_for(lock, stop, *time, never);
  else
    changed.wait(lock, stop, never);
  return !stop.stop_requested();
}

Stopping::Stopping(std::stop_token interrupt, std::optional<std::chrono::milliseconds> time,
                   std::chrono::milliseconds grace)
    : thread_([this, interrupt, time, grace](std::stop_token over) {
        // Two tokens wake it: the interrupt, and the end of this object.
        std::stop_source either;
        const std::stop_callback first(interrupt, [&either] { either.request_stop(); });
        const std::stop_callback second(over, [&either] { either.request_stop(); });
        const bool timed_out = sleep_unless(either.get_token(), time);
        if (over.stop_requested()) return;
        why_ = timed_out ? Why::timed_out : Why::interrupted;
        please_.request_stop();
        if (sleep_unless(over, grace)) now_.request_stop();
      }) {}

Stopping::~Stopping() = default;

}  // namespace acp::chat
