// A session that goes on: its entries become a conversation again, and are told again.
#include <map>
#include <string>
#include <vector>

#include "acp/json/codec.h"
#include "coder/coder.h"
#include "coder/report.h"

namespace acp::coder {

void Coder::replay(Session& session, const SessionContext* context) {
  using v1::ToolCallStatus;
  std::map<std::string, ToolCallStatus> calls;
  std::string said;  // since the last message, as an answer to it
  bool answering = false;
  const auto seen = [&](const v1::SessionUpdate& update) {
    if (const auto* call = std::get_if<v1::ToolCall>(&update))
      calls[call->toolCallId] = call->status.value_or(ToolCallStatus::pending);
    if (const auto* call = std::get_if<v1::ToolCallUpdate>(&update);
        call && call->status.has_value())
      calls[call->toolCallId] = *call->status;
    if (std::holds_alternative<v1::UserMessageChunk>(update)) answering = false;
    if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update); chunk && answering)
      if (const auto* text = std::get_if<v1::TextContent>(&chunk->content)) said += text->text;
  };
  const auto tell = [&](const v1::SessionUpdate& update) {
    if (context == nullptr) return;
    const v1::ClientCapabilities& client = context->client_capabilities();
    const bool compaction = std::holds_alternative<v1::CompactionUpdate>(update) ||
                            std::holds_alternative<v1::CompactionSummaryChunk>(update);
    if (compaction && !takes_compactions(client)) return;
    const auto* notice = std::get_if<v1::Notice>(&update);
    if (notice != nullptr && !takes_notices(client))
      context->update(as_message(*notice)).wait();
    else
      context->update(update).wait();
  };
  // What an older version has kept may have keys in it.
  const std::shared_ptr<const Secrets> known = session.secrets();
  const Secrets& secrets = *known;
  session.kept.read([&](EntryKind kind, std::string_view stored) {
    const std::string without_keys = secrets.in(stored) ? secrets.masked(stored) : "";
    const std::string_view body = without_keys.empty() ? stored : std::string_view(without_keys);
    if (context != nullptr && context->cancelled()) throw Cancelled();
    if (kind != EntryKind::update) {
      session.conversation.replay(kind, body);
      said.clear();
      const auto& messages = session.conversation.messages();
      answering = !messages.empty() && messages.back().role == Message::Role::user;
      return;
    }
    const auto update = json::decode<v1::SessionUpdate>(body);
    if (!update)
      throw StoreError("an update of the session is broken: " + update.error().message());
    seen(*update);
    tell(*update);
  });
  // What a process that was killed had left open.
  std::vector<LiveSession::Entry> mended = session.conversation.mend(answering ? said : "");
  for (const auto& [id, status] : calls) {
    if (status != ToolCallStatus::pending && status != ToolCallStatus::in_progress) continue;
    v1::ToolCallUpdate end;
    end.toolCallId = id;
    end.status = ToolCallStatus::failed;
    end.rawOutput = Json::object({{"error", "interrupted: the agent was stopped"}});
    mended.push_back({EntryKind::update, json::encode(v1::SessionUpdate(end))});
    tell(end);
  }
  if (!mended.empty()) session.kept.append(mended);
}

}  // namespace acp::coder
