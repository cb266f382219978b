// What a long session lets go of, so that memory stays in bounds.
#include <algorithm>
#include <utility>

#include "acp/session_state.h"

namespace acp {

std::vector<std::size_t> SessionState::forget(std::size_t count) {
  count = std::min(count, timeline_.size());
  std::vector<std::size_t> kept;
  for (const std::size_t prompt : open_prompts_)
    if (prompt < count) kept.push_back(prompt);
  std::vector<std::size_t> places(timeline_.size(), none);  // where each one goes
  for (std::size_t i = 0; i < kept.size(); ++i) places[kept[i]] = i;
  for (std::size_t i = count; i < timeline_.size(); ++i) places[i] = kept.size() + i - count;

  // From the oldest change to the newest.
  std::vector<std::size_t> by_change;
  for (std::size_t entry = newest_; entry != none; entry = links_[entry].older)
    if (places[entry] != none) by_change.push_back(places[entry]);
  std::reverse(by_change.begin(), by_change.end());

  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] != i) timeline_[i] = std::move(timeline_[kept[i]]);
  timeline_.erase(timeline_.begin() + static_cast<std::ptrdiff_t>(kept.size()),
                  timeline_.begin() + static_cast<std::ptrdiff_t>(count));
  links_.assign(timeline_.size(), {none, none});
  newest_ = none;
  for (const std::size_t entry : by_change) {
    links_[entry].older = newest_;
    if (newest_ != none) links_[newest_].newer = entry;
    newest_ = entry;
  }

  const auto move = [&](std::set<std::size_t>& entries) {
    std::set<std::size_t> moved;
    for (const std::size_t entry : entries)
      if (places[entry] != none) moved.insert(moved.end(), places[entry]);
    entries = std::move(moved);
  };
  for (Index* index : {&tool_calls_, &compactions_, &subagents_, &session_messages_}) {
    std::erase_if(*index, [&](const auto& item) { return places[item.second] == none; });
    for (auto& [id, entry] : *index) entry = places[entry];
  }
  for (auto& [id, entries] : shown_in_) {
    move(entries);
    if (entries.empty()) terminals_.erase(id);
  }
  std::erase_if(shown_in_, [](const auto& item) { return item.second.empty(); });
  std::erase_if(terminals_, [&](const auto& item) {
    return item.second.released && !shown_in_.contains(item.first);
  });
  for (std::size_t& prompt : open_prompts_) prompt = places[prompt];
  move(unfinished_);
  return kept;
}

void SessionState::forget_content(std::size_t entry, std::size_t blocks, std::size_t bytes) {
  auto* const message = std::get_if<Message>(&timeline_.at(entry).content);
  if (message == nullptr) return;
  auto& content = message->content;
  content.erase(content.begin(),
                content.begin() + static_cast<std::ptrdiff_t>(std::min(blocks, content.size())));
  if (content.empty() || bytes == 0) return;
  if (auto* text = std::get_if<v1::TextContent>(&content.front())) {
    text->text.erase(0, bytes);
    text->text.shrink_to_fit();
  }
}

}  // namespace acp
