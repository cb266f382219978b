#include "acp/role/versions/updates_to_v2.h"

#include <algorithm>

#include "acp/role/versions/content.h"
#include "acp/role/versions/plan.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/session_parts.h"
#include "acp/role/versions/tool_call.h"

namespace acp::detail::versions {

const std::string& UpdatesToV2::id_for(Kind kind, const Nullable<v1::MessageId>& own) {
  std::string& id = ids_[static_cast<std::size_t>(kind)];
  if (own)
    id = *own;
  else if (kind_ != kind)
    id = new_id_();
  kind_ = kind;
  return id;
}

template <class To, class From>
void UpdatesToV2::add_chunk(Kind kind, const From& from, std::vector<v2::SessionUpdate>& out) {
  auto content = to_v2(from.content);
  if (!content) return;
  To to;
  to.messageId = id_for(kind, from.messageId);
  to.content = std::move(*content);
  to._meta = from._meta;
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

// Whether the content is what is shown, and perhaps more.
bool only_adds(const std::vector<v1::ToolCallContent>& content,
               const std::vector<v1::ToolCallContent>& shown) {
  return content.size() >= shown.size() && std::equal(shown.begin(), shown.end(), content.begin());
}

// Without the content, which may be large.
v1::ToolCallUpdate rest_of(const v1::ToolCallUpdate& update) {
  v1::ToolCallUpdate rest;
  rest.toolCallId = update.toolCallId;
  rest.name = update.name;
  rest.title = update.title;
  rest.kind = update.kind;
  rest.status = update.status;
  rest.locations = update.locations;
  rest.rawInput = update.rawInput;
  rest.rawOutput = update.rawOutput;
  rest._meta = update._meta;
  return rest;
}

bool says_nothing(const v1::ToolCallUpdate& update) {
  v1::ToolCallUpdate nothing;
  nothing.toolCallId = update.toolCallId;
  return update == nothing;
}

}  // namespace

void UpdatesToV2::add_call(const v1::ToolCallUpdate& from,
                           const std::vector<v1::ToolCallContent>* shown,
                           std::vector<v2::SessionUpdate>& out) {
  v1::ToolCallUpdate rest = rest_of(from);
  const bool in_pieces = shown != nullptr && from.content && only_adds(*from.content, *shown);
  if (in_pieces) {
    for (std::size_t i = shown->size(); i < from.content->size(); ++i) {
      auto content = to_v2((*from.content)[i]);
      if (!content) continue;
      v2::ToolCallContentChunk piece;
      piece.toolCallId = from.toolCallId;
      piece.content = std::move(*content);
      out.emplace_back(std::move(piece));
    }
    if (!out.empty() && says_nothing(rest)) return;
  }
  v2::ToolCallUpdate to = to_v2(std::move(rest));
  if (!in_pieces && from.content) to.content = to_v2(*from.content);
  out.emplace_back(std::move(to));
}

std::vector<v2::SessionUpdate> UpdatesToV2::convert(const v1::SessionUpdate& update,
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
  std::visit(
      Overloaded{
          [&](const v1::UserMessageChunk& from) {
            add_chunk<v2::UserMessageChunk>(Kind::user, from, out);
          },
          [&](const v1::AgentMessageChunk& from) {
            add_chunk<v2::AgentMessageChunk>(Kind::agent, from, out);
          },
          [&](const v1::AgentThoughtChunk& from) {
            add_chunk<v2::AgentThoughtChunk>(Kind::thought, from, out);
          },
          [&](const v1::ToolCall& call) {
            stands("tool_call " + call.toolCallId);
            add(to_v2(call));
          },
          [&](const v1::ToolCallUpdate& from) { add_call(from, shown, out); },
          [&](const v1::Plan& plan) {
            end_message();
            add(to_v2(plan));
          },
          [&](const v1::PlanUpdate& from) {
            end_message();
            add_if(to_v2(from));
          },
          [&](const v1::PlanRemoved& from) { add(to_v2(from)); },
          [&](const v1::AvailableCommandsUpdate& from) { add(to_v2(from)); },
          [&](const v1::CurrentModeUpdate& from) {
            options_.set_mode(from.currentModeId);
            v2::ConfigOptionUpdate to = options_.update();
            to._meta = from._meta;
            add(std::move(to));
          },
          [&](const v1::ConfigOptionUpdate& from) {
            options_.set_options(from.configOptions);
            v2::ConfigOptionUpdate to = options_.update();
            to._meta = from._meta;
            add(std::move(to));
          },
          [&](const v1::SessionInfoUpdate& from) {
            add_same(std::in_place_type<v2::SessionInfoUpdate>, from);
          },
          [&](const v1::UsageUpdate& from) { add_same(std::in_place_type<v2::UsageUpdate>, from); },
          [&](const v1::Notice& from) {
            end_message();
            add_same(std::in_place_type<v2::Notice>, from);
          },
          [&](const v1::CompactionUpdate& from) {
            stands("compaction " + from.compactionId);
            add(to_v2(from));
          },
          [&](const v1::CompactionSummaryChunk& from) {
            stands("compaction " + from.compactionId);
            add_if(to_v2(from));
          },
          [&](const v1::SubagentUpdate& from) {
            stands("subagent " + from.sessionId);
            add_same(std::in_place_type<v2::SubagentUpdate>, from);
          },
          [&](const v1::SessionMessage& from) {
            stands("message " + from.messageId);
            add(to_v2(from));
          },
          [&](const v1::SessionMessageChunk& from) {
            stands("message " + from.messageId);
            add_if(to_v2(from));
          },
          [&](const Unknown&) { add_same(std::in_place_type<v2::SessionUpdate>, update); }},
      update);
  return out;
}

}  // namespace acp::detail::versions
