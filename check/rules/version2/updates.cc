// session/update of version 2: when it comes, and what it speaks of.
#include <algorithm>

#include "acp/role/paths.h"
#include "check/rules/version2/watcher.h"

namespace acp::check::version2 {
namespace {

constexpr std::size_t most_kept = 100'000;

// Absent: nothing is said. A status that nobody knows counts as in progress.
std::optional<CallStatus> status_of(JsonView status) {
  if (status.absent()) return std::nullopt;
  const std::string name = string_at(status);
  if (name.empty() || name == "pending") return CallStatus::pending;
  if (name == "completed") return CallStatus::completed;
  if (name == "failed") return CallStatus::failed;
  return name == "cancelled" ? CallStatus::cancelled : CallStatus::in_progress;
}

const char* to_string(CallStatus status) {
  switch (status) {
    case CallStatus::unknown:
      return "unknown";
    case CallStatus::pending:
      return "pending";
    case CallStatus::in_progress:
      return "in_progress";
    case CallStatus::completed:
      return "completed";
    case CallStatus::failed:
      return "failed";
    case CallStatus::cancelled:
      return "cancelled";
  }
  return "";
}

bool is_base64(std::string_view text) {
  if (text.size() % 4 != 0) return false;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  return std::ranges::all_of(text.substr(0, text.size() - padding), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  });
}

}  // namespace

bool Watcher::in_background(const KnownSession& session, std::string_view kind,
                            const std::string& id) const {
  return session.background && session.background->contains({std::string(kind), id});
}

void Watcher::check_update(JsonView params) {
  const JsonView update = params["update"];
  const std::string kind = string_at(update["sessionUpdate"]);
  KnownSession* const session =
      session_of_agent(string_at(params["sessionId"]), "session/update (" + kind + ")");
  if (session == nullptr) return;
  if (kind == "state_update") return check_state(update, *session);
  if (kind == "user_message" || kind == "user_message_chunk")
    return check_user_message(update, *session);
  if (kind.starts_with("agent_message") || kind.starts_with("agent_thought"))
    return check_message(kind, update, *session);
  if (kind == "tool_call_update" || kind == "tool_call_content_chunk")
    return check_tool_call(kind, update, *session);
  if (kind == "terminal_update" || kind == "terminal_output_chunk")
    return check_terminal(kind, update, *session);
  if (kind == "plan_update") return check_work(kind, nullptr, "", *session);
  if (kind == "config_option_update") return take_options(*session, update["configOptions"]);
  if (kind != "subagent_update") return;
  const std::string id = string_at(update["sessionId"]);
  if (id.empty()) return;
  sessions_[id].confirmed = true;
  sessions_[id].subagent = true;
}

void Watcher::check_work(const std::string& what, const KnownCall* call, const std::string& id,
                         KnownSession& session, bool ends) {
  if (session.subagent) return;
  if (session.replaying()) {
    session.state_reported = false;
    return;
  }
  if (session.activity == Activity::running) return;
  const bool is_call = !id.empty(), known = call != nullptr && call->announced;
  if (is_call && in_background(session, "tool_call", id)) return;
  if (session.activity == Activity::requires_action) {
    // What is broken off needs no more work to say so.
    if (ends || session.cancelled_at || is_closing(session)) return;
    const bool asks = std::ranges::any_of(all_.open_of_agent, [&](const auto& each) {
      return each.second.method == "session/request_permission" ||
             each.second.method == "elicitation/create";
    });
    if (asks) return;
    found("A2-STATE-2", what + " after requires_action, and no running before it");
    session.activity = Activity::running;
    return;
  }
  // Background work that is not reported, or not yet.
  if (is_call && (session.background ? !known : known && !is_final(call->status))) return;
  if (is_call && !known && session.calls_incomplete && session.resumes == 0) return;
  if (session.begun) {
    if (!session.reported_not_running) found("A2-TURN-5", what + " before the state running");
    session.reported_not_running = true;
  } else if (session.resumes > 0) {
    found("A2-RESUME-7", what + " before session/resume was answered, which asked for no replay");
  } else if (session.last_was_cancelled) {
    found("A2-CANCEL-2", what + " after the turn has ended cancelled");
  } else if (session.replayed) {
    found("A2-RESUME-10", what + " after session/resume was answered");
  } else {
    found("A2-STATE-1", what + " while the session is idle");
  }
}

void Watcher::check_user_message(JsonView update, KnownSession& session) {
  const std::string id = string_at(update["messageId"]);
  if (id.empty()) return;
  const bool first = session.user_messages.insert(id).second;
  if (session.user_messages.size() > most_kept) session.user_messages.clear();
  if (session.replaying()) {
    session.state_reported = false;
    return;
  }
  const bool awaited = session.inserted.erase(id) > 0;
  if (awaited || (first && !session.prompts.empty())) {
    session.begun = true;
  } else if (session.resumes > 0 && session.prompts.empty()) {
    found("A2-RESUME-7",
          "a message of the user before session/resume was answered, which asked for no replay");
  }
}

void Watcher::check_message(const std::string& kind, JsonView update, KnownSession& session) {
  check_work(kind, nullptr, "", session);
  const std::string id = string_at(update["messageId"]);
  const bool chunk = kind.ends_with("_chunk");
  const std::string base = chunk ? kind.substr(0, kind.size() - 6) : kind;
  if (session.messages.size() > most_kept) session.messages.clear();
  const std::uint64_t work = session.replaying() ? 0 : session.work;
  const auto [at, added] = session.messages.try_emplace({base, id}, work);
  if (!added && chunk && at->second != work && session.activity != Activity::idle) {
    found("A2-MESSAGE-1",
          "a turn's " + kind + " has the message id " + in_quotes(id) + " of an earlier one");
    at->second = work;
  }
}

void Watcher::check_tool_call(const std::string& kind, JsonView update, KnownSession& session) {
  const auto id = update["toolCallId"].as_string();
  if (!id) return;
  if (session.calls.size() > most_kept) {
    session.calls.clear();
    session.calls_incomplete = true;
  }
  const auto at = session.calls.find(*id);
  const bool asked = kind == "request_permission";
  const auto next = status_of(update["status"]);
  const bool ends = next == CallStatus::failed || next == CallStatus::cancelled;
  if (!asked)
    check_work(kind, at == session.calls.end() ? nullptr : &at->second, *id, session, ends);
  const bool fresh = at == session.calls.end() || !at->second.announced;
  KnownCall& call = session.calls[*id];
  call.announced = true;
  call.work = session.replaying() ? 0 : session.work;
  if (kind == "tool_call_content_chunk") {
    if (fresh && !session.calls_incomplete)
      found("A2-TOOL-2",
            "content for the tool call " + in_quotes(*id) + ", which was not reported");
    return check_tool_content(update["content"], *id, session);
  }
  const JsonView capabilities = update["capabilities"];
  if (!capabilities.absent()) call.cancellable = capabilities["cancel"].is_object();
  std::optional<CallStatus> status = next;
  if (!status && call.status == CallStatus::unknown) status = CallStatus::pending;
  if (status) {
    if (!asked) check_call_begins(*id, call.status, *status, session);
    if (*status < call.status || (is_final(call.status) && *status != call.status))
      found("A2-TOOL-1", "the tool call " + in_quotes(*id) + " goes from " +
                             to_string(call.status) + " to " + to_string(*status));
    call.status = *status;
  }
  if (call.cancellable && is_final(call.status)) {
    found("A2-TOOL-4", "the tool call " + in_quotes(*id) + " is " + to_string(call.status) +
                           ", and can still be cancelled");
    call.cancellable = false;
  }
  for (const JsonView item : update["content"].elements()) check_tool_content(item, *id, session);
  for (const JsonView location : update["locations"].elements()) {
    const auto path = location["path"].as_string();
    if (path && !detail::is_absolute(*path))
      found("A2-PATH-1", "a location has the path " + in_quotes(*path));
  }
}

void Watcher::check_call_begins(const std::string& id, CallStatus before, CallStatus after,
                                const KnownSession& session) {
  std::optional<Verdict> verdict;
  for (const KnownQuestion& question : session.questions) {
    if (question.call != id) continue;
    verdict = question.verdict;
    if (*verdict == Verdict::allowed) return;
  }
  if (!verdict) return;
  const bool done = after == CallStatus::completed;
  const bool begins = after == CallStatus::in_progress && before < CallStatus::in_progress;
  if (*verdict == Verdict::open && (begins || done))
    found("A2-PERM-4", "the tool call " + in_quotes(id) + " is " + to_string(after) +
                           ", though its question for permission is still open");
  else if (*verdict != Verdict::open && done)
    found("A2-PERM-5", "the tool call " + in_quotes(id) +
                           " is completed, though its question for permission was not allowed");
}

void Watcher::check_tool_content(JsonView content, const std::string& call, KnownSession& session) {
  const std::string type = string_at(content["type"]);
  if (type == "diff") return check_diff(content);
  if (type != "terminal" || session.replaying() || session.calls_incomplete) return;
  const std::string id = string_at(content["terminalId"]);
  if (!id.empty() && !session.terminals.contains(id) && session.shown_terminals.size() < 1000)
    session.shown_terminals.try_emplace(id, call);
}

void Watcher::check_terminal(const std::string& kind, JsonView update, KnownSession& session) {
  const auto id = update["terminalId"].as_string();
  if (!id) return;
  if (session.replaying()) session.state_reported = false;
  if (session.terminals.size() > most_kept) session.terminals.clear();
  KnownTerminal& terminal = session.terminals[*id];
  session.shown_terminals.erase(*id);
  const JsonView data = kind == "terminal_update" ? update["output"]["data"] : update["data"];
  const auto bytes = data.as_string();
  if (bytes && !is_base64(*bytes))
    found("A2-TERM-1", "the output of the terminal " + in_quotes(*id) + " is no base64");
  if (kind != "terminal_update") return;
  const auto cwd = update["cwd"].as_string();
  if (cwd && !detail::is_absolute(*cwd))
    found("A2-PATH-2", "the cwd of a terminal is " + in_quotes(*cwd));
  if (!update["exitStatus"].absent()) terminal.exited = update["exitStatus"].is_object();
  const JsonView capabilities = update["capabilities"];
  if (!capabilities.absent()) terminal.cancellable = capabilities["cancel"].is_object();
  if (!terminal.exited || !terminal.cancellable) return;
  found("A2-TERM-5", "the terminal " + in_quotes(*id) + " has exited, and can still be cancelled");
  terminal.cancellable = false;
}

}  // namespace acp::check::version2
