#include <chrono>
#include <iostream>
#include <set>
#include <utility>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/workspace/client_workspace.h"
#include "chat/render/content.h"
#include "chat/render/text/text.h"
#include "chat/run/events.h"

namespace acp::chat {

using io::printable_json;

namespace {

template <class T>
Json written(const T& value) {
  return Json::from_valid(json::encode(value));
}

Json list_of(const std::vector<std::string>& words) {
  Json list = Json::array();
  for (const std::string& word : words) list.append(word);
  return list;
}

// What the agent says in a turn, as the plain output has it: each message begins on a line of its
// own. Text for the assistant alone is not part of it.
class SaidText {
 public:
  void add(const v1::AgentMessageChunk& chunk) {
    const auto* const text = std::get_if<v1::TextContent>(&chunk.content);
    if (text == nullptr || for_assistant_only(chunk.content)) return;
    if (chunk.messageId.has_value() && *chunk.messageId != message_id_) {
      if (!message_id_.empty()) end_message();
      message_id_ = *chunk.messageId;
    }
    if (text->text.empty()) return;
    std::string piece = std::exchange(ended_, false) && !text_.ends_with('\n') ? "\n" : "";
    piece += text->text;
    // An agent that never ends must not fill the memory; all of it is in the updates.
    is_cut_ = is_cut_ || text_.size() + piece.size() > most;
    if (!is_cut_) text_ += piece;
  }
  // Something has come between.
  void end_message() { ended_ = !text_.empty(); }

  // As the last members of an object, a piece at a time: it may be long.
  void write(std::ostream& out) const {
    constexpr std::size_t most_of_piece = 64 * 1024;
    out << ",\"text\":\"";
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view piece = rest.substr(0, character_start(rest, most_of_piece));
      const std::string quoted = printable_json(Json(piece).text());
      out << std::string_view(quoted).substr(1, quoted.size() - 2);
      rest.remove_prefix(piece.size());
    }
    out << (is_cut_ ? "\",\"textIsCut\":true" : "\"");
  }

 private:
  static constexpr std::size_t most = 64 * 1024 * 1024;
  std::string text_, message_id_;
  bool ended_ = false, is_cut_ = false;
};

class JsonPrinter : public RunPrinter {
 public:
  void print(const RunEvent& event) override {
    std::visit([this](const auto& one) { show(one); }, event);
  }

 private:
  // What a script wants to know at the end, however it ended.
  void put_summary(Json& object) const {
    if (!session_id_.empty()) object.set("sessionId", session_id_);
    object.set("durationMs", std::chrono::duration_cast<std::chrono::milliseconds>(
                                 std::chrono::steady_clock::now() - start_)
                                 .count());
  }

  // The last one, with the text.
  void last_line(const Json& object) const {
    const std::string text = printable_json(object.text());
    std::cout << std::string_view(text).substr(0, text.size() - 1);
    said_.write(std::cout);
    std::cout << "}\n" << std::flush;
  }

  static void line(const Json& object) {
    std::cout << printable_json(object.text()) << '\n' << std::flush;
  }

  void show(const event::Starting& e) {
    line(Json::object({{"event", "start"},
                       {"phase", "spawn"},
                       {"agent", e.agent.name},
                       {"command", list_of(e.agent.words())}}));
  }
  void show(const event::Initialized& e) {
    line(Json::object({{"event", "start"}, {"phase", "handshake"}, {"result", written(e.info)}}));
  }
  void show(const event::LoggingIn& e) {
    line(Json::object({{"event", "start"}, {"phase", "authenticate"}, {"methodId", e.method}}));
  }
  void show(const event::SessionOpened& e) {
    session_id_ = e.session.id();
    static constexpr const char* methods[] = {"session/new", "session/load", "session/resume"};
    Json object = Json::object({{"event", "start"},
                                {"phase", "session"},
                                {"sessionId", e.session.id()},
                                {"cwd", e.session.cwd()},
                                {"method", methods[static_cast<int>(e.how)]}});
    e.session.with_state([&](const SessionState& state) {
      if (state.modes()) object.set("modes", written(*state.modes()));
      if (!state.config_options().empty()) {
        Json options = Json::array();
        for (const auto& option : state.config_options()) options.append(written(option));
        object.set("configOptions", options);
      }
    });
    line(object);
  }
  // The one that comes by the thousand.
  void show(const event::Updated& e) {
    if (!e.replayed) {
      follow(e.update);
      if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(&e.update))
        said_.add(*chunk);
      else if (comes_between(e.update))
        said_.end_message();
    }
    std::string text = "{\"event\":\"update\",\"sessionId\":";
    text += Json(e.session_id).text();
    if (e.replayed) text += ",\"replayed\":true";
    text += ",\"update\":";
    text += json::encode(e.update);
    text += "}";
    line(Json::from_valid(std::move(text)));
  }
  void show(const event::PermissionAnswered& e) {
    said_.end_message();
    Json options = Json::array();
    for (const PermissionOption& option : e.request.options) options.append(written(option));
    Json object = Json::object({{"event", "permission"},
                                {"sessionId", e.request.sessionId},
                                {"toolCall", written(e.request.toolCall)},
                                {"options", options},
                                {"allowed", e.answer.allowed},
                                {"by", to_string(e.answer.by)},
                                {"reason", e.answer.reason}});
    if (e.answer.option) object.set("optionId", e.answer.option->optionId);
    line(object);
  }
  void show(const event::CallJudged& e) {
    said_.end_message();
    Json object = Json::object({{"event", "call"}, {"kind", e.call.kind}});
    if (!e.call.command.empty()) {
      object.set("command", e.call.command);
      object.set("cwd", e.call.directory.written);
    }
    if (!e.call.paths.empty()) object.set("path", e.call.paths.front().written);
    object.set("allowed", e.answer.allowed);
    object.set("by", to_string(e.answer.by));
    object.set("reason", e.answer.reason);
    line(object);
  }
  void show(const event::ElicitationDeclined& e) {
    said_.end_message();
    line(Json::object(
        {{"event", "elicitation"}, {"request", written(e.request)}, {"action", "decline"}}));
  }
  void show(const event::TerminalOutput& e) {
    line(Json::object({{"event", "terminal"}, {"terminalId", e.id}, {"output", e.text}}));
  }
  void show(const event::TerminalEnded& e) {
    Json object = Json::object({{"event", "terminal_exit"}, {"terminalId", e.id}});
    if (e.exit.kind == io::ExitStatus::Kind::exited)
      object.set("exitCode", e.exit.value);
    else
      object.set("signal", workspace::to_exit_status(e.exit).signal.value_or(""));
    line(object);
  }
  void show(const event::StderrLine& e) {
    line(Json::object({{"event", "stderr"}, {"line", e.line}}));
  }
  void show(const event::Logged& e) {
    line(Json::object(
        {{"event", "log"}, {"level", to_string(e.entry.level)}, {"message", e.entry.message}}));
  }
  void show(const event::Cancelling& e) {
    Json object = Json::object({{"event", "cancel"}, {"reason", e.reason}});
    if (!open_calls_.empty())
      object.set("toolCalls", list_of({open_calls_.begin(), open_calls_.end()}));
    line(object);
  }
  void show(const event::Stopped& e) {
    Json object = Json::object({{"event", "stop"}, {"stopReason", written(e.response.stopReason)}});
    put_summary(object);
    if (e.response.usage.has_value()) object.set("usage", written(*e.response.usage));
    object.set("exitCode", e.exit_code);
    if (!e.note.empty()) object.set("message", e.note);
    last_line(object);
  }
  void show(const event::Failed& e) {
    Json object = Json::object({{"event", "error"}, {"phase", e.phase}, {"message", e.message}});
    if (e.code) object.set("code", *e.code);
    if (!e.data.absent()) object.set("data", e.data);
    if (!e.log_line.empty()) object.set("log", e.log_line);
    put_summary(object);
    object.set("exitCode", e.exit_code);
    if (!e.methods.empty()) {
      Json methods = Json::array();
      for (const v1::AuthMethod& method : e.methods) methods.append(written(method));
      object.set("authMethods", methods);
    }
    if (e.start) {
      object.set("command", e.start->command);
      if (e.start->exit) object.set("exit", e.start->exit->describe());
      if (!e.start->stderr_tail.empty()) object.set("stderr", e.start->stderr_tail);
      if (!e.start->hint.empty()) object.set("hint", e.start->hint);
    }
    last_line(object);
  }

  // Which tool calls have not ended.
  void follow(const SessionUpdate& update) {
    const auto* call = std::get_if<v1::ToolCall>(&update);
    const auto* change = std::get_if<v1::ToolCallUpdate>(&update);
    if (call == nullptr && change == nullptr) return;
    const std::string& id = call ? call->toolCallId : change->toolCallId;
    std::optional<ToolCallStatus> status =
        call ? call->status.value_or(ToolCallStatus::pending) : std::optional<ToolCallStatus>();
    if (change && change->status.has_value()) status = *change->status;
    if (status == ToolCallStatus::completed || status == ToolCallStatus::failed)
      open_calls_.erase(id);
    else if (call)
      open_calls_.insert(id);
  }

  // Of what the plain output shows between two messages.
  static bool comes_between(const SessionUpdate& update) {
    return std::holds_alternative<v1::AgentThoughtChunk>(update) ||
           std::holds_alternative<v1::ToolCall>(update) ||
           std::holds_alternative<v1::ToolCallUpdate>(update) ||
           std::holds_alternative<v1::Plan>(update) || std::holds_alternative<v1::Notice>(update);
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::string session_id_;
  SaidText said_;
  std::set<std::string> open_calls_;
};

}  // namespace

std::unique_ptr<RunPrinter> json_run_printer() { return std::make_unique<JsonPrinter>(); }

}  // namespace acp::chat
