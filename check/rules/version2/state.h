// What the rules of version 2 know of a session. Private to check/rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/rules/state.h"

namespace acp::check::version2 {

enum class CallStatus : std::uint8_t {
  unknown,
  pending,
  in_progress,
  completed,
  failed,
  cancelled
};

inline bool is_final(CallStatus status) { return status >= CallStatus::completed; }

struct KnownCall {
  CallStatus status = CallStatus::unknown;  // unknown: only a question has named it
  bool announced = false;
  bool cancellable = false;
  std::uint64_t work = 0;  // the foreground work that mentioned it last
};

struct KnownTerminal {
  bool exited = false;
  bool cancellable = false;
};

// One that has no answer yet.
struct KnownPrompt {
  bool was_idle = false;  // the session, when it was asked
  bool work_ended = false;
};

struct KnownQuestion {
  std::string call;
  std::size_t frame = 0;
  Verdict verdict = Verdict::open;
};

enum class Activity : std::uint8_t { idle, running, requires_action };

// "tool_call", "terminal" …, and the id.
using Work = std::pair<std::string, std::string>;

struct KnownSession {
  bool confirmed = false;  // by the answer that opened it
  bool closed = false;
  bool subagent = false;
  Activity activity = Activity::idle;
  std::uint64_t work = 0;         // counts what ran in the foreground
  bool begun = false;             // a message of the user was inserted since the last work
  bool answered_in_work = false;  // by the answer to its prompt
  bool ran = false;               // a state other than idle was reported since
  bool reported_not_running = false;
  bool last_was_cancelled = false;
  bool cancel_seen = false;  // no work has ended otherwise since
  std::optional<std::int64_t> cancelled_at;
  std::size_t cancelled_in = 0;  // frame
  bool cancel_was_read = false;  // the agent has answered what was sent after the cancel

  int resumes = 0;                // open, and do not replay
  int replays = 0;                // open, and do
  bool state_reported = false;    // since the resume began, and after all that was replayed
  bool replayed = false;          // and no prompt since
  bool calls_incomplete = false;  // an unknown call may be one of another connection

  std::map<std::string, KnownPrompt> prompts;            // open; by the text of the id
  std::set<std::string, std::less<>> inserted;           // messages, not shown yet
  std::set<std::string, std::less<>> user_messages;      // shown
  std::set<std::string, std::less<>> answered_messages;  // ids that prompts were answered with
  std::map<Work, std::uint64_t> messages;                // kind and id → the work that began it
  std::map<std::string, KnownCall, std::less<>> calls;
  std::map<std::string, KnownTerminal, std::less<>> terminals;
  std::map<std::string, std::string> shown_terminals;  // by a tool call, and not reported yet
  std::vector<KnownQuestion> questions;                // of this work
  std::optional<std::set<Work>> background;            // the last list
  std::optional<std::set<std::string, std::less<>>> options;

  bool replaying() const { return replays > 0; }
  bool opening() const { return resumes > 0 || replays > 0; }
};

}  // namespace acp::check::version2
