// For tests of SessionState: updates to apply, and what has become of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "acp/json/codec.h"
#include "acp/session_state.h"

namespace acp::testing {

using Indices = std::vector<std::size_t>;
using Kind = SessionState::Message::Kind;
using Message = SessionState::Message;
using Part = SessionState::Part;
using PromptEntry = SessionState::Prompt;
using Status = ToolCallState::Status;

inline v1::AgentMessageChunk said(v1::ContentBlock content, Nullable<v1::MessageId> id = {}) {
  return {{.content = std::move(content), .messageId = std::move(id)}};
}
inline v1::AgentThoughtChunk thought(v1::ContentBlock content) {
  return {{.content = std::move(content)}};
}
inline v1::UserMessageChunk user(v1::ContentBlock content) {
  return {{.content = std::move(content)}};
}

inline v1::SessionUpdate from_wire(std::string_view text) {
  return json::decode<v1::SessionUpdate>(text).value();
}

template <class T>
const T& entry(const SessionState& state, std::size_t index) {
  return std::get<T>(state.timeline().at(index).content);
}
inline std::string text(const SessionState& state, std::size_t index) {
  return v1::text_of(entry<Message>(state, index).content);
}
inline Status status(const SessionState& state, const v1::ToolCallId& id) {
  return state.tool_call(id)->status;
}

}  // namespace acp::testing
