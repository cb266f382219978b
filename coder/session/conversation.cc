#include "coder/session/conversation.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "acp/json/writer.h"
#include "coder/model/json_array.h"
#include "coder/session/conversation_repair.h"

namespace acp::coder {

namespace {

void write_media(json::Writer& out, const MediaPart& media) {
  json::Members members(out);
  members.key("type").string("media");
  members.key("mimeType").string(media.mime_type);
  members.key("data").string(media.data);
  if (!media.name.empty()) members.key("name").string(media.name);
}

struct WritePart {
  json::Writer& out;

  void operator()(const TextPart& part) const {
    json::Members members(out);
    members.key("type").string("text");
    members.key("text").string(part.text);
  }
  void operator()(const ThoughtPart& part) const {
    json::Members members(out);
    members.key("type").string("thought");
    members.key("text").string(part.text);
    if (!part.signature.empty()) members.key("signature").string(part.signature);
  }
  void operator()(const MediaPart& part) const { write_media(out, part); }
  void operator()(const ToolCallPart& part) const {
    json::Members members(out);
    members.key("type").string("call");
    members.key("id").string(part.id);
    members.key("name").string(part.name);
    members.key("arguments").string(part.arguments);
  }
  void operator()(const ToolResultPart& part) const {
    json::Members members(out);
    members.key("type").string("result");
    members.key("id").string(part.id);
    members.key("text").string(part.text);
    if (part.failed) members.key("failed").boolean(true);
    if (part.media.empty()) return;
    Array media(members.key("media"));
    for (const MediaPart& one : part.media) write_media(media.next(), one);
  }
};

std::string text_of(JsonView value) { return value.as_string().value_or(""); }

MediaPart read_media(JsonView part) {
  return {text_of(part["mimeType"]), text_of(part["data"]), text_of(part["name"])};
}

Part read_part(JsonView part) {
  const std::string type = text_of(part["type"]);
  if (type == "text") return TextPart{text_of(part["text"])};
  if (type == "thought") return ThoughtPart{text_of(part["text"]), text_of(part["signature"])};
  if (type == "media") return read_media(part);
  if (type == "call")
    return ToolCallPart{text_of(part["id"]), text_of(part["name"]), text_of(part["arguments"])};
  if (type == "result") {
    ToolResultPart result{text_of(part["id"]), text_of(part["text"]),
                          part["failed"].as_bool().value_or(false)};
    for (const JsonView media : part["media"].elements()) result.media.push_back(read_media(media));
    return result;
  }
  throw StoreError("the conversation has a part of an unknown kind: " + type);
}

Message summary_message(const std::string& summary) {
  Message message{Message::Role::user, {}};
  message.parts.push_back(
      TextPart{"This is a summary of our conversation so far; go on from it.\n\n" + summary});
  return message;
}

}  // namespace

std::string encode_message(const Message& message) {
  json::Writer out;
  {
    json::Members members(out);
    members.key("role").string(message.role == Message::Role::user ? "user" : "assistant");
    Array parts(members.key("parts"));
    for (const Part& part : message.parts) std::visit(WritePart{parts.next()}, part);
  }
  return out.str();
}

Message decode_message(std::string_view text) {
  const auto parsed = Json::parse(text);
  if (!parsed || !parsed->is_object()) throw StoreError("a message of the conversation is broken");
  const std::string role = text_of((*parsed)["role"]);
  if (role != "user" && role != "assistant")
    throw StoreError("a message of the conversation has no role");
  Message message{role == "user" ? Message::Role::user : Message::Role::assistant, {}};
  for (const JsonView part : (*parsed)["parts"].elements())
    message.parts.push_back(read_part(part));
  return message;
}

std::unordered_set<std::string> Conversation::call_ids() const {
  std::unordered_set<std::string> ids;
  for (const Message& message : messages_)
    for (const Part& part : message.parts)
      if (const auto* call = std::get_if<ToolCallPart>(&part)) ids.insert(call->id);
  return ids;
}

LiveSession::Entry Conversation::add(Message message) {
  LiveSession::Entry entry{EntryKind::message, encode_message(message)};
  messages_.push_back(std::move(message));
  return entry;
}

LiveSession::Entry Conversation::drop_last(std::size_t count) {
  count = std::min(count, messages_.size());
  messages_.resize(messages_.size() - count, Message{Message::Role::user, {}});
  return {EntryKind::dropped, std::to_string(count)};
}

LiveSession::Entry Conversation::compact(const std::string& summary) {
  Message message = summary_message(summary);
  LiveSession::Entry entry{EntryKind::compaction, encode_message(message)};
  messages_.clear();
  messages_.push_back(std::move(message));
  return entry;
}

void Conversation::replay(EntryKind kind, std::string_view body) {
  switch (kind) {
    case EntryKind::update:
      break;
    case EntryKind::message:
      messages_.push_back(decode_message(body));
      break;
    case EntryKind::compaction:
      messages_.clear();
      messages_.push_back(decode_message(body));
      break;
    case EntryKind::dropped: {
      std::size_t count = 0;
      std::from_chars(body.data(), body.data() + body.size(), count);
      drop_last(count);
      break;
    }
  }
}

std::vector<LiveSession::Entry> Conversation::repair_interrupted(const std::string& said,
                                                                 std::string* told) {
  std::vector<LiveSession::Entry> entries;
  if (!said.empty()) {
    Message answer{Message::Role::assistant, {}};
    answer.parts.push_back(TextPart{said});
    entries.push_back(add(std::move(answer)));
  }
  const std::size_t before = messages_.size();
  Repaired repaired = repair(std::exchange(messages_, {}));
  if (told != nullptr) *told = repaired.text();
  const auto changed = repaired.messages.begin() + static_cast<std::ptrdiff_t>(repaired.unchanged);
  // What comes after the first change is taken back, and added as it is now.
  if (before > repaired.unchanged)
    entries.push_back({EntryKind::dropped, std::to_string(before - repaired.unchanged)});
  for (auto message = changed; message != repaired.messages.end(); ++message)
    entries.push_back({EntryKind::message, encode_message(*message)});
  messages_ = std::move(repaired.messages);
  return entries;
}

std::uint64_t estimated_tokens(const std::vector<Message>& messages) {
  std::uint64_t bytes = 0;
  for (const Message& message : messages)
    for (const Part& part : message.parts) {
      if (const auto* text = std::get_if<TextPart>(&part)) bytes += text->text.size();
      if (const auto* thought = std::get_if<ThoughtPart>(&part)) bytes += thought->text.size();
      if (const auto* call = std::get_if<ToolCallPart>(&part)) bytes += call->arguments.size() + 40;
      if (const auto* result = std::get_if<ToolResultPart>(&part)) bytes += result->text.size();
      // An image costs about as much as a page of text, however large its file is.
      if (std::holds_alternative<MediaPart>(part)) bytes += 6000;
    }
  return bytes / 4;
}

}  // namespace acp::coder
