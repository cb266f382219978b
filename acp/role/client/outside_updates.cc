#include "acp/role/client/outside_updates.h"

#include <algorithm>
#include <utility>

#include "acp/role/versions/tool_call.h"

namespace acp::detail {

bool OutsideUpdates::add(v1::SessionUpdate update, std::size_t bytes, bool wholes) {
  bytes += sizeof(Waiting);
  if (wholes) {
    const auto* const change = std::get_if<v1::ToolCallUpdate>(&update);
    const auto* const call = std::get_if<v1::ToolCall>(&update);
    if (change != nullptr && change->content.has_value()) drop_content(change->toolCallId);
    if (call != nullptr || (change != nullptr && change->content.has_value()))
      contents_[call != nullptr ? call->toolCallId : change->toolCallId] = first_ + waiting_.size();
  }
  waiting_.push_back({std::move(update), bytes});
  bytes_ += bytes;
  const bool too_many = bytes_ > max_bytes && waiting_.size() > 1;
  for (; bytes_ > max_bytes && waiting_.size() > 1; ++first_) {
    bytes_ -= waiting_.front().bytes;
    waiting_.pop_front();
  }
  if (too_many) std::erase_if(contents_, [&](const auto& one) { return one.second < first_; });
  return too_many && !std::exchange(dropped_, true);
}

void OutsideUpdates::drop_content(const std::string& call) {
  const auto last = contents_.find(call);
  if (last == contents_.end()) return;
  Waiting& waiting = waiting_[last->second - first_];
  std::size_t gone = 0;
  const auto drop = [&](std::vector<v1::ToolCallContent>& content) {
    for (const v1::ToolCallContent& one : content) gone += versions::size_of(one);
  };
  if (auto* const announced = std::get_if<v1::ToolCall>(&waiting.update)) {
    drop(announced->content);
    announced->content = {};
  } else if (auto* const change = std::get_if<v1::ToolCallUpdate>(&waiting.update)) {
    drop(*change->content);
    change->content.reset();
  }
  gone = std::min(gone, waiting.bytes - sizeof(Waiting));
  waiting.bytes -= gone;
  bytes_ -= gone;
}

std::vector<v1::SessionUpdate> OutsideUpdates::take() {
  std::vector<v1::SessionUpdate> result;
  result.reserve(waiting_.size());
  for (Waiting& one : waiting_) result.push_back(std::move(one.update));
  *this = OutsideUpdates();
  return result;
}

}  // namespace acp::detail
