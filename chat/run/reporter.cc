#include "chat/run/events.h"

namespace acp::chat {

namespace {
constexpr std::size_t most_logged = 1000;
}

void RunReporter::tell(const RunEvent& event) {
  const std::lock_guard lock(printing_);
  if (over_) return;
  tell_logged();
  over_ =
      std::holds_alternative<event::Stopped>(event) || std::holds_alternative<event::Failed>(event);
  printer_->print(event);
}

void RunReporter::later(LogEntry entry) {
  const std::lock_guard lock(logged_mutex_);
  if (logged_.size() < most_logged)
    logged_.push_back(std::move(entry));
  else
    ++left_out_;
}

void RunReporter::tell_logged() {
  std::deque<LogEntry> logged;
  std::size_t left_out = 0;
  {
    const std::lock_guard lock(logged_mutex_);
    logged.swap(logged_);
    std::swap(left_out, left_out_);
  }
  if (left_out > 0)
    logged.push_back(
        {LogEntry::Level::warning, "and " + std::to_string(left_out) + " more of such"});
  for (const LogEntry& entry : logged) printer_->print(event::Logged{entry});
}

}  // namespace acp::chat
