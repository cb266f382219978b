#include "acp/role/agent/agent_updates.h"

#include <algorithm>
#include <utility>

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

void require_status(ToolCallStatus now, ToolCallStatus next, const std::string& id) {
  if (is_final(now) && next != now)
    throw Refused("status: the tool call \"" + id + "\" is " + word_of(now) +
                  ", which is final; it cannot become " + word_of(next));
}

ToolCallStatus* require_order(AgentSession& session, const SessionUpdate& update) {
  if (const auto* call = std::get_if<v1::ToolCall>(&update)) {
    const auto& calls = session.record().tool_calls;
    const auto before = calls.find(call->toolCallId);
    if (before != calls.end() && is_final(before->second) &&
        call->status.value_or(ToolCallStatus::pending) != before->second)
      throw Refused("toolCallId: \"" + call->toolCallId + "\" was announced before, and is " +
                    word_of(before->second) + "; another call needs another id");
  } else if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
    auto& calls = session.record().tool_calls;
    const auto announced = calls.find(change->toolCallId);
    if (announced == calls.end())
      throw Refused("toolCallId: no tool call \"" + change->toolCallId +
                    "\" was announced in this session");
    if (!change->status.has_value()) return nullptr;
    require_status(announced->second, *change->status, change->toolCallId);
    return &announced->second;
  }
  return nullptr;
}

ToolCallStatus& note_announced(AgentSession& session, const v1::ToolCall& call) {
  return session.record().tool_calls[call.toolCallId] =
             call.status.value_or(ToolCallStatus::pending);
}

void note_order(AgentCall& call, const SessionUpdate& update, ToolCallStatus* changed) {
  if (const auto* announced = std::get_if<v1::ToolCall>(&update)) {
    note_announced(*call.session, *announced);
  } else if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
    if (changed == nullptr || !change->status.has_value()) return;
    *changed = *change->status;
    if (is_final(*changed)) call.role->tool_call_ended(call, changed);
  }
}

void AgentRole::write_update(AgentSession& session, const SessionUpdate& update,
                             const std::vector<v1::ToolCallContent>* shown) {
  if (const auto* given = std::get_if<v1::AvailableCommandsUpdate>(&update)) {
    AgentSession& now = session.now();
    now.commands = std::make_unique<std::vector<AvailableCommand>>(given->availableCommands);
    if (!now.opened) return;  // they come with the answer, or right after it
  }
  if (session.silent) return;
  if (version_2_) return version_2_->send(session, update, shown);
  connection_->held().engine().notify("session/update", [&](json::Writer& out) {
    out.put("{\"sessionId\":");
    out.string(session.id);
    out.put(",\"update\":");
    json::write(out, update);
    out.put('}');
  });
}

void AgentRole::write_text(AgentSession& given, std::string_view text) {
  if (given.silent) return;
  AgentSession& session = given.now();
  std::string& before = session.chunk_prefix;
  if (version_2_) {
    version_2_->chunk_prefix(session);
  } else if (before.empty()) {
    json::Writer prefix;
    prefix.put("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":");
    prefix.string(session.id);
    prefix.put(
        ",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":"
        "{\"type\":\"text\",\"text\":");
    before = prefix.str();
  }
  connection_->held().engine().notify_text(before, text, "}}}}");
}

std::exception_ptr why_over(const AgentCall& given, const io::Connection::Lock& lock) {
  const std::shared_ptr<AgentCall> whole = given.whole();
  const AgentCall& call = whole ? *whole : given;
  if ((call.over && call.id) || (given.is_part() && !whole))
    return std::make_exception_ptr(
        Error(rpc::internal_error, "the request has been answered: nothing of it may follow"));
  // Only its last turn has something to say of a session that is closed.
  if (call.session && call.session->is_closed() && call.session->turn.get() != &call)
    return std::make_exception_ptr(Refused("the session is closed"));
  if (!lock.can_send())
    return std::make_exception_ptr(ConnectionClosed("the connection is closed"));
  return nullptr;
}

namespace {

// Whether it is a part of a turn.
bool is_of_turn(const AgentCall& call, const SessionUpdate& update, bool held) {
  if (std::holds_alternative<v1::ToolCall>(update)) return !held || !call.in_background();
  if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update)) {
    const auto& background = call.role->background();
    return std::none_of(background.begin(), background.end(), [&](const auto& one) {
      return one->call->session->id == call.session->id &&
             one->shown.toolCallId == change->toolCallId;
    });
  }
  return std::holds_alternative<v1::AgentMessageChunk>(update) ||
         std::holds_alternative<v1::AgentThoughtChunk>(update) ||
         std::holds_alternative<v1::Plan>(update) || std::holds_alternative<v1::PlanUpdate>(update);
}

}  // namespace

const std::vector<v1::ToolCallContent>* content_of(SentToolCall& tool_call,
                                                   const SessionUpdate& update) {
  const auto* change = std::get_if<v1::ToolCallUpdate>(&update);
  const bool replaces = change != nullptr && change->content.has_value();
  if (replaces && std::exchange(tool_call.asked, false)) return nullptr;
  return &tool_call.shown.content;
}

std::exception_ptr why_idle(const AgentCall& given, const SessionUpdate* update, bool held) {
  if (given.role->translation() == nullptr || given.session->now().turn) return nullptr;
  const std::shared_ptr<AgentCall> whole = given.whole();
  if (given.replays || (whole && whole->replays)) return nullptr;
  if (update != nullptr && !is_of_turn(given, *update, held)) return nullptr;
  return std::make_exception_ptr(
      Refused("the session is idle, and in version 2 of the protocol messages, thoughts, plans and "
              "tool calls belong to a turn; what goes on without one is a tool call in the "
              "background: background().tool_call()"));
}

}  // namespace acp::detail
