// state_update: what a session does, how its work ends, and what goes on beside it.
#include <algorithm>

#include "check/rules/version2/watcher.h"

namespace acp::check::version2 {
namespace {

// Work that has been cancelled may have ended just before: but not that long before.
constexpr std::int64_t longest_race = 5'000'000'000;

std::string work_id_of(JsonView work) {
  for (const char* const name : {"terminalId", "toolCallId", "sessionId"})
    if (const auto id = work[name].as_string()) return *id;
  return "";
}

}  // namespace

void Watcher::check_state(JsonView update, KnownSession& session) {
  session.state_reported = true;
  check_background(update, session);
  const std::string state = string_at(update["state"]);
  if (state == "idle") return work_ended(update, session);
  if (session.activity == Activity::idle) {
    ++session.work;
    session.questions.clear();
    session.last_was_cancelled = false;
  }
  session.ran = true;
  session.activity = state == "requires_action" ? Activity::requires_action : Activity::running;
}

void Watcher::work_ended(JsonView update, KnownSession& session) {
  const std::string stop = string_at(update["stopReason"]);
  // A snapshot.
  if (session.activity == Activity::idle && !session.begun) return;
  if (session.begun && !session.ran && !session.reported_not_running)
    found("A2-TURN-5", "the state idle ends a turn, and running was never reported");
  if (stop.empty()) found("A2-TURN-4", "the state idle ends a turn, and no stop reason is given");
  for (const std::string& message : session.inserted)
    found("A2-TURN-6", "the turn ends, and the user's message " + in_quotes(message) +
                           ", as its prompt was answered, was not shown");
  for (const auto& [terminal, call] : session.shown_terminals)
    found("A2-TERM-4", "the tool call " + in_quotes(call) + " shows the terminal " +
                           in_quotes(terminal) + ", which no terminal_update reports");
  check_cancelled(stop, session);
  if (stop == "end_turn")
    for (const auto& [id, call] : session.calls)
      if (call.announced && call.work == session.work && session.work > 0 &&
          !is_final(call.status) && !in_background(session, "tool_call", id))
        found("A2-STOP-1", "the turn ends with end_turn, and the tool call " + in_quotes(id) +
                               " is " +
                               (call.status == CallStatus::pending ? "pending" : "in progress"));
  // An answer to a prompt says nothing of its turn: one that comes after the turn has waited.
  if (session.prompts.size() == 1 && !session.answered_in_work)
    session.prompts.begin()->second.work_ended = session.prompts.begin()->second.was_idle;
  session.inserted.clear();
  session.shown_terminals.clear();
  session.begun = session.ran = session.reported_not_running = session.answered_in_work = false;
  session.activity = Activity::idle;
  session.last_was_cancelled = stop == "cancelled";
}

const std::string& Watcher::id_of(const KnownSession& session) const {
  static const std::string none;
  for (const auto& [id, each] : sessions_)
    if (&each == &session) return id;
  return none;
}

bool Watcher::is_closing(const KnownSession& session) const {
  const std::string& id = id_of(session);
  return std::ranges::any_of(all_.open_of_client, [&](const auto& each) {
    const OpenRequest& open = each.second;
    return open.session == id &&
           (open.method == "session/close" || open.method == "session/delete");
  });
}

void Watcher::check_cancelled(const std::string& stop, KnownSession& session) {
  const std::string& id = id_of(session);
  if (session.cancelled_at && stop != "cancelled" &&
      (session.cancel_was_read || all_.now.time - *session.cancelled_at > longest_race))
    found("A2-CANCEL-1", "the turn was cancelled, and ends with " + in_quotes(stop));
  if (!session.cancelled_at && !is_closing(session))
    for (const auto& [request, open] : all_.open_of_agent)
      if (open.method == "session/request_permission" && open.session == id && !open.withdrawn &&
          !open.of_no_turn && !session.background)
        found("A2-PERM-7",
              "the turn ends, and the permission request " + in_quotes(request) + " is open");
  if (stop == "cancelled" && !session.cancel_seen) {
    // Closing a session cancels its turn; what was not allowed may end it.
    const bool refused = std::ranges::any_of(session.questions, [](const auto& question) {
      return question.verdict != Verdict::allowed;
    });
    if (!is_closing(session) && !refused)
      found("A2-CANCEL-4", "the turn ends with cancelled, and the client has not cancelled it");
  }
  session.cancelled_at.reset();
  if (stop != "cancelled") session.cancel_seen = false;
}

void Watcher::check_background(JsonView update, KnownSession& session) {
  const JsonView list = update["background"];
  if (!list.is_array()) {
    if (session.background)
      found("A2-STATE-5", "a state_update without the background work that was reported before");
    return;
  }
  std::set<Work> now;
  for (const JsonView each : list.elements()) {
    const Work work{string_at(each["type"]), work_id_of(each)};
    if (!now.insert(work).second)
      found("A2-STATE-6", "the background work " + in_quotes(work.second) + " is listed twice");
    const bool told = work.first == "terminal"    ? session.terminals.contains(work.second)
                      : work.first == "tool_call" ? session.calls.contains(work.second)
                                                  : true;
    if (!told && !session.calls_incomplete)
      found("A2-STATE-3",
            "the background work " + in_quotes(work.second) + " was not reported before");
  }
  for (const Work& work : session.background.value_or(std::set<Work>())) {
    if (now.contains(work)) continue;
    const auto call = session.calls.find(work.second);
    const auto terminal = session.terminals.find(work.second);
    const bool runs = (work.first == "tool_call" && call != session.calls.end() &&
                       !is_final(call->second.status)) ||
                      (work.first == "terminal" && terminal != session.terminals.end() &&
                       !terminal->second.exited);
    if (runs)
      found("A2-STATE-4", "the background work " + in_quotes(work.second) +
                              " is no longer listed, and was not reported to have ended");
  }
  session.background = std::move(now);
}

}  // namespace acp::check::version2
