// Messages of the library beside the protocol. It never prints, but for an agent without a hook
// (Agent::on_log), and what a proxy's agent writes to stderr (Proxy::on_stderr).
#pragma once

#include <functional>
#include <string>

namespace acp {

// One message of the library.
struct LogEntry {
  // How bad it is.
  enum class Level { debug, warning, error };
  Level level;
  std::string message;
  std::string correlation_id = {};  // also in the error that the other side got
};
// "debug", "warning", "error"
constexpr const char* to_string(LogEntry::Level level) {
  switch (level) {
    case LogEntry::Level::debug:
      return "debug";
    case LogEntry::Level::warning:
      return "warning";
    case LogEntry::Level::error:
      return "error";
  }
  return "";
}
// Receives log entries, on the library's threads.
using LogHook = std::function<void(const LogEntry&)>;

}  // namespace acp
