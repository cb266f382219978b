// A session that goes on: its entries become a conversation again, and are sent again.
#include <map>
#include <string>
#include <vector>

#include "acp/json/codec.h"
#include "coder/coder.h"
#include "coder/session/modes.h"
#include "coder/session/turn_report.h"

namespace acp::coder {

using namespace settings;

void Coder::replay(Session& session, const SessionContext* context) {
  using v1::ToolCallStatus;
  std::map<std::string, ToolCallStatus> calls;
  std::string said;  // since the last message, as an answer to it
  bool answering = false;
  // False for an update that no client may get: what belongs to it was not stored.
  const auto seen = [&](const v1::SessionUpdate& update) {
    if (const auto* call = std::get_if<v1::ToolCall>(&update))
      calls[call->toolCallId] = call->status.value_or(ToolCallStatus::pending);
    if (const auto* call = std::get_if<v1::ToolCallUpdate>(&update)) {
      const auto announced = calls.find(call->toolCallId);
      if (announced == calls.end()) return false;
      if (call->status.has_value()) announced->second = *call->status;
    }
    if (std::holds_alternative<v1::UserMessageChunk>(update)) answering = false;
    if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update); chunk && answering)
      if (const auto* text = std::get_if<v1::TextContent>(&chunk->content)) said += text->text;
    return true;
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
    if (seen(*update)) tell(*update);
  });
  // What a process that was killed had left open.
  std::string told;
  std::vector<LiveSession::Entry> repaired =
      session.conversation.repair_interrupted(answering ? said : "", &told);
  if (!told.empty())
    session.note({v1::NoticeSeverity::warning,
                  "The conversation was interrupted, or not stored completely", told + "."});
  for (const auto& [id, status] : calls) {
    if (status != ToolCallStatus::pending && status != ToolCallStatus::in_progress) continue;
    v1::ToolCallUpdate end;
    end.toolCallId = id;
    end.status = ToolCallStatus::failed;
    end.rawOutput = Json::object({{"error", "interrupted: the agent was stopped"}});
    repaired.push_back({EntryKind::update, json::encode(v1::SessionUpdate(end))});
    tell(end);
  }
  session.keep(std::move(repaired));
}

// A session keeps its mode. Where the configuration has become stricter since the mode was set, and
// is stricter than it, the configuration wins.
std::string Coder::mode_to_go_on_with(const StoredSession& stored, const Settings& settings,
                                      std::vector<Note>& notes) {
  const Setting<std::string>& configured = settings.mode;
  if (!is_mode(stored.mode)) return configured.value;
  const bool stricter_than_then =
      !is_mode(stored.configured_mode) || is_stricter(configured.value, stored.configured_mode);
  if (!stricter_than_then || !is_stricter(configured.value, stored.mode)) return stored.mode;
  notes.push_back({v1::NoticeSeverity::warning,
                   "The mode is " + configured.value + " now, not " + stored.mode,
                   "The configuration (" + configured.source +
                       ") is stricter than it was when this session's mode was set. To go back, "
                       "set the mode again."});
  return configured.value;
}

// After the updates of the past, which may name another mode.
void Coder::set_replayed_mode(Session& session, const std::string& before,
                              const SessionContext* replay_to) {
  const std::string mode = session.mode();
  // Also for what is configured now, which may differ from what was.
  if (mode == before) return session.kept.set_mode(mode, session.wanted.settings.mode.value);
  session.set_mode(mode);
  v1::CurrentModeUpdate change;
  change.currentModeId = mode;
  if (replay_to != nullptr) replay_to->update(change).wait();
}

// What waits in memory to be stored would be missing in what is read from the store.
void Coder::require_stored(const std::string& id) const {
  const SessionPtr session = find(id);
  if (session && !session->kept.settle())
    throw StoreError("the session " + id +
                     " cannot be stored at the moment, and would lose what waits in memory; make "
                     "room on its disk, and try again");
}

}  // namespace acp::coder
