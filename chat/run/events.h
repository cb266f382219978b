// The events of a run: docs/run.md.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acp/client.h"
#include "chat/agents.h"
#include "chat/permission.h"
#include "chat/stopping.h"

namespace acp::chat {

enum class SessionStart { created, loaded, resumed };

// Each is valid only during the call that reports it.
namespace event {
struct Starting {
  const KnownAgent& agent;
};
struct Initialized {
  const v1::InitializeResponse& info;
};
struct LoggingIn {
  const std::string& method;
};
struct SessionOpened {
  const Session& session;
  SessionStart how;
};
struct Updated {
  const std::string& session_id;
  const SessionUpdate& update;
  bool replayed;  // of the session that was loaded, not of this turn
};
struct PermissionAnswered {
  const v1::RequestPermissionRequest& request;
  const ToolCallState& call;
  const PermissionAnswer& answer;
};
// The agent sent a call for us to carry out, and had not asked before.
struct CallJudged {
  const workspace::Question& call;
  const PermissionAnswer& answer;
};
struct ElicitationDeclined {
  const v1::CreateElicitationRequest& request;
};
struct TerminalOutput {
  const std::string& id;
  std::string_view text;
};
struct StderrLine {
  std::string_view line;
};
struct Logged {
  const LogEntry& entry;
};
struct Cancelling {
  const char* reason;  // as in JSON: timeout, interrupt, terminated, hangup
};
// The end of a command at one of our terminals.
struct TerminalEnded {
  const std::string& id;
  const io::ExitStatus& exit;
};
// The two ends.
struct Stopped {
  const v1::PromptResponse& response;
  int exit_code;
  std::string note;  // a remark about the end; empty if all is well
};
struct Failed {
  std::string phase;
  std::string message;
  int exit_code;
  std::optional<std::int32_t> code = {};     // the agent's answer
  Json data = {};                            // of it
  std::vector<v1::AuthMethod> methods = {};  // if it wants a login
  std::optional<StartFailed::Diagnosis> start = {};
  std::string log_line = {};  // what the agent's log has of it
};
}  // namespace event

using RunEvent = std::variant<event::Starting, event::Initialized, event::LoggingIn,
                              event::SessionOpened, event::Updated, event::PermissionAnswered,
                              event::CallJudged, event::ElicitationDeclined, event::TerminalOutput,
                              event::TerminalEnded, event::StderrLine, event::Logged,
                              event::Cancelling, event::Stopped, event::Failed>;

class RunPrinter {
 public:
  virtual ~RunPrinter() = default;
  virtual void print(const RunEvent& event) = 0;
};

// Prints one JSON object a line on standard output.
std::unique_ptr<RunPrinter> json_run_printer();

struct TextOptions {
  bool quiet = false;    // the last message, failures, and what was permitted
  bool verbose = false;  // also thoughts, the agent's stderr, what terminals print, codes of errors
};
// Prints the agent's messages on standard output, the rest on standard error.
std::unique_ptr<RunPrinter> text_run_printer(TextOptions options);

// Prints events one at a time, and none after the end.
class RunReporter {
 public:
  explicit RunReporter(std::unique_ptr<RunPrinter> printer) : printer_(std::move(printer)) {}

  void tell(const RunEvent& event);
  // Nothing is printed while this is held.
  std::unique_lock<std::mutex> silence() { return std::unique_lock(printing_); }
  // Reports an entry with the next event. Never waits: for threads that hold locks.
  void later(LogEntry entry);

 private:
  void tell_logged();

  std::unique_ptr<RunPrinter> printer_;
  std::mutex printing_;
  bool over_ = false;
  std::mutex logged_mutex_;
  std::deque<LogEntry> logged_;
  std::size_t left_out_ = 0;
};

}  // namespace acp::chat
