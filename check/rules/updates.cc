// session/update: when it comes, and what it speaks of.
#include "acp/role/paths.h"
#include "check/rules/state.h"

namespace acp::check {
namespace {

constexpr std::size_t most_calls = 100'000;

CallStatus status_of(JsonView status) {
  const std::string name = string_at(status);
  if (name == "pending") return CallStatus::pending;
  if (name == "in_progress") return CallStatus::in_progress;
  if (name == "completed") return CallStatus::completed;
  return name == "failed" ? CallStatus::failed : CallStatus::unknown;
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
  }
  return "";
}

bool is_final(CallStatus status) {
  return status == CallStatus::completed || status == CallStatus::failed;
}

// What only a turn, or the replay of one, can say. The rest may come at any time.
bool belongs_to_turn(std::string_view kind) {
  return kind == "user_message_chunk" || kind == "agent_message_chunk" ||
         kind == "agent_thought_chunk" || kind == "tool_call" || kind == "tool_call_update" ||
         kind == "plan";
}

// The client's capability that this kind of update needs.
std::string_view gate_of(std::string_view kind) {
  if (kind == "notice") return "clientCapabilities.session.notices";
  if (kind.starts_with("compaction_")) return "clientCapabilities.session.compaction";
  if (kind == "plan_update" || kind == "plan_removed") return "clientCapabilities.plan";
  if (kind == "subagent_update" || kind == "session_message" || kind == "session_message_chunk")
    return "clientCapabilities.subagents";
  return "";
}

}  // namespace

void Rules::Parts::check_update(JsonView params) {
  const JsonView update = params["update"];
  const std::string kind = string_at(update["sessionUpdate"]);
  KnownSession* const session =
      session_of_agent(string_at(params["sessionId"]), "session/update (" + kind + ")");
  const std::string_view gate = gate_of(kind);
  if (!gate.empty() && !advertised(gate))
    found("A-CAP-3", kind + ", but " + std::string(gate) + " was not advertised");
  if (session == nullptr) return;
  if (belongs_to_turn(kind)) return check_turn_update(kind, update, *session);
  if (kind == "current_mode_update") {
    const auto mode = update["currentModeId"].as_string();
    if (mode && session->modes && !session->modes->contains(*mode))
      found("A-CAP-4", "the current mode " + in_quotes(*mode) + " is not available");
  } else if (kind == "config_option_update") {
    take_options(*session, update["configOptions"]);
  } else if (kind == "subagent_update") {
    const std::string id = string_at(update["sessionId"]);
    if (id.empty()) return;
    KnownSession& child = sessions[id];
    child.opening = false;
    child.subagent = true;
  }
}

void Rules::Parts::check_turn_update(const std::string& kind, JsonView update,
                                     KnownSession& session) {
  if (session.prompts == 0 && !session.replaying() && !session.subagent) {
    if (session.resumes > 0) {
      if (kind != "plan") found("A-ORDER-6", kind + " before session/resume was answered");
    } else if (session.last_was_cancelled) {
      found("A-CANCEL-2", kind + " after the turn was answered cancelled");
    } else if (session.loaded && !session.prompted) {
      found("A-ORDER-5", kind + " after session/load was answered");
    } else {
      found("A-ORDER-4", kind + " while no prompt is open");
    }
  }
  if (kind == "tool_call" || kind == "tool_call_update") check_tool_call(kind, update, session);
}

void Rules::Parts::check_tool_call(const std::string& kind, JsonView update,
                                   KnownSession& session) {
  const auto id = update["toolCallId"].as_string();
  if (!id) return;
  if (session.calls.size() >= most_calls) {
    session.calls.clear();
    session.calls_incomplete = true;
  }
  const auto [at, added] = session.calls.try_emplace(*id);
  KnownCall& call = at->second;
  CallStatus status = status_of(update["status"]);
  if (kind == "tool_call") {
    if (call.announced) found("A-ORDER-9", "the tool call " + in_quotes(*id) + " again");
    call.announced = true;
    if (status == CallStatus::unknown && call.status == CallStatus::unknown)
      status = CallStatus::pending;  // what it is if nothing is said
  } else if (kind == "tool_call_update" && added && !session.calls_incomplete) {
    found("A-ORDER-8",
          "an update of the tool call " + in_quotes(*id) + ", which was not announced");
  }
  call.subject.add(update);
  if (call.subject.reads && !session.replaying()) {
    for (const JsonView item : update["content"].elements())
      if (string_at(item["type"]) == "diff")
        found("A-PERM-10", "the tool call " + in_quotes(*id) +
                               " has a kind that changes nothing, " + "and shows a change of " +
                               in_quotes(string_at(item["path"])));
  }
  if (status != CallStatus::unknown) {
    if (kind != "request_permission") check_call_begins(*id, call.status, status, session);
    const bool back = status < call.status || (is_final(call.status) && status != call.status);
    if (back)
      found("A-ORDER-10", "the tool call " + in_quotes(*id) + " goes from " +
                              to_string(call.status) + " to " + to_string(status));
    call.status = status;
  }
  call.turn = session.replaying() && session.prompts == 0 ? 0 : session.turn;
  check_tool_content(update, session);
}

void Rules::Parts::check_tool_content(JsonView update, KnownSession& session) {
  const auto absolute = [&](const char* what, JsonView path) {
    const auto text = path.as_string();
    if (text && !detail::is_absolute(*text))
      found("A-PATH-2", std::string(what) + " has the path " + in_quotes(*text));
  };
  for (const JsonView item : update["content"].elements()) {
    const std::string type = string_at(item["type"]);
    if (type == "diff") absolute("a diff", item["path"]);
    if (type != "terminal") continue;
    const auto id = item["terminalId"].as_string();
    // Of a replay the terminals are gone; what has _meta may be a matter of these two alone.
    if (!id || session.loaded || session.replaying() || session.terminals_incomplete ||
        update["_meta"].is_object())
      continue;
    if (const auto at = session.terminals.find(*id); at != session.terminals.end())
      check_shown_terminal(string_at(update["toolCallId"]), at->second, session);
    else
      found("A-TERM-4",
            "a tool call shows the terminal " + in_quotes(*id) + ", which was never created");
  }
  for (const JsonView location : update["locations"].elements()) {
    absolute("a location", location["path"]);
    if (location["line"].as_int64() == 0) found("A-PATH-4", "the line of a location is 0");
  }
}

}  // namespace acp::check
