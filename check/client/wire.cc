#include "check/client/wire.h"

#include <map>
#include <string>

#include "check/rules/requirement_lists.h"
#include "check/rules/rules.h"

namespace acp::check {
namespace {

// What has to have been seen for a rule to have held, and how to say that it was not.
struct Trial {
  std::string_view seen;
  std::string_view otherwise;
};

const std::map<std::string_view, Trial> trials = {
    {"C-WIRE-1", {"message", "the client sent nothing"}},
    {"C-WIRE-2", {"message", "the client sent nothing"}},
    {"C-WIRE-3", {"message", "the client sent nothing"}},
    {"C-WIRE-4", {"message", "the client sent nothing"}},
    {"C-WIRE-5", {"request", "the client asked for nothing"}},
    {"C-WIRE-6", {"request", "the client asked for nothing"}},
    {"C-WIRE-7", {"answer", "the client answered nothing"}},
    {"C-WIRE-8", {"answer", "the client answered nothing"}},
    {"C-WIRE-9", {"notified", "the client was never sent a notification"}},
    {"C-WIRE-10", {"answer", "the client answered nothing"}},
    {"C-WIRE-11", {"message", "the client sent nothing"}},
    {"C-SCHEMA-1", {"request", "the client asked for nothing"}},
    {"C-SCHEMA-2", {"result", "the client answered nothing with a result"}},
    {"C-SCHEMA-3", {"error", "the client answered nothing with an error"}},
    {"C-SCHEMA-4", {"request", "the client asked for nothing"}},
    {"C-SCHEMA-5", {"request", "the client asked for nothing"}},
    {"C-SCHEMA-6", {"request", "the client asked for nothing"}},
    {"C-SCHEMA-7", {"request", "the client asked for nothing"}},
    {"C-SCHEMA-8", {"request", "the client asked for nothing"}},
    {"C-ORDER-1", {"message", "the client sent nothing"}},
    {"C-ORDER-2", {"session/new", "the client asked for no session"}},
    {"C-ORDER-3", {"session/new", "the client asked for no session"}},
    {"C-ORDER-4", {"session/prompt", "the client sent no prompt"}},
    {"C-ORDER-5", {"second prompt", "the client prompted a session only once"}},
    {"C-PATH-1", {"session/new", "the client asked for no session"}},
    {"C-PATH-2", {"stdio server", "the client named no MCP server that is a program"}},
    {"C-CAP-1", {"session/new", "the client asked for no session"}},
    {"C-CAP-2", {"authenticate", "the client did not authenticate"}},
    {"C-CAP-3", {"session/set_mode", "the client set no mode"}},
    {"C-CAP-4", {"session/set_config_option", "the client set no option"}},
    {"C-CAP-5", {"session/prompt", "the client sent no prompt"}},
    {"C-CAP-6", {"remote server", "the client named no MCP server with a URL"}},
    {"C-CAP-7", {"directories", "the client named no additional directories"}},
    {"C-CANCEL-1",
     {"cancel while asked", "no permission request was open when the client cancelled"}},
    {"C-TERM-1", {"second terminal", "the client created no two terminals"}},
    {"C-PERM-1", {"selected", "the client selected no option of a permission request"}},
    {"C2-ORDER-1", {"session/new", "the client asked for no session"}},
    {"C2-ORDER-2", {"session/prompt", "the client sent no prompt"}},
    {"C2-PATH-1", {"session/new", "the client asked for no session"}},
    {"C2-PATH-2", {"stdio server", "the client named no MCP server that is a program"}},
    {"C2-CAP-1", {"session/new", "the client asked for no session"}},
    {"C2-CAP-2", {"session/new", "the client asked for no session"}},
    {"C2-CAP-3", {"auth/login", "the client did not log in"}},
    {"C2-CAP-4", {"session/set_config_option", "the client set no option"}},
    {"C2-CAP-5", {"session/prompt", "the client sent no prompt"}},
    {"C2-CAP-6", {"mcp server", "the client named no MCP server"}},
    {"C2-CAP-7", {"directories", "the client named no additional directories"}},
    {"C2-CAP-8", {"cancelled work", "the client cancelled no tool call and no terminal"}},
    {"C2-MCP-1", {"mcp server", "the client named no MCP server"}},
    {"C2-PERM-1", {"selected", "the client selected no option of a permission request"}},
};

void each_line(std::string_view text, const std::function<void(std::string_view)>& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \r\t") != std::string_view::npos) use(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

void ClientWire::notice(JsonView message, bool from_client) {
  const std::string method = message["method"].as_string().value_or("");
  if (!from_client) {
    if (!method.empty() && message["id"].absent()) tried_.insert("notified");
    return;
  }
  tried_.insert("message");
  if (method.empty()) {
    tried_.insert("answer");
    const JsonView result = message["result"];
    tried_.insert(result.absent() ? "error" : "result");
    if (result["outcome"]["outcome"].as_string() == "selected") tried_.insert("selected");
    return;
  }
  tried_.insert("request");
  for (const auto& [id, trial] : trials)
    if (trial.seen == method) tried_.insert(trial.seen);
  const JsonView params = message["params"];
  for (const JsonView server : params["mcpServers"].elements()) {
    tried_.insert(server["url"].absent() ? "stdio server" : "remote server");
    tried_.insert("mcp server");
  }
  if (method == "tool_call/cancel" || method == "terminal/cancel") tried_.insert("cancelled work");
  if (params["additionalDirectories"].size() > 0) tried_.insert("directories");
}

void ClientWire::see(ClientScenario& scenario) {
  if (scenario.wire() == nullptr) return;
  Rules rules;
  std::map<std::string, int> prompts;
  std::set<std::string> terminals;
  std::map<std::string, bool> asked;  // permission requests that are open
  int terminals_asked = 0;
  const auto report = [&](const std::vector<Violation>& violations) {
    for (const Violation& each : violations)
      if (each.requirement->side == Side::client && scenario.ruled)
        scenario.fail(each.requirement->id, each.message);
  };
  const std::lock_guard lock(mutex_);
  for (const PassedFrame& frame : scenario.wire()->transcript()) {
    const auto use = [&](std::string_view text) {
      report(rules.see({frame.time, frame.sent ? Side::agent : Side::client, text}));
      if (frame.text.size() > std::size_t{1} << 20) return;
      const auto parsed = Json::parse(text);
      if (!parsed || !parsed->is_object()) return;
      const Json& message = *parsed;
      notice(message, !frame.sent);
      const std::string method = message["method"].as_string().value_or("");
      const std::string id(message["id"].text());
      if (frame.sent && method == "session/request_permission") asked[id] = true;
      if (frame.sent && method == "terminal/create") ++terminals_asked;
      if (!frame.sent && method.empty()) {
        asked.erase(id);
        if (const auto terminal = message["result"]["terminalId"].as_string())
          terminals.insert(*terminal);
      }
      if (!frame.sent && method == "session/cancel" && !asked.empty())
        tried_.insert("cancel while asked");
      if (!frame.sent && method == "session/prompt" &&
          ++prompts[std::string(message["params"]["sessionId"].text())] > 1)
        tried_.insert("second prompt");
    };
    if (frame.sent && frame.malformed)
      each_line(frame.text, use);
    else
      use(frame.text);
  }
  if (terminals_asked > 1 && !terminals.empty()) tried_.insert("second terminal");
  report(rules.end());
}

void ClientWire::judge(Judge& judge) const {
  for (const auto list : {wire_requirements(), wire_requirements_2()})
    for (const Requirement& each : list) {
      if (each.side != Side::client) continue;
      const auto trial = trials.find(each.id);
      if (trial != trials.end() && !tried_.contains(trial->second.seen))
        judge.skip(each.id, std::string(trial->second.otherwise));
      else
        judge.pass(each.id);
    }
}

}  // namespace acp::check
