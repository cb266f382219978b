#include "acp/json/codec.h"
#include "chat/long_session.h"
#include "chat/printable.h"

namespace acp::chat {

namespace {

using State = SessionState;

const char* name_of(ToolCallState::Status status) {
  switch (status) {
    case ToolCallState::Status::pending:
      return "pending";
    case ToolCallState::Status::in_progress:
      return "in_progress";
    case ToolCallState::Status::completed:
      return "completed";
    case ToolCallState::Status::failed:
      return "failed";
    case ToolCallState::Status::cancelled:
      return "cancelled";
  }
  return "";
}

const char* name_of(State::Message::Kind kind) {
  switch (kind) {
    case State::Message::Kind::user:
      return "user";
    case State::Message::Kind::agent:
      return "agent";
    case State::Message::Kind::thought:
      return "thought";
  }
  return "";
}

template <class T>
std::string encoded(const std::vector<T>& items) {
  std::string out = "[";
  for (const T& item : items) out += (out.size() > 1 ? "," : "") + json::encode(item);
  return out + "]";
}

std::string quoted(const std::string& text) { return json::encode(text); }

struct AsJson {
  std::string operator()(const State::Prompt& prompt) const {
    return R"({"type":"prompt","content":)" + encoded(prompt.content) + "}";
  }
  std::string operator()(const State::Message& message) const {
    return std::string(R"({"type":")") + name_of(message.kind) + R"(","content":)" +
           encoded(message.content) + "}";
  }
  std::string operator()(const ToolCallState& call) const {
    return R"({"type":"tool_call","toolCallId":)" + quoted(call.id) + R"(,"title":)" +
           quoted(call.title) + R"(,"status":")" + name_of(call.status) + R"(","content":)" +
           encoded(call.content) + "}";
  }
  std::string operator()(const v1::Notice& notice) const {
    return R"({"type":"notice","notice":)" + json::encode(notice) + "}";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

struct AsMarkdown {
  std::string operator()(const State::Prompt& prompt) const {
    return "## You\n\n" + v1::text_of(prompt.content) + "\n\n";
  }
  std::string operator()(const State::Message& message) const {
    std::string text = v1::text_of(message.content);
    if (message.kind == State::Message::Kind::user) return "## You\n\n" + text + "\n\n";
    if (message.kind == State::Message::Kind::agent) return text + "\n\n";
    std::string quote = "> ";
    for (const char c : text) quote += c == '\n' ? std::string("\n> ") : std::string(1, c);
    return quote + "\n\n";
  }
  std::string operator()(const ToolCallState& call) const {
    return "- " + one_line(call.title) + " (" + name_of(call.status) + ")\n\n";
  }
  std::string operator()(const v1::Notice& notice) const {
    return "*" + one_line(notice.title) + "*\n\n";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

}  // namespace

std::string exported(const SessionState::Entry& entry, bool markdown) {
  if (markdown) return std::visit(AsMarkdown(), entry.content);
  const std::string text = std::visit(AsJson(), entry.content);
  return text.empty() ? text : text + '\n';
}

}  // namespace acp::chat
