#include <chrono>

#include "echo_words.h"

namespace echo {

using acp::Json;
using acp::Task;
using acp::ToolKind;
using acp::Turn;
namespace v1 = acp::v1;

namespace {

v1::ElicitationSchema name_form() {
  v1::StringPropertySchema name;
  name.title = std::string("Your name");
  v1::ElicitationSchema form;
  form.properties["name"] = std::move(name);
  form.required = std::vector<std::string>{"name"};
  return form;
}

std::string action_of(const v1::CreateElicitationResponse& response) {
  if (std::holds_alternative<v1::ElicitationDeclineAction>(response.action)) return "declined";
  if (std::holds_alternative<v1::ElicitationCancelAction>(response.action)) return "cancelled";
  const auto* accepted = std::get_if<v1::ElicitationAcceptAction>(&response.action);
  if (accepted == nullptr) return "not accepted";
  if (!accepted->content.has_value()) return "accepted";
  const v1::ElicitationContentValue* name = accepted->content->find("name");
  const auto* text = name ? std::get_if<std::string>(name) : nullptr;
  return text ? "accepted " + *text : "accepted";
}

// One option of each kind.
std::vector<acp::PermissionOption> all_kinds() {
  std::vector<acp::PermissionOption> options(4);
  options[0].kind = acp::PermissionOptionKind::allow_once;
  options[1].kind = acp::PermissionOptionKind::allow_always;
  options[2].kind = acp::PermissionOptionKind::reject_once;
  options[3].kind = acp::PermissionOptionKind::reject_always;
  const char* const names[] = {"allow-once", "allow-always", "reject-once", "reject-always"};
  for (std::size_t i = 0; i < options.size(); ++i) options[i].optionId = options[i].name = names[i];
  return options;
}

Task<void> ask_permission(Turn turn, std::string word, std::string key) {
  const acp::ToolCall call = turn.tool_call("Deleting", ToolKind::delete_);
  Task<acp::Permission> asking = word == "permission-all" ? call.ask_permission(all_kinds())
                                 : key.empty()            ? call.ask_permission()
                                                          : call.ask_permission_for(key);
  const acp::Permission permission = co_await std::move(asking);
  // Named first: g++ 12.2 frees a temporary of a conditional twice in what is awaited.
  std::string verdict = permission.allowed ? "allowed " : "rejected ";
  verdict += permission.remembered ? "remembered" : permission.option_id;
  co_await turn.say(verdict);
  if (permission.allowed) co_await call.complete();
}

Task<void> run(Turn turn, std::string word, std::string rest) {
  std::istringstream words(rest);
  acp::CommandOptions options;
  int milliseconds = 0;
  if (word == "run-for" && words >> milliseconds)
    options.time_out = std::chrono::milliseconds(milliseconds);
  std::string command;
  std::getline(words >> std::ws, command);
  const acp::CommandResult result = co_await turn.run_command(command, options);
  co_await turn.say(result.output);
  if (result.timed_out) co_await turn.say("[timed out]");
  if (result.exit_code) co_await turn.say("[" + std::to_string(*result.exit_code) + "]");
  if (result.signal) co_await turn.say("[" + *result.signal + "]");
}

// Shows it in a tool call; `kill` does not wait for its end.
Task<void> show_terminal(Turn turn, bool kill, std::string command) {
  const acp::CommandOptions options;
  const acp::Terminal terminal = co_await turn.create_terminal(command, options);
  const acp::ToolCall call = turn.tool_call("Running", ToolKind::execute);
  co_await call.start();
  co_await call.add_terminal(terminal);
  if (kill) co_await terminal.kill();
  const v1::WaitForTerminalExitResponse exit = co_await terminal.wait_for_exit();
  const v1::TerminalOutputResponse output = co_await terminal.output();
  co_await turn.say(output.output);
  if (exit.signal.has_value()) co_await turn.say("[" + *exit.signal + "]");
  co_await terminal.release();
  co_await call.complete();
}

Task<void> elicit_at_page(Turn turn) {
  const v1::CreateElicitationResponse response =
      co_await turn.ask_user_at("Log in", "https://example.com/login", "elicit_1");
  if (std::holds_alternative<v1::ElicitationAcceptAction>(response.action))
    co_await turn.elicitation_complete("elicit_1");
  co_await turn.say(action_of(response));
}

Task<void> ask_mcp_server(Turn turn, std::string rest) {
  std::istringstream words(rest);
  v1::MessageMcpRequest message;
  words >> message.serverId >> message.method;
  message.requestId = "r1";
  message.params = Json::object();
  const v1::MessageMcpResponse response = co_await turn.peer().request(message);
  const auto* result = std::get_if<v1::McpResult>(&response);
  const auto* failure = std::get_if<v1::McpFailure>(&response);
  const std::string told =
      result ? result->result.text() : "failed " + std::to_string(failure->error.code);
  co_await turn.say(told);
}

}  // namespace

Task<bool> ask_client(Turn turn, std::string word, std::string rest) {
  std::istringstream words(rest);
  if (word == "permission" || word == "permission-all") {
    co_await ask_permission(turn, word, rest);
  } else if (word == "read") {
    std::string path;
    words >> path;
    std::uint32_t line = 0, limit = 0;
    if (words >> line >> limit)
      co_await turn.say(co_await turn.read_file(path, line, limit));
    else
      co_await turn.say(co_await turn.read_file(path));
  } else if (word == "write") {
    std::string path, content;
    words >> path;
    std::getline(words >> std::ws, content);
    co_await turn.write_file(path, content);
    co_await turn.say("written");
  } else if (word == "run" || word == "run-for") {
    co_await run(turn, word, rest);
  } else if (word == "terminal" || word == "kill") {
    co_await show_terminal(turn, word == "kill", rest);
  } else if (word == "elicit") {
    const v1::ElicitationSchema form = name_form();
    const v1::CreateElicitationResponse response = co_await turn.ask_user("Who are you?", form);
    co_await turn.say(action_of(response));
  } else if (word == "elicit-url") {
    co_await elicit_at_page(turn);
  } else if (word == "ext" || word == "ext-notify") {
    std::string method, text;
    words >> method;
    std::getline(words >> std::ws, text);
    const Json params = Json::parse(text).value();
    if (word == "ext")
      co_await turn.say((co_await turn.peer().request(method, params)).text());
    else
      co_await turn.peer().notify(method, params);
  } else if (word == "mcp") {
    co_await ask_mcp_server(turn, rest);
  } else {
    co_return false;
  }
  co_return true;
}

}  // namespace echo
