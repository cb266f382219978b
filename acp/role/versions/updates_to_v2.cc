#include "acp/role/versions/updates_to_v2.h"

#include <algorithm>
#include <iterator>

#include "acp/role/versions/content.h"
#include "acp/role/versions/plan.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/session_parts.h"
#include "acp/role/versions/tool_call.h"

namespace acp::detail::versions {

const std::string& UpdatesToV2::id_for(Kind kind, Nullable<v1::MessageId>&& own) {
  std::string& id = ids_[static_cast<std::size_t>(kind)];
  if (own)
    id = std::move(*own);
  else if (kind_ != kind)
    id = new_id_();
  kind_ = kind;
  return id;
}

template <class To, class From>
void UpdatesToV2::add_chunk(Kind kind, From&& from, std::vector<v2::SessionUpdate>& out) {
  auto content = to_v2(std::move(from.content));
  if (!content) return;
  To to;
  to.messageId = id_for(kind, std::move(from.messageId));
  to.content = std::move(*content);
  to._meta = std::move(from._meta);
  out.emplace_back(std::move(to));
}

void UpdatesToV2::stands(std::string what) {
  if (what == standing_) return;
  standing_ = std::move(what);
  end_message();
}

void UpdatesToV2::begin_user_message(std::string id) {
  end_message();
  ids_[static_cast<std::size_t>(Kind::user)] = std::move(id);
}

const std::string& UpdatesToV2::agent_text_prefix() {
  const std::string& id = id_for(Kind::agent, {});
  if (id != prefix_id_ || prefix_.empty()) {
    json::Writer out;
    out.put(R"({"sessionUpdate":"agent_message_chunk","messageId":)");
    out.string(id);
    out.put(R"(,"content":{"type":"text","text":)");
    prefix_ = out.str();
    prefix_id_ = id;
  }
  return prefix_;
}

namespace {

// Takes what is added to the content out of the update. All content stays where some of it changes.
std::vector<v2::SessionUpdate> take_pieces(v1::ToolCallUpdate& update,
                                           const std::vector<v1::ToolCallContent>& shown) {
  std::vector<v2::SessionUpdate> out;
  if (!update.content || update.content->size() < shown.size() ||
      !std::equal(shown.begin(), shown.end(), update.content->begin()))
    return out;
  std::vector<v1::ToolCallContent> added(
      std::make_move_iterator(update.content->begin() + static_cast<std::ptrdiff_t>(shown.size())),
      std::make_move_iterator(update.content->end()));
  update.content = {};
  for (v2::ToolCallContent& content : to_v2(std::move(added))) {
    v2::ToolCallContentChunk piece;
    piece.toolCallId = update.toolCallId;
    piece.content = std::move(content);
    out.emplace_back(std::move(piece));
  }
  return out;
}

bool says_nothing(const v1::ToolCallUpdate& update) {
  v1::ToolCallUpdate nothing;
  nothing.toolCallId = update.toolCallId;
  return update == nothing;
}

}  // namespace

std::vector<v2::SessionUpdate> UpdatesToV2::convert(v1::SessionUpdate update,
                                                    const std::vector<v1::ToolCallContent>* shown) {
  std::vector<v2::SessionUpdate> out;
  const auto add = [&](auto&& value) { out.emplace_back(std::move(value)); };
  const auto add_if = [&](auto&& value) {
    if (value) out.emplace_back(std::move(*value));
  };
  // The same on the wire, as far as it fits.
  const auto add_same = [&]<class To>(std::in_place_type_t<To>, const auto& value) {
    add_if(recode<To>(value));
  };
  std::visit(Overloaded{[&](v1::UserMessageChunk& from) {
                          add_chunk<v2::UserMessageChunk>(Kind::user, std::move(from), out);
                        },
                        [&](v1::AgentMessageChunk& from) {
                          add_chunk<v2::AgentMessageChunk>(Kind::agent, std::move(from), out);
                        },
                        [&](v1::AgentThoughtChunk& from) {
                          add_chunk<v2::AgentThoughtChunk>(Kind::thought, std::move(from), out);
                        },
                        [&](v1::ToolCall& call) {
                          stands("tool_call " + call.toolCallId);
                          add(to_v2(std::move(call)));
                        },
                        [&](v1::ToolCallUpdate& from) {
                          if (shown != nullptr) out = take_pieces(from, *shown);
                          if (out.empty() || !says_nothing(from)) add(to_v2(std::move(from)));
                        },
                        [&](v1::Plan& plan) {
                          end_message();
                          add(to_v2(std::move(plan)));
                        },
                        [&](v1::PlanUpdate& from) {
                          end_message();
                          add_if(to_v2(std::move(from)));
                        },
                        [&](v1::PlanRemoved& from) { add(to_v2(std::move(from))); },
                        [&](v1::AvailableCommandsUpdate& from) { add(to_v2(std::move(from))); },
                        [&](v1::CurrentModeUpdate& from) {
                          options_.set_mode(from.currentModeId);
                          v2::ConfigOptionUpdate to = options_.update();
                          to._meta = std::move(from._meta);
                          add(std::move(to));
                        },
                        [&](v1::ConfigOptionUpdate& from) {
                          options_.set_options(std::move(from.configOptions));
                          v2::ConfigOptionUpdate to = options_.update();
                          to._meta = std::move(from._meta);
                          add(std::move(to));
                        },
                        [&](v1::SessionInfoUpdate& from) {
                          add_same(std::in_place_type<v2::SessionInfoUpdate>, from);
                        },
                        [&](v1::UsageUpdate& from) {
                          add_same(std::in_place_type<v2::UsageUpdate>, from);
                        },
                        [&](v1::Notice& from) {
                          end_message();
                          add_same(std::in_place_type<v2::Notice>, from);
                        },
                        [&](v1::CompactionUpdate& from) {
                          stands("compaction " + from.compactionId);
                          add(to_v2(std::move(from)));
                        },
                        [&](v1::CompactionSummaryChunk& from) {
                          stands("compaction " + from.compactionId);
                          add_if(to_v2(std::move(from)));
                        },
                        [&](v1::SubagentUpdate& from) {
                          stands("subagent " + from.sessionId);
                          add_same(std::in_place_type<v2::SubagentUpdate>, from);
                        },
                        [&](v1::SessionMessage& from) {
                          stands("message " + from.messageId);
                          add(to_v2(std::move(from)));
                        },
                        [&](v1::SessionMessageChunk& from) {
                          stands("message " + from.messageId);
                          add_if(to_v2(std::move(from)));
                        },
                        [&](Unknown&) { add_same(std::in_place_type<v2::SessionUpdate>, update); }},
             update);
  return out;
}

}  // namespace acp::detail::versions
