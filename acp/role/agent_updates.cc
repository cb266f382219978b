#include "acp/role/agent_updates.h"

namespace acp::detail {

namespace {
const char* word_of(ToolCallStatus status) {
  switch (status) {
    case ToolCallStatus::pending:
      return "pending";
    case ToolCallStatus::in_progress:
      return "in_progress";
    case ToolCallStatus::completed:
      return "completed";
    case ToolCallStatus::failed:
      return "failed";
  }
  return "unknown";
}
}  // namespace

void change_status(ToolCallStatus& now, ToolCallStatus next, const std::string& id) {
  if (is_final(now) && next != now)
    throw Refused("status: the tool call \"" + id + "\" is " + word_of(now) +
                  ", which is final; it cannot become " + word_of(next));
  now = next;
}

ToolCallStatus& announce(AgentSession& session, const v1::ToolCall& call) {
  const ToolCallStatus status = call.status.value_or(ToolCallStatus::pending);
  const auto [place, fresh] = session.record().tool_calls.try_emplace(call.toolCallId, status);
  if (!fresh && is_final(place->second) && status != place->second)
    throw Refused("toolCallId: \"" + call.toolCallId + "\" was announced before, and is " +
                  word_of(place->second) + "; another call needs another id");
  place->second = status;
  return place->second;
}

void keep_order(AgentSession& session, const SessionUpdate& update) {
  if (const auto* call = std::get_if<v1::ToolCall>(&update)) {
    announce(session, *call);
  } else if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
    auto& calls = session.record().tool_calls;
    const auto announced = calls.find(change->toolCallId);
    if (announced == calls.end())
      throw Refused("toolCallId: no tool call \"" + change->toolCallId +
                    "\" was announced in this session");
    if (change->status.has_value())
      change_status(announced->second, *change->status, change->toolCallId);
  }
}

std::exception_ptr answered_already() {
  return std::make_exception_ptr(
      Error(rpc::internal_error, "the request has been answered: nothing of it may follow"));
}

}  // namespace acp::detail
