// The conversation of a session, as the model gets it and as it is stored.
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

// The conversation that the entries of a store add up to.
class Conversation {
 public:
  const std::vector<Message>& messages() const { return messages_; }
  // The ids of all tool calls.
  std::unordered_set<std::string> call_ids() const;

  // These change the conversation, and return the entry that stores the change.
  LiveSession::Entry add(Message message);
  // Removes the last messages: a refused prompt, and what followed it.
  LiveSession::Entry drop_last(std::size_t count);
  // Replaces all messages by this summary.
  LiveSession::Entry compact(const std::string& summary);

  // Applies stored entries, in order.
  void replay(EntryKind kind, std::string_view body);
  // After an interruption, or when not all entries could be stored: adds what the model had said of
  // an answer that it could not finish (`said`, as the user saw it), and repairs the rest. Gives
  // the entries that keep it; `told`, if given, says what was repaired.
  std::vector<LiveSession::Entry> repair_interrupted(const std::string& said,
                                                     std::string* told = nullptr);

 private:
  std::vector<Message> messages_;
};

// Estimates tokens at four bytes each: for models that do not report how full their context is.
std::uint64_t estimated_tokens(const std::vector<Message>& messages);

}  // namespace acp::coder
