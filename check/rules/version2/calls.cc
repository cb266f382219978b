// Requests and notifications of version 2: of the client, then of the agent.
#include <algorithm>
#include <set>

#include "acp/role/paths.h"
#include "acp/schema/v2.h"
#include "check/rules/version2/watcher.h"

namespace acp::check::version2 {
namespace {

bool is_free(std::string_view method) {
  return method.starts_with('_') || method.starts_with("$/");
}

bool is_there(JsonView at, std::string_view path) {
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    at = at[path.substr(0, dot)];
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return at.is_array() ? at.size() > 0 : !at.absent() && !at.is_null();
}

const Method* method_for(Side side, std::string_view name) {
  for (const Method& each : v2::methods())
    if (each.name == name && each.side == side) return &each;
  return nullptr;
}

}  // namespace

bool Watcher::agent_has(std::string_view path) const {
  return is_there(all_.initialize_result, path);
}

bool Watcher::client_has(std::string_view path) const {
  return is_there(all_.client_capabilities_2, path);
}

// ---- the client

KnownSession* Watcher::session_of_client(const std::string& id, const std::string& what) {
  const auto at = sessions_.find(id);
  if (at != sessions_.end() && at->second.confirmed && !at->second.closed) return &at->second;
  if (!id.empty())  // otherwise the schema has been broken already
    found("C2-ORDER-2", what + " for the session " + in_quotes(id) +
                            (at == sessions_.end() ? ", which is not open"
                                                   : ", which is not open yet, or no longer"));
  return nullptr;
}

bool Watcher::check_gate(const std::string& method, JsonView params, const KnownSession* session) {
  if (method == "tool_call/cancel" || method == "terminal/cancel") {
    if (session == nullptr) return true;
    const bool call = method == "tool_call/cancel";
    const std::string id = string_at(params[call ? "toolCallId" : "terminalId"]);
    bool can = false;
    if (call) {
      const auto at = session->calls.find(id);
      can = at == session->calls.end() ? session->calls_incomplete : at->second.cancellable;
    } else {
      const auto at = session->terminals.find(id);
      can = at == session->terminals.end() ? session->calls_incomplete : at->second.cancellable;
    }
    if (!can) found("C2-CAP-8", method + " for " + in_quotes(id) + ", which cannot be cancelled");
    return can;
  }
  const Method* const known = method_for(Side::agent, method);
  if (known == nullptr || known->gate.empty()) return true;
  const bool open = known->gate == "configOptions" ? session == nullptr || session->options
                                                   : agent_has(known->gate);
  if (!open)
    found("C2-CAP-2", method + ", but " + std::string(known->gate) + " was not advertised");
  return open;
}

void Watcher::client_calls(const std::string& method, JsonView params, OpenRequest* request) {
  if (is_free(method)) return;
  const std::string id = string_at(params["sessionId"]);
  if (method == "session/new" || method == "session/resume" || method == "session/fork" ||
      method == "session/list")
    check_session_setup(method, params);
  if (method == "session/resume") {
    check_gate(method, params, nullptr);
    return begin_resume(id, params, request);
  }
  if (method == "session/prompt") {
    if (!check_gate(method, params, nullptr)) return;
    KnownSession* const session = session_of_client(id, method);
    check_prompt(params);
    if (session == nullptr || request == nullptr) return;
    session->replayed = false;
    session->prompts[request->id] = {session->activity == Activity::idle};
    return;
  }
  if (method == "session/cancel") {
    if (KnownSession* const session = session_of_client(id, method)) cancel(*session);
    return;
  }
  if (method == "session/set_config_option" || method == "tool_call/cancel" ||
      method == "terminal/cancel") {
    const KnownSession* const session = session_of_client(id, method);
    if (session == nullptr || !check_gate(method, params, session)) return;
    const std::string option = string_at(params["configId"]);
    if (method == "session/set_config_option" && !option.empty() &&
        !session->options->contains(option))
      found("C2-CAP-4", "the option " + in_quotes(option) + " was not offered");
    return;
  }
  if (!check_gate(method, params, nullptr)) return;
  if (method != "auth/login") return;
  const std::string chosen = string_at(params["methodId"]);
  if (!chosen.empty() && !auth_methods_.contains(chosen))
    found("C2-CAP-3", "auth/login with " + in_quotes(chosen) +
                          ", which the agent has not listed, or only for a terminal");
}

void Watcher::begin_resume(const std::string& id, JsonView params, OpenRequest* request) {
  if (request == nullptr || id.empty()) return;
  const auto [at, added] = sessions_.try_emplace(id);
  KnownSession& session = at->second;
  request->session_was_known = !added;
  request->replays = params["replayFrom"].is_object();
  session.state_reported = false;
  if (request->replays) {
    ++session.replays;
    session.calls.clear();  // they are reported again
    session.terminals.clear();
    session.messages.clear();
    session.questions.clear();
  } else {
    ++session.resumes;
    session.calls_incomplete = true;
  }
}

void Watcher::cancel(KnownSession& session) {
  session.cancel_seen = true;
  if (session.cancelled_at) return;
  if (session.activity == Activity::idle && !session.begun) return;
  session.cancelled_at = all_.now.time;
  session.cancelled_in = all_.count;
  session.cancel_was_read = false;
}

void Watcher::check_session_setup(const std::string& method, JsonView params) {
  const auto absolute = [&](const char* number, const std::string& what, JsonView path) {
    const auto text = path.as_string();
    if (text && !detail::is_absolute(*text))
      found(number, method + ": " + what + " is " + in_quotes(*text));
  };
  absolute("C2-PATH-1", "cwd", params["cwd"]);
  const JsonView directories = params["additionalDirectories"];
  for (const JsonView each : directories.elements())
    absolute("C2-PATH-1", "additionalDirectories", each);
  if (directories.size() > 0 && !agent_has("capabilities.session.additionalDirectories"))
    found("C2-CAP-7", method + " with additional directories");
  std::set<std::string> names;
  for (const JsonView server : params["mcpServers"].elements()) {
    const std::string type = string_at(server["type"]), name = string_at(server["name"]);
    if (!type.empty() && !agent_has("capabilities.session.mcp." + type))
      found("C2-CAP-6", method + ": the MCP server " + in_quotes(name) + " uses " + type);
    if (type == "stdio")
      absolute("C2-PATH-2", "the command of the MCP server " + in_quotes(name), server["command"]);
    if (!name.empty() && !names.insert(name).second)
      found("C2-MCP-1", method + ": two MCP servers have the name " + in_quotes(name));
  }
}

void Watcher::check_prompt(JsonView params) {
  for (const JsonView block : params["prompt"].elements()) {
    const std::string type = string_at(block["type"]);
    const std::string_view capability = type == "image"      ? "image"
                                        : type == "audio"    ? "audio"
                                        : type == "resource" ? "embeddedContext"
                                                             : "";
    if (!capability.empty() && !agent_has("capabilities.session.prompt." + std::string(capability)))
      found("C2-CAP-5", "a prompt with content of type " + type + ", but session.prompt." +
                            std::string(capability) + " was not advertised");
  }
}

// ---- the agent

KnownSession* Watcher::session_of_agent(const std::string& id, const std::string& what) {
  const auto at = sessions_.find(id);
  if (at != sessions_.end()) {
    if (!at->second.closed) return &at->second;
    found("A2-CLOSE-4", what + " for the session " + in_quotes(id) + ", which was closed");
    return nullptr;
  }
  if (id.empty()) return nullptr;
  // Updates may come before the answer that tells the id.
  const bool opening = std::ranges::any_of(all_.open_of_client, [](const auto& each) {
    return each.second.method == "session/new" || each.second.method == "session/fork";
  });
  if (opening) return &sessions_[id];
  found("A2-ORDER-1", what + " for the session " + in_quotes(id) + ", which is not open");
  return nullptr;
}

void Watcher::agent_calls(const std::string& method, JsonView params, OpenRequest* request) {
  if (is_free(method)) return;
  if (method == "session/update") return check_update(params);
  if (method == "elicitation/create") check_elicitation(params);
  const JsonView session_id = params["sessionId"];
  if (!session_id.is_string()) return;
  KnownSession* const session = session_of_agent(string_at(session_id), method);
  if (session != nullptr && method == "session/request_permission")
    check_permission(params, request, *session);
}

void Watcher::check_elicitation(JsonView params) {
  const std::string mode = string_at(params["mode"]);
  if ((mode == "form" || mode == "url") && !client_has("elicitation." + mode))
    found("A2-CAP-2", "an elicitation of mode " + mode);
}

void Watcher::check_permission(JsonView params, OpenRequest* request, KnownSession& session) {
  constexpr std::size_t most_questions = 256;
  if (string_at(params["title"]).empty())
    found("A2-PERM-3", "a permission request without a title");
  bool can_be_rejected = params["options"].size() == 0;
  for (const JsonView option : params["options"].elements()) {
    const std::string kind = string_at(option["kind"]);
    can_be_rejected = can_be_rejected || !kind.starts_with("allow");
    const auto id = option["optionId"].as_string();
    if (!id || request == nullptr) continue;
    if (std::ranges::find(request->options, *id, &OpenRequest::Option::id) !=
        request->options.end())
      found("A2-PERM-1", "two options have the id " + in_quotes(*id));
    request->options.push_back({*id, kind});
  }
  if (!can_be_rejected)
    found("A2-PERM-2", "a permission request that offers nothing but to allow it");
  const bool at_work = session.activity != Activity::idle || session.subagent ||
                       session.background || session.replaying();
  if (!at_work && session.last_was_cancelled)
    found("A2-CANCEL-3", "session/request_permission after the turn has ended cancelled");
  else if (!at_work)
    found("A2-PERM-6", "session/request_permission while the session is idle");
  if (request != nullptr) request->of_no_turn = !at_work;
  const JsonView subject = params["subject"];
  std::string call = string_at(subject["toolCallId"]);
  if (string_at(subject["type"]) == "tool_call") {
    call = string_at(subject["toolCall"]["toolCallId"]);
    check_tool_call("request_permission", subject["toolCall"], session);
  }
  const auto cwd = subject["cwd"].as_string();
  if (cwd && !detail::is_absolute(*cwd))
    found("A2-PATH-2", "the cwd of a command is " + in_quotes(*cwd));
  if (request == nullptr) return;
  if (session.questions.size() >= most_questions)
    session.questions.erase(session.questions.begin());
  session.questions.push_back({std::move(call), all_.count});
}

}  // namespace acp::check::version2
