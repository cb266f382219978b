#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "chat/render/call_text.h"
#include "chat/render/diff.h"
#include "chat/render/long_session.h"

namespace acp::chat {

using io::one_line;
using io::printable;
using io::printable_json;

namespace {

using State = SessionState;

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
    return R"({"type":")" + std::string(to_string(message.kind)) + R"(","content":)" +
           encoded(message.content) + "}";
  }
  std::string operator()(const ToolCallState& call) const {
    return R"({"type":"tool_call","toolCallId":)" + quoted(call.id) + R"(,"title":)" +
           quoted(call.title) + R"(,"status":")" + std::string(to_string(call.status)) +
           R"(","content":)" + encoded(call.content) + "}";
  }
  std::string operator()(const v1::Notice& notice) const {
    return R"({"type":"notice","notice":)" + json::encode(notice) + "}";
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

// What follows a person's words is the agent's.
std::string said_by_you(const std::vector<v1::ContentBlock>& content) {
  return "## You\n\n" + v1::text_of(content) + "\n\n## Agent\n\n";
}

// In a fence that nothing in it can close.
std::string fenced(const std::string& kind, const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + kind + "\n" + text + fence + "\n\n";
}

std::string diff_text(const v1::Diff& change) {
  const std::string old_text = change.oldText.value_or("");
  const TextDiff compared = diff(old_text, change.newText);
  std::string text = "--- " + (change.oldText ? one_line(change.path) : "/dev/null") + "\n+++ " +
                     one_line(change.path) + "\n";
  if (compared.binary) return text + "(binary)\n";
  for (const Hunk& hunk : compared.hunks) {
    const auto place = [](std::size_t line, std::size_t count) {
      return std::to_string(line) + "," + std::to_string(count);
    };
    text += "@@ -" + place(hunk.old_line, hunk.old_count) + " +" +
            place(hunk.new_line, hunk.new_count) + " @@\n";
    for (const Hunk::Row& row : hunk.rows) {
      text += row.mark + std::string(row.text) + "\n";
      if (row.no_newline) text += "\\ No newline at end of file\n";
    }
  }
  return text;
}

struct AsMarkdown {
  std::string operator()(const State::Prompt& prompt) const { return said_by_you(prompt.content); }
  std::string operator()(const State::Message& message) const {
    std::string text = v1::text_of(message.content);
    if (message.kind == State::Message::Kind::user) return said_by_you(message.content);
    if (message.kind == State::Message::Kind::agent) return text + "\n\n";
    std::string quote = "> ";
    for (const char c : text) quote += c == '\n' ? std::string("\n> ") : std::string(1, c);
    return quote + "\n\n";
  }
  std::string operator()(const ToolCallState& call) const {
    const std::string exit = failed_exit_said(call);
    std::string text = "- " + one_line(call.title) + " (" + std::string(to_string(call.status)) +
                       (exit.empty() ? "" : ", " + exit) + ")\n\n";
    for (const v1::ToolCallContent& content : call.content)
      if (const auto* change = std::get_if<v1::Diff>(&content))
        text += fenced("diff", diff_text(*change));
    return text;
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
  // The file may be shown on a terminal.
  if (markdown) return printable(std::visit(AsMarkdown(), entry.content));
  const std::string text = printable_json(std::visit(AsJson(), entry.content));
  return text.empty() ? text : text + '\n';
}

}  // namespace acp::chat
