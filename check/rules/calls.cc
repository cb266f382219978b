// Requests and notifications: of the client, then of the agent.
#include <algorithm>

#include "acp/role/paths.h"
#include "acp/schema/v1.h"
#include "check/rules/state.h"

namespace acp::check {
namespace {

bool is_free(std::string_view method) {
  return method.starts_with('_') || method.starts_with("$/");
}

bool opens_session(std::string_view method) {
  return method == "session/new" || method == "session/load" || method == "session/resume" ||
         method == "session/fork";
}

}  // namespace

KnownSession* Rules::Parts::session_of_client(const std::string& id, const std::string& what) {
  const auto at = sessions.find(id);
  if (at != sessions.end() && !at->second.opening && !at->second.closed) return &at->second;
  if (!id.empty())  // otherwise the schema has been broken already
    found("C-ORDER-4", what + " for the session " + in_quotes(id) +
                           (at == sessions.end() ? ", which is not open"
                                                 : ", which is not open yet, or no longer"));
  return nullptr;
}

KnownSession* Rules::Parts::session_of_agent(const std::string& id, const std::string& what) {
  const auto at = sessions.find(id);
  if (at != sessions.end()) return &at->second;
  if (id.empty()) return nullptr;
  const bool opening = std::ranges::any_of(open_of_client, [](const auto& each) {
    return each.second.method == "session/new" || each.second.method == "session/fork";
  });
  if (opening)
    found("A-ORDER-3",
          what + " for the session " + in_quotes(id) + " before the answer that tells it");
  else
    found("A-ORDER-2", what + " for the session " + in_quotes(id) + ", which is not open");
  return nullptr;
}

bool Rules::Parts::check_gate(const std::string& method, const KnownSession* session) {
  const Method* const known = [&]() -> const Method* {
    const Side here = now.from == Side::client ? Side::agent : Side::client;
    for (const Method& each : v1::methods())
      if (each.name == method && each.side == here) return &each;
    return nullptr;
  }();
  if (known == nullptr || known->gate.empty()) return true;
  bool open = true;
  if (known->gate == "modes")
    open = session == nullptr || session->modes;
  else if (known->gate == "configOptions")
    open = session == nullptr || session->options;
  else
    open = advertised(known->gate);
  if (!open)
    found_of_sender("CAP-1", method + ", but " + std::string(known->gate) + " was not advertised");
  return open;
}

void Rules::Parts::withdraw(JsonView params) {
  auto& open = now.from == Side::client ? open_of_client : open_of_agent;
  const auto at = open.find(params["requestId"].text());
  if (at != open.end()) at->second.withdrawn = true;
}

void Rules::Parts::client_calls(const std::string& method, JsonView params, OpenRequest* request) {
  if (method == "$/cancel_request") withdraw(params);
  if (method == "initialize") {
    if (initialize_answered) check_initialize(params);
    initialize_sent = true;
    asked_version = params["protocolVersion"].as_int64().value_or(1);
    client_capabilities = Json(params["clientCapabilities"]);
    client_capabilities_2 = Json(params["capabilities"]);
    capabilities_known = !client_capabilities.absent() || params["capabilities"].absent();
    return;
  }
  if (!initialize_sent) {
    if (!first_told) found("C-ORDER-1", method + " before initialize");
    first_told = true;
    return;
  }
  if (!initialize_answered) {
    if (request != nullptr) found("C-ORDER-2", method + " before initialize was answered");
    return;
  }
  asked_more = asked_more || request != nullptr;
  if (protocol == 2) return version_2->client_calls(method, params, request);
  if (protocol != 1 || is_free(method)) return;

  const std::string id = string_at(params["sessionId"]);
  if (opens_session(method) || method == "session/list") check_session_setup(method, params);
  if (method == "session/load" || method == "session/resume") {
    check_gate(method, nullptr);
    if (request == nullptr || id.empty()) return;
    const auto [at, added] = sessions.try_emplace(id);
    request->session_was_known = !added;
    KnownSession& session = at->second;
    if (method == "session/load") {
      ++session.loads;
      session.calls.clear();  // they are announced again
      session.questions.clear();
    } else {
      ++session.resumes;
      session.calls_incomplete = session.terminals_incomplete = true;
    }
    return;
  }
  if (method == "session/prompt") {
    KnownSession* const session = session_of_client(id, method);
    check_prompt(params);
    if (session == nullptr) return;
    if (session->prompts > 0)
      found("C-ORDER-5", "a prompt while another one of the session " + in_quotes(id) + " is open");
    if (request == nullptr) return;
    if (session->prompts == 0) session->questions.clear();
    ++session->prompts;
    ++session->turn;
    session->prompted = true;
    session->last_was_cancelled = false;
    return;
  }
  if (method == "session/cancel") {
    if (KnownSession* const session = session_of_client(id, method)) {
      session->cancel_seen = true;
      cancel(id);
    }
    return;
  }
  if (method == "session/set_mode" || method == "session/set_config_option") {
    const KnownSession* const session = session_of_client(id, method);
    if (session == nullptr || !check_gate(method, session)) return;
    const std::string mode = string_at(params["modeId"]), option = string_at(params["configId"]);
    if (method == "session/set_mode" && !mode.empty() && !session->modes->contains(mode))
      found("C-CAP-3", "the mode " + in_quotes(mode) + " is not available");
    if (method == "session/set_config_option" && !option.empty() &&
        !session->options->contains(option))
      found("C-CAP-4", "the option " + in_quotes(option) + " was not offered");
    return;
  }
  if (!check_gate(method, nullptr)) return;
  if (method == "authenticate") {
    const std::string chosen = string_at(params["methodId"]);
    if (!chosen.empty() && !auth_methods.contains(chosen))
      found("C-CAP-2", "authenticate with " + in_quotes(chosen) +
                           ", which the agent has not listed, or only for a terminal");
  }
}

// Version 2 allows it before anything else; so does version 1 where another version was asked for.
void Rules::Parts::check_initialize(JsonView params) {
  if (protocol == 2 && asked_more)
    found("C2-ORDER-1", "initialize again, after another request");
  else if (protocol != 2 && (asked_more || asked_version <= 1))
    found("C-ORDER-3", "initialize again");
  else if (protocol == 2 && params["protocolVersion"].as_int64().value_or(2) < 2)
    found("C2-ORDER-1", "initialize again, with an older version than was chosen");
}

void Rules::Parts::cancel(const std::string& id) {
  for (auto& [text, open] : open_of_client) {
    if (open.method != "session/prompt" || open.session != id || open.cancelled_at) continue;
    open.cancelled_at = now.time;
    open.cancelled_in = count;
  }
  for (auto& [text, open] : open_of_agent)
    if (open.method == "session/request_permission" && open.session == id)
      open.must_be_cancelled = true;
}

void Rules::Parts::check_session_setup(const std::string& method, JsonView params) {
  const auto absolute = [&](const std::string& field, JsonView path) {
    const auto text = path.as_string();
    if (text && !detail::is_absolute(*text))
      found("C-PATH-1", method + ": " + field + " is " + in_quotes(*text));
  };
  absolute("cwd", params["cwd"]);
  const JsonView directories = params["additionalDirectories"];
  for (const JsonView each : directories.elements()) absolute("additionalDirectories", each);
  if (method == "session/list") return;
  if (directories.size() > 0 &&
      !advertised("agentCapabilities.sessionCapabilities.additionalDirectories"))
    found("C-CAP-7", method + " with additional directories");
  for (const JsonView server : params["mcpServers"].elements()) {
    const std::string type = string_at(server["type"]), name = string_at(server["name"]);
    const auto command = server["command"].as_string();
    if (type == "http" || type == "sse" || type == "acp") {
      if (!advertised("agentCapabilities.mcpCapabilities." + type))
        found("C-CAP-6", method + ": the MCP server " + in_quotes(name) + " uses " + type);
    } else if (command && !detail::is_absolute(*command)) {
      found("C-PATH-2", method + ": the command of the MCP server " + in_quotes(name) + " is " +
                            in_quotes(*command));
    }
  }
}

void Rules::Parts::check_prompt(JsonView params) {
  for (const JsonView block : params["prompt"].elements()) {
    const std::string type = string_at(block["type"]);
    const std::string_view capability = type == "image"      ? "image"
                                        : type == "audio"    ? "audio"
                                        : type == "resource" ? "embeddedContext"
                                                             : "";
    if (!capability.empty() &&
        !advertised("agentCapabilities.promptCapabilities." + std::string(capability)))
      found("C-CAP-5", "a prompt with content of type " + type + ", but promptCapabilities." +
                           std::string(capability) + " was not advertised");
  }
}

void Rules::Parts::agent_calls(const std::string& method, JsonView params, OpenRequest* request) {
  if (method == "$/cancel_request") withdraw(params);
  if (is_free(method)) return;
  if (!initialize_answered) return found("A-ORDER-1", method + " before initialize was answered");
  if (protocol == 2) return version_2->agent_calls(method, params, request);
  if (protocol != 1) return;
  if (method == "session/update") return check_update(params);
  if (!check_gate(method, nullptr)) return;

  const JsonView session_id = params["sessionId"];
  if (session_id.absent() && method != "elicitation/create") return;
  if (method == "elicitation/create") check_elicitation(params);
  if (!session_id.is_string()) return;
  KnownSession* const session = session_of_agent(string_at(session_id), method);
  if (method == "session/request_permission") return check_permission(params, request, session);
  if (method.starts_with("terminal/")) return check_terminal_call(method, params, request, session);
  if (!method.starts_with("fs/")) return;
  if (method == "fs/write_text_file" && session != nullptr) check_act(method, params, *session);
  const auto path = params["path"].as_string();
  if (path && !detail::is_absolute(*path))
    found("A-PATH-1", method + ": path is " + in_quotes(*path));
  if (params["line"].as_int64() == 0) found("A-PATH-4", method + ": line is 0");
}

void Rules::Parts::check_elicitation(JsonView params) {
  const std::string mode = string_at(params["mode"]);
  if ((mode == "form" || mode == "url") && !advertised("clientCapabilities.elicitation." + mode))
    found("A-CAP-2", "an elicitation of mode " + mode);
}

void Rules::Parts::check_terminal_call(const std::string& method, JsonView params,
                                       OpenRequest* request, KnownSession* session) {
  if (method == "terminal/create") {
    const auto cwd = params["cwd"].as_string();
    if (cwd && !detail::is_absolute(*cwd))
      found("A-PATH-1", method + ": cwd is " + in_quotes(*cwd));
    if (request != nullptr) request->line = command_line(params);
    if (session != nullptr) check_act(method, params, *session);
    return;
  }
  const auto id = params["terminalId"].as_string();
  if (session == nullptr || !id) return;
  if (request != nullptr) request->terminal = *id;
  const auto at = session->terminals.find(*id);
  if (at == session->terminals.end()) {
    if (!session->terminals_incomplete)
      found("A-TERM-1", method + " for " + in_quotes(*id) + ", which was never created");
    return;
  }
  if (at->second.released)
    found("A-TERM-2", method + " for " + in_quotes(*id) + " after its release");
  if (method == "terminal/release") at->second.released = true;
}

}  // namespace acp::check
