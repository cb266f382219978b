#include "acp/role/versions/updates_to_v1.h"

#include <algorithm>

#include "acp/role/versions/base64.h"
#include "acp/role/versions/content.h"
#include "acp/role/versions/plan.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/session_parts.h"
#include "acp/role/versions/tool_call.h"

namespace acp::detail::versions {

namespace {

using Update = UpdatesToV1::Update;
using Kind = MessageReplaced::Kind;

constexpr std::uint64_t hash_begin = 0xCBF29CE484222325;

// FNV-1a: of a text in pieces, without the text.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

const std::string* text_of(const v1::ContentBlock& block) {
  const auto* text = std::get_if<v1::TextContent>(&block);
  return text != nullptr ? &text->text : nullptr;
}

void put_output(TerminalChanged& change, std::string_view data, std::size_t limit) {
  Decoded decoded = decode_base64(data, limit);
  change.output = std::move(decoded.bytes);
  change.truncated = !decoded.complete;
}

TerminalChanged terminal(v2::TerminalUpdate& from, std::size_t limit) {
  TerminalChanged change;
  change.id = std::move(from.terminalId);
  change.command = std::move(from.command);
  change.cwd = std::move(from.cwd);
  change.exit_status = std::move(from.exitStatus);
  change.size = std::move(from.size);
  change.capabilities = std::move(from.capabilities);
  change.replaces_output = !from.output.absent();
  if (from.output) put_output(change, from.output->data, limit);
  change.meta = std::move(from._meta);
  return change;
}

}  // namespace

const char* to_string(Kind value) {
  switch (value) {
    case Kind::user:
      return "user";
    case Kind::agent:
      return "agent";
    case Kind::thought:
      return "thought";
  }
  return "";
}

std::pair<UpdatesToV1::Message&, bool> UpdatesToV1::message(const std::string& id) {
  const auto [found, is_new] = messages_.try_emplace(id, Message{.hash = hash_begin});
  if (is_new) {
    message_order_.push_back(id);
    // Not the new one, whatever the limit.
    if (message_order_.size() > std::max<std::size_t>(limits_.messages, 1)) {
      messages_.erase(message_order_.front());
      message_order_.pop_front();
    }
  }
  return {found->second, !is_new};
}

void UpdatesToV1::add_text(Message& message, const std::string& text) {
  message.size += text.size();
  message.hash = hash_of(text, message.hash);
}

bool UpdatesToV1::take_text(const v1::SessionUpdate& update) {
  const v1::ContentChunk* chunk = std::get_if<v1::AgentMessageChunk>(&update);
  if (chunk == nullptr) chunk = std::get_if<v1::AgentThoughtChunk>(&update);
  if (chunk == nullptr || !chunk->messageId) return false;
  const auto* const text = std::get_if<v1::TextContent>(&chunk->content);
  if (text == nullptr || !text->annotations.absent()) return false;
  add_text(message(*chunk->messageId).first, text->text);
  return true;
}

template <class To>
void UpdatesToV1::add_chunk(auto&& from, std::vector<Update>& out) {
  auto content = to_v1(std::move(from.content));
  if (!content) return;
  Message& known = message(from.messageId).first;
  if (const std::string* text = text_of(*content)) {
    add_text(known, *text);
  } else {
    known.text_only = false;
  }
  To to;
  to.content = std::move(*content);
  to.messageId = std::move(from.messageId);
  to._meta = std::move(from._meta);
  out.emplace_back(v1::SessionUpdate(std::move(to)));
}

template <class To>
void UpdatesToV1::add_message(Kind kind, auto&& from, std::vector<Update>& out) {
  const auto [known, was_known] = message(from.messageId);
  MessageReplaced whole{kind, from.messageId, std::nullopt, std::move(from._meta)};
  if (from.content)
    whole.content = to_v1(std::move(*from.content));
  else if (from.content.is_null())
    whole.content.emplace();
  const auto add = [&](v1::ContentBlock&& block) {
    To chunk;
    chunk.content = std::move(block);
    chunk.messageId = whole.id;
    chunk._meta = std::move(whole.meta);
    out.emplace_back(v1::SessionUpdate(std::move(chunk)));
  };
  Message now{.hash = hash_begin};
  std::string text;
  if (whole.content) {
    for (const v1::ContentBlock& block : *whole.content)
      if (const std::string* one = text_of(block))
        text += *one;
      else
        now.text_only = false;
    now.size = text.size();
    now.hash = hash_of(text, hash_begin);
  }
  if (!was_known) {
    known = now;
    if (whole.content)
      for (v1::ContentBlock& block : *whole.content) add(std::move(block));
    return;
  }
  if (!whole.content) {
    if (!whole.meta.absent()) out.emplace_back(std::move(whole));
    return;
  }
  const bool goes_on =
      known.text_only && now.text_only && now.size >= known.size &&
      hash_of(std::string_view(text).substr(0, known.size), hash_begin) == known.hash;
  const std::size_t old_size = known.size;
  known = now;
  if (!goes_on)
    out.emplace_back(std::move(whole));
  else if (now.size > old_size)
    add(text.substr(old_size));
}

void UpdatesToV1::add_options(v2::ConfigOptionUpdate&& update, std::vector<Update>& out) {
  ++option_changes_;
  OptionsToV1 options = OptionsToV1::of(std::move(update.configOptions), map_modes_);
  mode_id_ = std::move(options.mode_id);
  if (options.modes) {
    if (!modes_ || modes_->availableModes != options.modes->availableModes)
      out.emplace_back(*options.modes);
    v1::CurrentModeUpdate mode;
    mode.currentModeId = options.modes->currentModeId;
    out.emplace_back(v1::SessionUpdate(std::move(mode)));
  } else if (modes_) {
    out.emplace_back(v1::SessionModeState());
  }
  modes_ = std::move(options.modes);
  v1::ConfigOptionUpdate to;
  to.configOptions = std::move(options.options);
  to._meta = std::move(update._meta);
  out.emplace_back(v1::SessionUpdate(std::move(to)));
}

std::vector<Update> UpdatesToV1::convert(v2::SessionUpdate update) {
  std::vector<Update> out;
  const auto add = [&](auto&& value) {
    out.emplace_back(v1::SessionUpdate(std::forward<decltype(value)>(value)));
  };
  const auto add_if = [&](auto&& value) {
    if (value) add(std::move(*value));
  };
  const auto add_same = [&]<class To>(std::in_place_type_t<To>, const auto& value) {
    add_if(recode<To>(value));
  };
  const auto add_arm = [&](auto&& arms) {
    std::visit([&](auto& arm) { add(std::move(arm)); }, arms);
  };
  std::visit(
      Overloaded{
          [&](v2::UserMessageChunk& from) {
            add_chunk<v1::UserMessageChunk>(std::move(from), out);
          },
          [&](v2::AgentMessageChunk& from) {
            add_chunk<v1::AgentMessageChunk>(std::move(from), out);
          },
          [&](v2::AgentThoughtChunk& from) {
            add_chunk<v1::AgentThoughtChunk>(std::move(from), out);
          },
          [&](v2::UserMessage& from) {
            add_message<v1::UserMessageChunk>(Kind::user, std::move(from), out);
          },
          [&](v2::AgentMessage& from) {
            add_message<v1::AgentMessageChunk>(Kind::agent, std::move(from), out);
          },
          [&](v2::AgentThought& from) {
            add_message<v1::AgentThoughtChunk>(Kind::thought, std::move(from), out);
          },
          [&](v2::StateUpdate& from) { out.emplace_back(to_v1(std::move(from))); },
          [&](v2::ToolCallContentChunk& from) { add_content(std::move(from), out); },
          [&](v2::ToolCallUpdate& from) { add_call(std::move(from), out); },
          [&](v2::TerminalUpdate& from) {
            out.emplace_back(terminal(from, limits_.terminal_output));
          },
          [&](v2::TerminalOutputChunk& from) {
            TerminalChanged change;
            change.id = std::move(from.terminalId);
            put_output(change, from.data, limits_.terminal_output);
            change.meta = std::move(from._meta);
            out.emplace_back(std::move(change));
          },
          [&](v2::PlanUpdate& from) {
            if (auto plan = to_v1(std::move(from))) add_arm(*plan);
          },
          [&](v2::PlanRemoved& from) {
            auto plan = to_v1(std::move(from));
            add_arm(plan);
          },
          [&](v2::AvailableCommandsUpdate& from) { add(to_v1(std::move(from))); },
          [&](v2::ConfigOptionUpdate& from) { add_options(std::move(from), out); },
          [&](v2::SessionInfoUpdate& from) {
            add_same(std::in_place_type<v1::SessionInfoUpdate>, from);
          },
          [&](v2::UsageUpdate& from) { add_same(std::in_place_type<v1::UsageUpdate>, from); },
          [&](v2::Notice& from) { add_same(std::in_place_type<v1::Notice>, from); },
          [&](v2::CompactionUpdate& from) { add(to_v1(std::move(from))); },
          [&](v2::CompactionSummaryChunk& from) { add_if(to_v1(std::move(from))); },
          [&](v2::SubagentUpdate& from) { add_same(std::in_place_type<v1::SubagentUpdate>, from); },
          [&](v2::SessionMessage& from) { add(to_v1(std::move(from))); },
          [&](v2::SessionMessageChunk& from) { add_if(to_v1(std::move(from))); },
          [&](Unknown& unknown) { add(std::move(unknown)); }},
      update);
  return out;
}

}  // namespace acp::detail::versions
