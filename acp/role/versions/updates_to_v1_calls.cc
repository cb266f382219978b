// Tool calls of version 2 in version 1, which replaces what version 2 adds to.
#include <algorithm>

#include "acp/role/versions/content.h"
#include "acp/role/versions/tool_call.h"
#include "acp/role/versions/updates_to_v1.h"

namespace acp::detail::versions {

namespace {

bool is_final(v1::ToolCallStatus status) {
  return status == v1::ToolCallStatus::completed || status == v1::ToolCallStatus::failed;
}

}  // namespace

std::pair<UpdatesToV1::Calls::iterator, bool> UpdatesToV1::call(const std::string& id) {
  const auto found = calls_.try_emplace(id);
  if (!found.second) return found;
  Call& added = found.first->second;
  added.bytes = sizeof(Call) + 2 * id.size();
  call_bytes_ += added.bytes;
  call_order_.push_back(id);
  if (call_order_.size() > 64 + 2 * calls_.size())
    std::erase_if(call_order_, [&](const std::string& one) { return !calls_.contains(one); });
  return found;
}

void UpdatesToV1::patch_meta(Call& call, Json& change) {
  if (change.absent()) return;
  const std::size_t before = call.meta.text().size();
  Json whole = Json::object({});
  for (const auto& [key, value] : call.meta.members())
    if (change.is_object() && change[key].absent()) whole.set(key, Json(value));
  for (const auto& [key, value] : change.members())
    if (!value.is_null()) whole.set(key, Json(value));
  call.meta = std::move(whole);
  change = call.meta;
  call_bytes_ += call.meta.text().size() - before;
  call.bytes += call.meta.text().size() - before;
}

void UpdatesToV1::add(Call& call, std::vector<v1::ToolCallContent>&& content) {
  for (v1::ToolCallContent& one : content) {
    const std::size_t bytes = size_of(one);
    call.bytes += bytes;
    call_bytes_ += bytes;
    call.content.push_back(std::move(one));
  }
}

void UpdatesToV1::clear(Call& call) {
  for (const v1::ToolCallContent& one : call.content) {
    const std::size_t bytes = size_of(one);
    call.bytes -= bytes;
    call_bytes_ -= bytes;
  }
  call.content = {};
}

void UpdatesToV1::forget(Calls::iterator call) {
  call_bytes_ -= call->second.bytes;
  calls_.erase(call);
}

// Later updates of a call that was forgotten announce it again.
void UpdatesToV1::make_room(const std::string& newest) {
  if (call_bytes_ <= limits_.calls) return;
  if (!std::exchange(has_warned_, true))
    warning_ = "the agent's tool calls show more than " + std::to_string(limits_.calls) +
               " bytes: what the oldest show is forgotten when more is added to it";
  for (std::size_t left = call_order_.size(); left > 0 && call_bytes_ > limits_.calls; --left) {
    const std::string oldest = std::move(call_order_.front());
    call_order_.pop_front();
    const auto found = calls_.find(oldest);
    if (oldest == newest)
      call_order_.push_back(oldest);
    else if (found != calls_.end())
      forget(found);
  }
  const auto found = calls_.find(newest);
  if (found == calls_.end() || call_bytes_ <= limits_.calls) return;
  // It alone is too much: its last part is kept.
  Call& call = found->second;
  auto first = call.content.begin();
  for (; first != call.content.end() && call_bytes_ > limits_.calls / 2; ++first) {
    const std::size_t bytes = size_of(*first);
    call.bytes -= bytes;
    call_bytes_ -= bytes;
  }
  call.content.erase(call.content.begin(), first);
}

void UpdatesToV1::finish(const std::string& id) {
  finished_order_.push_back(id);
  // One that goes on after all has its place in this order, too.
  const auto if_finished = [&](const std::string& other, auto how) {
    const auto found = calls_.find(other);
    if (found != calls_.end() && found->second.finished) how(found);
  };
  if (finished_order_.size() > limits_.finished_contents)
    if_finished(finished_order_[finished_order_.size() - 1 - limits_.finished_contents],
                [&](const auto& found) { clear(found->second); });
  if (finished_order_.size() > limits_.finished_calls) {
    if_finished(finished_order_.front(), [&](const auto& found) { forget(found); });
    finished_order_.pop_front();
  }
}

void UpdatesToV1::note(const std::string& id, Call& call, const v1::ToolCallUpdate& update) {
  if (update.content) {
    clear(call);
    add(call, std::vector(*update.content));
  }
  if (update.status) {
    const bool was_finished = std::exchange(call.finished, is_final(*update.status));
    if (call.finished && !was_finished) finish(id);
  }
  make_room(id);
}

void UpdatesToV1::add_call(v2::ToolCallUpdate&& update, std::vector<Update>& out) {
  const std::string id = update.toolCallId;
  const auto [found, is_new] = call(id);
  patch_meta(found->second, update._meta);
  if (!is_new) {
    v1::ToolCallUpdate change = to_v1(std::move(update));
    note(id, found->second, change);
    out.emplace_back(v1::SessionUpdate(std::move(change)));
    return;
  }
  v1::ToolCall announced = to_v1_call(std::move(update));
  v1::ToolCallUpdate state;
  if (announced.status) state.status = *announced.status;
  state.content = announced.content;
  note(id, found->second, state);
  out.emplace_back(v1::SessionUpdate(std::move(announced)));
}

void UpdatesToV1::add_content(v2::ToolCallContentChunk&& chunk, std::vector<Update>& out) {
  const std::string id = chunk.toolCallId;
  const auto [found, is_new] = call(id);
  Call& known = found->second;
  patch_meta(known, chunk._meta);
  add(known, to_v1(std::move(chunk.content)));
  if (is_new) {
    v1::ToolCall announced;
    announced.toolCallId = std::move(chunk.toolCallId);
    announced.content = known.content;
    announced._meta = std::move(chunk._meta);
    out.emplace_back(v1::SessionUpdate(std::move(announced)));
  } else {
    v1::ToolCallUpdate update;
    update.toolCallId = std::move(chunk.toolCallId);
    update.content = known.content;
    update._meta = std::move(chunk._meta);
    out.emplace_back(v1::SessionUpdate(std::move(update)));
  }
  make_room(id);
}

const std::vector<v1::ToolCallContent>* UpdatesToV1::content_of(std::string_view call) const {
  const auto found = calls_.find(std::string(call));
  if (found == calls_.end() || (found->second.finished && found->second.content.empty()))
    return nullptr;
  return &found->second.content;
}

}  // namespace acp::detail::versions
