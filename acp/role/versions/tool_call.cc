#include "acp/role/versions/tool_call.h"

#include <algorithm>

#include "acp/json/codec.h"
#include "acp/role/versions/content.h"
#include "acp/role/versions/kept.h"
#include "acp/role/versions/recode.h"

namespace acp::detail::versions {

namespace {

std::vector<v2::ToolCallLocation> locations_to_v2(std::vector<v1::ToolCallLocation>&& locations) {
  return mapped_list<v2::ToolCallLocation>(std::move(locations), [](v1::ToolCallLocation&& from) {
    v2::ToolCallLocation to;
    to.path = std::move(from.path);
    to.line = std::move(from.line);
    if (to.line) *to.line = std::max(*to.line, 1u);
    to._meta = std::move(from._meta);
    return to;
  });
}

std::vector<v1::ToolCallLocation> locations_to_v1(std::vector<v2::ToolCallLocation>&& locations) {
  return mapped_list<v1::ToolCallLocation>(std::move(locations), [](v2::ToolCallLocation&& from) {
    v1::ToolCallLocation to;
    to.path = std::move(from.path);
    to.line = std::move(from.line);
    to._meta = std::move(from._meta);
    return to;
  });
}

// Absent, too, if it is null.
template <class To, class From>
void put(Nullable<To>& to, From&& from) {
  if (from.has_value()) to = std::move(*from);
}
void put(Json& to, Json&& from) {
  if (!from.is_null()) to = std::move(from);
}

// Null is `cleared`, absent stays absent.
template <class To, class From, class Convert>
void put(Nullable<To>& to, Nullable<From>&& from, To cleared, Convert convert) {
  if (from.is_null()) to = std::move(cleared);
  if (from.has_value()) to = convert(std::move(*from));
}

// What version 1 cannot say of a call.
void keep_rest(Json& meta, const v2::ToolCallUpdate& update) {
  using Status = v2::ToolCallStatus;
  if (update.status && (*update.status == Status::paused || *update.status == Status::cancelled ||
                        *update.status == Status::unknown_))
    keep(meta, "status", to_string(*update.status));
  if (update.kind && *update.kind == v2::ToolKind::unknown_)
    keep(meta, "kind", to_string(*update.kind));
  // There it means that nothing has changed.
  if (update.rawInput.is_null()) keep(meta, "rawInput", nullptr);
  if (update.rawOutput.is_null()) keep(meta, "rawOutput", nullptr);
  if (update.capabilities.is_null()) keep(meta, "capabilities", nullptr);
  if (update.capabilities)
    keep(meta, "capabilities", Json::from_valid(json::encode(*update.capabilities)));
}

// The other way: what a message had in version 2 before it came here.
void take_rest(Json& meta, v2::ToolCallUpdate& update) {
  const Json kept = take_kept(meta);
  if (kept.absent()) return;
  const auto take = [&](std::string_view name, auto& member) {
    using Member = std::remove_reference_t<decltype(*member)>;
    if (kept[name].is_null())
      member = nullptr;
    else if (auto value = recode<Member>(Json(kept[name])))
      member = std::move(*value);
  };
  if (!kept["status"].absent()) take("status", update.status);
  if (!kept["kind"].absent()) take("kind", update.kind);
  if (!kept["capabilities"].absent()) take("capabilities", update.capabilities);
  if (kept["rawInput"].is_null()) update.rawInput = nullptr;
  if (kept["rawOutput"].is_null()) update.rawOutput = nullptr;
}

}  // namespace

// The lists have the same order: a value that only version 2 has stands elsewhere.
static_assert(static_cast<int>(v2::ToolKind::other) == static_cast<int>(v1::ToolKind::other));

v2::ToolKind to_v2(v1::ToolKind kind) { return static_cast<v2::ToolKind::Value>(kind); }

v1::ToolKind to_v1(const v2::ToolKind& kind) {
  return kind == v2::ToolKind::unknown_ ? v1::ToolKind::other
                                        : static_cast<v1::ToolKind>(kind.index);
}

v2::ToolCallStatus to_v2(v1::ToolCallStatus status) {
  switch (status) {
    case v1::ToolCallStatus::pending:
      return v2::ToolCallStatus::pending;
    case v1::ToolCallStatus::in_progress:
      return v2::ToolCallStatus::in_progress;
    case v1::ToolCallStatus::completed:
      return v2::ToolCallStatus::completed;
    case v1::ToolCallStatus::failed:
      return v2::ToolCallStatus::failed;
  }
  return v2::ToolCallStatus::in_progress;
}

v1::ToolCallStatus to_v1(const v2::ToolCallStatus& status) {
  switch (status) {
    case v2::ToolCallStatus::pending:
      return v1::ToolCallStatus::pending;
    case v2::ToolCallStatus::completed:
      return v1::ToolCallStatus::completed;
    case v2::ToolCallStatus::failed:
    case v2::ToolCallStatus::cancelled:
      return v1::ToolCallStatus::failed;
    case v2::ToolCallStatus::in_progress:
    case v2::ToolCallStatus::paused:
    case v2::ToolCallStatus::unknown_:
      break;
  }
  return v1::ToolCallStatus::in_progress;
}

v2::ToolCallUpdate to_v2(v1::ToolCall call) {
  v1::ToolCallUpdate update;
  update.toolCallId = std::move(call.toolCallId);
  update.name = std::move(call.name);
  if (call.kind) update.kind = *call.kind;
  if (call.status) update.status = *call.status;
  if (!call.title.empty()) update.title = std::move(call.title);
  if (!call.content.empty()) update.content = std::move(call.content);
  if (!call.locations.empty()) update.locations = std::move(call.locations);
  update.rawInput = std::move(call.rawInput);
  update.rawOutput = std::move(call.rawOutput);
  update._meta = std::move(call._meta);
  return to_v2(std::move(update));
}

v2::ToolCallUpdate to_v2(v1::ToolCallUpdate update) {
  v2::ToolCallUpdate to;
  to.toolCallId = std::move(update.toolCallId);
  put(to.name, std::move(update.name));
  put(to.title, std::move(update.title));
  if (update.kind) to.kind = to_v2(*update.kind);
  if (update.status) to.status = to_v2(*update.status);
  if (update.content) to.content = to_v2(*update.content);
  if (update.locations) to.locations = locations_to_v2(std::move(*update.locations));
  put(to.rawInput, std::move(update.rawInput));
  put(to.rawOutput, std::move(update.rawOutput));
  take_rest(update._meta, to);
  put(to._meta, std::move(update._meta));
  return to;
}

v1::ToolCallUpdate to_v1(v2::ToolCallUpdate update) {
  v1::ToolCallUpdate to;
  const auto same = [](auto&& value) { return std::move(value); };
  keep_rest(update._meta, update);
  to.toolCallId = std::move(update.toolCallId);
  put(to.name, std::move(update.name), std::string(), same);
  put(to.title, std::move(update.title), std::string(), same);
  put(to.kind, std::move(update.kind), v1::ToolKind::other,
      [](const v2::ToolKind& kind) { return to_v1(kind); });
  put(to.status, std::move(update.status), v1::ToolCallStatus::pending,
      [](const v2::ToolCallStatus& status) { return to_v1(status); });
  put(to.content, std::move(update.content), {},
      [](std::vector<v2::ToolCallContent>&& list) { return to_v1(std::move(list)); });
  put(to.locations, std::move(update.locations), {}, locations_to_v1);
  to.rawInput = std::move(update.rawInput);
  to.rawOutput = std::move(update.rawOutput);
  to._meta = std::move(update._meta);
  return to;
}

std::size_t size_of(const v1::ToolCallContent& content) {
  std::size_t size = sizeof content;
  if (const auto* diff = std::get_if<v1::Diff>(&content)) {
    size += diff->path.size() + diff->newText.size() + diff->_meta.text().size();
    if (diff->oldText) size += diff->oldText->size();
  } else if (const auto* one = std::get_if<v1::Content>(&content)) {
    size += one->_meta.text().size();
    std::visit(Overloaded{[&](const v1::TextContent& text) { size += text.text.size(); },
                          [&](const v1::ImageContent& image) { size += image.data.size(); },
                          [&](const v1::AudioContent& audio) { size += audio.data.size(); },
                          [&](const v1::EmbeddedResource& embedded) {
                            if (const auto* text =
                                    std::get_if<v1::TextResourceContents>(&embedded.resource))
                              size += text->text.size();
                            if (const auto* blob =
                                    std::get_if<v1::BlobResourceContents>(&embedded.resource))
                              size += blob->blob.size();
                          },
                          [&](const auto&) { size += json::encode(one->content).size(); }},
               one->content);
  } else {
    size += json::encode(content).size();
  }
  return size;
}

v1::ToolCall to_v1_call(v2::ToolCallUpdate first) {
  v1::ToolCallUpdate update = to_v1(std::move(first));
  v1::ToolCall call;
  call.toolCallId = std::move(update.toolCallId);
  if (update.name) call.name = std::move(*update.name);
  if (update.title) call.title = std::move(*update.title);
  if (call.title.empty() && call.name) call.title = *call.name;
  if (update.kind) call.kind = *update.kind;
  if (update.status) call.status = *update.status;
  if (update.content) call.content = std::move(*update.content);
  if (update.locations) call.locations = std::move(*update.locations);
  put(call.rawInput, std::move(update.rawInput));
  put(call.rawOutput, std::move(update.rawOutput));
  call._meta = std::move(update._meta);
  return call;
}

}  // namespace acp::detail::versions
