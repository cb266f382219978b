#include "chat/render/long_session.h"

#include <algorithm>
#include <stdexcept>

namespace acp::chat {

namespace {

std::size_t memory_of(const v1::ContentBlock& block) {
  if (const auto* text = std::get_if<v1::TextContent>(&block)) return text->text.size();
  if (const auto* image = std::get_if<v1::ImageContent>(&block)) return image->data.size();
  if (const auto* audio = std::get_if<v1::AudioContent>(&block)) return audio->data.size();
  if (const auto* embedded = std::get_if<v1::EmbeddedResource>(&block)) {
    if (const auto* text = std::get_if<v1::TextResourceContents>(&embedded->resource))
      return text->text.size();
    if (const auto* blob = std::get_if<v1::BlobResourceContents>(&embedded->resource))
      return blob->blob.size();
  }
  if (const auto* unknown = std::get_if<Unknown>(&block)) return unknown->payload.text().size();
  return 0;
}

std::size_t memory_of(const std::vector<v1::ContentBlock>& blocks) {
  std::size_t size = blocks.size() * sizeof(v1::ContentBlock);
  for (const v1::ContentBlock& block : blocks) size += memory_of(block);
  return size;
}

struct Size {
  const SessionState& state;

  std::size_t operator()(const SessionState::Prompt& prompt) const {
    return memory_of(prompt.content);
  }
  std::size_t operator()(const SessionState::Message& message) const {
    return memory_of(message.content);
  }
  std::size_t operator()(const ToolCallState& call) const {
    std::size_t size = call.title.size() + call.raw_input.text().size() +
                       call.raw_output.text().size() + call.meta.text().size();
    size += call.content.size() * sizeof(v1::ToolCallContent);
    for (const v1::ToolCallContent& content : call.content) {
      if (const auto* block = std::get_if<v1::Content>(&content)) size += memory_of(block->content);
      if (const auto* change = std::get_if<v1::Diff>(&content))
        size += change->newText.size() + (change->oldText ? change->oldText->size() : 0);
      if (const auto* shown = std::get_if<v1::Terminal>(&content))
        if (const TerminalView* terminal = state.terminal(shown->terminalId))
          size += terminal->output.size();
    }
    return size;
  }
  std::size_t operator()(const v1::Notice& notice) const {
    return notice.title.size() + (notice.description ? notice.description->size() : 0);
  }
  std::size_t operator()(const v1::CompactionUpdate& compaction) const {
    return compaction.summary ? memory_of(*compaction.summary) : 0;
  }
  std::size_t operator()(const v1::SubagentUpdate&) const { return 0; }
  std::size_t operator()(const v1::SessionMessage& message) const {
    return message.content ? memory_of(*message.content) : 0;
  }
  std::size_t operator()(const Unknown& update) const { return update.payload.text().size(); }
};

}  // namespace

std::size_t memory_of(const SessionState& state, const SessionState::Entry& entry) {
  return sizeof entry + std::visit(Size{state}, entry.content);
}

void Archive::write(File& file, const std::string& text) {
  if (!whole_ || text.empty()) return;
  if (!file) file.reset(std::tmpfile());
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) whole_ = false;
}

void Archive::add(const SessionState::Entry& entry) {
  ++entries_;
  if (std::holds_alternative<ToolCallState>(entry.content)) ++calls_;
  write(markdown_, exported(entry, true));
  write(json_, exported(entry, false));
}

std::string Archive::text(bool markdown) const {
  const File& file = markdown ? markdown_ : json_;
  if (!file) return {};
  std::string text;
  std::rewind(file.get());
  char bytes[65536];
  while (const std::size_t size = std::fread(bytes, 1, sizeof bytes, file.get()))
    text.append(bytes, size);
  const bool good = std::ferror(file.get()) == 0;
  std::fseek(file.get(), 0, SEEK_END);
  if (!good) throw std::runtime_error("the earlier part of the conversation cannot be read again");
  return text;
}

std::size_t too_many(const SessionState& state, std::size_t printed, const Bounds& bounds) {
  const auto& timeline = state.timeline();
  printed = std::min(printed, timeline.size());
  std::size_t bytes = 0;
  for (const SessionState::Entry& entry : timeline) bytes += memory_of(state, entry);
  if (timeline.size() <= bounds.entries && bytes <= bounds.bytes) return 0;
  std::size_t count = 0, left = timeline.size();
  for (; count < printed && (left > bounds.entries / 2 || bytes > bounds.bytes / 2);
       ++count, --left)
    bytes -= memory_of(state, timeline[count]);
  return count;
}

void keep_short(SessionState& state) {
  constexpr std::size_t most_entries = 200, most_text = 64 * 1024;
  if (state.timeline().size() > most_entries)
    state.forget(state.timeline().size() - most_entries / 2);
  if (state.timeline().empty()) return;
  const std::size_t last = state.timeline().size() - 1;
  const auto* message = std::get_if<SessionState::Message>(&state.timeline()[last].content);
  if (message != nullptr && memory_of(message->content) > most_text)
    state.forget_content(last, message->content.size(), 0);
}

}  // namespace acp::chat
