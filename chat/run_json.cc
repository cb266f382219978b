#include <iostream>
#include <set>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "chat/run_events.h"

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

const char* level_name(LogEntry::Level level) {
  switch (level) {
    case LogEntry::Level::debug:
      return "debug";
    case LogEntry::Level::warning:
      return "warning";
    default:
      return "error";
  }
}

class JsonPrinter : public RunPrinter {
 public:
  void print(const RunEvent& event) override {
    std::visit([this](const auto& one) { show(one); }, event);
  }

 private:
  static void line(const Json& object) {
    std::cout << printable_json(object.text()) << '\n' << std::flush;
  }

  void show(const event::Starting& e) {
    line(Json::object({{"event", "start"},
                       {"phase", "spawn"},
                       {"agent", e.agent.name},
                       {"command", list_of(e.agent.argv)}}));
  }
  void show(const event::Initialized& e) {
    line(Json::object({{"event", "start"}, {"phase", "handshake"}, {"result", written(e.info)}}));
  }
  void show(const event::LoggingIn& e) {
    line(Json::object({{"event", "start"}, {"phase", "authenticate"}, {"methodId", e.method}}));
  }
  void show(const event::SessionOpened& e) {
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
    if (!e.replayed) follow(e.update);
    std::string text = "{\"event\":\"update\",\"sessionId\":";
    text += Json(e.session_id).text();
    if (e.replayed) text += ",\"replayed\":true";
    text += ",\"update\":";
    text += json::encode(e.update);
    text += "}";
    line(Json::from_valid(std::move(text)));
  }
  void show(const event::PermissionAnswered& e) {
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
    line(Json::object(
        {{"event", "elicitation"}, {"request", written(e.request)}, {"action", "decline"}}));
  }
  void show(const event::TerminalOutput& e) {
    line(Json::object({{"event", "terminal"}, {"terminalId", e.id}, {"output", e.text}}));
  }
  void show(const event::StderrLine& e) {
    line(Json::object({{"event", "stderr"}, {"line", e.line}}));
  }
  void show(const event::Logged& e) {
    line(Json::object(
        {{"event", "log"}, {"level", level_name(e.entry.level)}, {"message", e.entry.message}}));
  }
  void show(const event::Cancelling& e) {
    Json object =
        Json::object({{"event", "cancel"},
                      {"reason", e.why == Stopping::Why::timed_out ? "timeout" : "interrupt"}});
    if (!open_calls_.empty())
      object.set("toolCalls", list_of({open_calls_.begin(), open_calls_.end()}));
    line(object);
  }
  void show(const event::Stopped& e) {
    Json object = Json::object({{"event", "stop"}, {"stopReason", written(e.response.stopReason)}});
    if (e.response.usage.has_value()) object.set("usage", written(*e.response.usage));
    object.set("exitCode", e.exit_code);
    if (!e.note.empty()) object.set("message", e.note);
    line(object);
  }
  void show(const event::Failed& e) {
    Json object = Json::object({{"event", "error"}, {"phase", e.phase}, {"message", e.message}});
    if (e.code) object.set("code", *e.code);
    if (!e.data.absent()) object.set("data", e.data);
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
    line(object);
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

  std::set<std::string> open_calls_;
};

}  // namespace

std::unique_ptr<RunPrinter> json_run_printer() { return std::make_unique<JsonPrinter>(); }

}  // namespace acp::chat
