#include "acp/role/versions/session_parts.h"

#include "acp/role/versions/content.h"
#include "acp/role/versions/kept.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

v2::AvailableCommand command_to_v2(v1::AvailableCommand&& from) {
  v2::Command to;
  to.name = std::move(from.name);
  to.description = std::move(from.description);
  const Json kept = take_kept(from._meta);
  if (!kept["input"].absent()) {
    to.input = recoded<v2::AvailableCommandInput>(Json(kept["input"]));
  } else if (from.input.is_null()) {
    to.input = nullptr;
  } else if (from.input) {
    auto& old = std::get<v1::UnstructuredCommandInput>(*from.input);
    v2::TextCommandInput input;
    input.hint = std::move(old.hint);
    input._meta = std::move(old._meta);
    to.input = v2::AvailableCommandInput(std::move(input));
  }
  to._meta = std::move(from._meta);
  return to;
}

std::optional<v1::AvailableCommand> command_to_v1(v2::AvailableCommand&& from) {
  auto* command = std::get_if<v2::Command>(&from);
  if (command == nullptr) return std::nullopt;
  v1::AvailableCommand to;
  to.name = std::move(command->name);
  to.description = std::move(command->description);
  to._meta = std::move(command->_meta);
  if (command->input.is_null()) {
    to.input = nullptr;
  } else if (command->input) {
    if (auto* old = std::get_if<v2::TextCommandInput>(&*command->input)) {
      v1::UnstructuredCommandInput input;
      input.hint = std::move(old->hint);
      input._meta = std::move(old->_meta);
      to.input = v1::AvailableCommandInput(std::move(input));
    } else {
      keep(to._meta, "input", Json::from_valid(json::encode(*command->input)));
    }
  }
  return to;
}

// What chunks of content have in common.
template <class To>
std::optional<To> chunk(auto&& from, To to) {
  auto block = [&] {
    if constexpr (std::is_same_v<decltype(to.content), v2::ContentBlock>)
      return to_v2(std::move(from.content));
    else
      return to_v1(std::move(from.content));
  }();
  if (!block) return std::nullopt;
  to.content = std::move(*block);
  to._meta = std::move(from._meta);
  return to;
}

template <class To, class Blocks>
To session_message(auto&& from, Blocks blocks) {
  To to;
  to.messageId = std::move(from.messageId);
  to.senderSessionId = std::move(from.senderSessionId);
  to.recipientSessionId = std::move(from.recipientSessionId);
  to.senderMessageId = std::move(from.senderMessageId);
  to.recipientMessageId = std::move(from.recipientMessageId);
  to.content = mapped(std::move(from.content), blocks);
  to._meta = std::move(from._meta);
  return to;
}

const auto blocks_to_v2 = [](std::vector<v1::ContentBlock>&& list) {
  return to_v2(std::move(list));
};
const auto blocks_to_v1 = [](std::vector<v2::ContentBlock>&& list) {
  return to_v1(std::move(list));
};

template <class To, class Blocks>
To compaction(auto&& from, Blocks blocks) {
  To to;
  to.compactionId = std::move(from.compactionId);
  to.status.index = from.status.index;
  to.status.unlisted = std::move(from.status.unlisted);
  to.summary = mapped(std::move(from.summary), blocks);
  to.error = std::move(from.error);
  to._meta = std::move(from._meta);
  return to;
}

}  // namespace

std::vector<v2::AvailableCommand> to_v2(std::vector<v1::AvailableCommand> commands) {
  return mapped_list<v2::AvailableCommand>(std::move(commands), command_to_v2);
}

std::vector<v1::AvailableCommand> to_v1(std::vector<v2::AvailableCommand> commands) {
  return mapped_list<v1::AvailableCommand>(std::move(commands), command_to_v1);
}

v2::AvailableCommandsUpdate to_v2(v1::AvailableCommandsUpdate update) {
  v2::AvailableCommandsUpdate to;
  to.availableCommands = to_v2(std::move(update.availableCommands));
  to._meta = std::move(update._meta);
  return to;
}

v1::AvailableCommandsUpdate to_v1(v2::AvailableCommandsUpdate update) {
  v1::AvailableCommandsUpdate to;
  to.availableCommands = to_v1(std::move(update.availableCommands));
  to._meta = std::move(update._meta);
  return to;
}

v2::CompactionUpdate to_v2(v1::CompactionUpdate update) {
  return compaction<v2::CompactionUpdate>(std::move(update), blocks_to_v2);
}

v1::CompactionUpdate to_v1(v2::CompactionUpdate update) {
  return compaction<v1::CompactionUpdate>(std::move(update), blocks_to_v1);
}

std::optional<v2::CompactionSummaryChunk> to_v2(v1::CompactionSummaryChunk from) {
  v2::CompactionSummaryChunk to;
  to.compactionId = std::move(from.compactionId);
  return chunk(std::move(from), std::move(to));
}

std::optional<v1::CompactionSummaryChunk> to_v1(v2::CompactionSummaryChunk from) {
  v1::CompactionSummaryChunk to;
  to.compactionId = std::move(from.compactionId);
  return chunk(std::move(from), std::move(to));
}

v2::SessionMessage to_v2(v1::SessionMessage message) {
  return session_message<v2::SessionMessage>(std::move(message), blocks_to_v2);
}

v1::SessionMessage to_v1(v2::SessionMessage message) {
  return session_message<v1::SessionMessage>(std::move(message), blocks_to_v1);
}

std::optional<v2::SessionMessageChunk> to_v2(v1::SessionMessageChunk from) {
  v2::SessionMessageChunk to;
  to.messageId = std::move(from.messageId);
  return chunk(std::move(from), std::move(to));
}

std::optional<v1::SessionMessageChunk> to_v1(v2::SessionMessageChunk from) {
  v1::SessionMessageChunk to;
  to.messageId = std::move(from.messageId);
  return chunk(std::move(from), std::move(to));
}

}  // namespace acp::detail::versions
