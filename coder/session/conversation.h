// The conversation of a session as the model has it, and as it is kept.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "coder/model/model.h"
#include "coder/store/store.h"

namespace acp::coder {

std::string encode_message(const Message& message);
// Throws StoreError for what encode_message() has not written.
Message decode_message(std::string_view text);

// What entries of a store come to.
class Conversation {
 public:
  const std::vector<Message>& messages() const { return messages_; }
  // The ids of all tool calls.
  std::unordered_set<std::string> call_ids() const;

  // These change the conversation, and give the entry that keeps the change.
  LiveSession::Entry add(Message message);
  // Takes back the last ones: a prompt that was refused, and what followed it.
  LiveSession::Entry drop_last(std::size_t count);
  // All of it becomes this summary.
  LiveSession::Entry compact(const std::string& summary);

  // Entries as they were kept, in order.
  void replay(EntryKind kind, std::string_view body);
  // After an interruption, or when not all entries could be stored: adds what the model had said of
  // an answer that it could not finish (`said`, as the user saw it), and repairs the rest. Gives
  // the entries that keep it; `told`, if given, says what was repaired.
  std::vector<LiveSession::Entry> mend(const std::string& said, std::string* told = nullptr);

 private:
  std::vector<Message> messages_;
};

// About four bytes make a token: for models that do not say how full their context is.
std::uint64_t estimated_tokens(const std::vector<Message>& messages);

}  // namespace acp::coder
