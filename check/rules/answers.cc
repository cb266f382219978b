// Answers: of the agent, then of the client; and the end.
#include <algorithm>

#include "acp/role/paths.h"
#include "check/rules/state.h"

namespace acp::check {
namespace {

// A turn that has been cancelled may have ended just before: but not that long before.
constexpr std::int64_t longest_race = 5'000'000'000;
// What we remember of one session.
constexpr std::size_t most_terminals = 4096;

}  // namespace

void Rules::Parts::agent_answers(OpenRequest& request, JsonView result, JsonView error) {
  // A side that answers this has read what was sent before it.
  for (auto& [id, open] : open_of_client)
    if (open.cancelled_at && open.cancelled_in < request.frame) open.cancel_was_read = true;

  if (request.method == "initialize") {
    if (error.absent()) initialized(result);
    return;
  }
  if (request.protocol == 2 && protocol == 2)
    return version_2->agent_answers(request, result, error);
  if (request.protocol != 1 || protocol != 1) return;
  const std::string& method = request.method;
  if (method == "session/prompt") return prompt_answered(request, result, error);
  if (method == "session/load" || method == "session/resume" || method == "session/new" ||
      method == "session/fork")
    return session_answered(request, result, error);
  if (!error.absent()) return;
  if (method == "session/close") return session_closed(request.session);
  if (method == "session/set_config_option") {
    const auto at = sessions.find(request.session);
    if (at != sessions.end()) take_options(at->second, result["configOptions"]);
  }
  if (method != "session/list") return;
  for (const JsonView each : result["sessions"].elements()) {
    const auto cwd = each["cwd"].as_string();
    if (cwd && !detail::is_absolute(*cwd))
      found("A-PATH-3", "a session's cwd is " + in_quotes(*cwd));
  }
}

void Rules::Parts::initialized(JsonView result) {
  initialize_answered = true;
  const auto version = result["protocolVersion"].as_int64();
  protocol = version == 1 || version == 2 ? static_cast<int>(*version) : 0;
  if (!version) protocol = 1;  // and the schema is broken
  initialize_result = Json(result);
  auth_methods.clear();
  if (protocol == 2) return version_2->initialized(result);
  if (protocol != 1) return;
  for (const JsonView each : result["authMethods"].elements()) {
    if (string_at(each["type"]) != "terminal")
      auth_methods.insert(string_at(each["id"]));
    else if (!advertised("clientCapabilities.auth.terminal"))
      found("A-CAP-5",
            "the authentication method " + in_quotes(string_at(each["id"])) + " needs a terminal");
  }
}

void Rules::Parts::session_answered(const OpenRequest& request, JsonView result, JsonView error) {
  if (request.method == "session/new" || request.method == "session/fork") {
    const std::string id = string_at(result["sessionId"]);
    if (!error.absent() || id.empty()) return;
    if (sessions.contains(id)) found("A-ORDER-7", "the session id " + in_quotes(id) + " again");
    return session_opened(id, result);
  }
  const auto at = sessions.find(request.session);
  if (at == sessions.end()) return;
  const bool load = request.method == "session/load";
  --(load ? at->second.loads : at->second.resumes);
  if (error.absent()) {
    at->second.loaded = load;
    at->second.prompted = at->second.prompts > 0;
    at->second.last_was_cancelled = false;
    return session_opened(request.session, result);
  }
  if (!request.session_was_known && at->second.opening && at->second.loads == 0 &&
      at->second.resumes == 0)
    sessions.erase(at);
}

void Rules::Parts::session_opened(const std::string& id, JsonView result) {
  KnownSession& session = sessions[id];
  session.opening = session.closed = false;
  const JsonView modes = result["modes"];
  if (modes.is_object()) {
    session.modes.emplace();
    for (const JsonView each : modes["availableModes"].elements())
      session.modes->insert(string_at(each["id"]));
    const auto current = modes["currentModeId"].as_string();
    if (current && !session.modes->contains(*current))
      found("A-CAP-4", "the current mode " + in_quotes(*current) + " is not available");
  }
  take_options(session, result["configOptions"]);
}

void Rules::Parts::take_options(KnownSession& session, JsonView options) {
  if (!options.is_array()) return;
  session.options.emplace();
  for (const JsonView each : options.elements()) {
    const std::string id = string_at(each["id"]);
    session.options->insert(id);
    if (string_at(each["type"]) == "boolean" &&
        !advertised("clientCapabilities.session.configOptions.boolean"))
      found("A-CAP-5", "the option " + in_quotes(id) + " is boolean");
  }
}

void Rules::Parts::prompt_answered(const OpenRequest& request, JsonView result, JsonView error) {
  const std::string stop = string_at(result["stopReason"]);
  if (request.cancelled_at) {
    const std::string what = "the prompt of " + in_quotes(request.session) + " was cancelled, and ";
    if (!error.absent())
      found("A-CANCEL-1", what + "answered with an error");
    else if (stop != "cancelled" &&
             (request.cancel_was_read || now.time - *request.cancelled_at > longest_race))
      found("A-CANCEL-1", what + "answered with " + in_quotes(stop));
  }
  const auto at = sessions.find(request.session);
  if (at == sessions.end() || at->second.prompts == 0) return;
  KnownSession& session = at->second;
  if (--session.prompts > 0) return;
  check_questions_closed(request, stop, session);
  if (stop != "cancelled") session.cancel_seen = false;
  session.last_was_cancelled = request.cancelled_at && stop == "cancelled";
  if (stop == "end_turn") {
    for (const auto& [id, call] : session.calls)
      if (call.turn == session.turn &&
          (call.status == CallStatus::pending || call.status == CallStatus::in_progress))
        found("A-STOP-1", "the turn ends with end_turn, and the tool call " + in_quotes(id) +
                              " is " +
                              (call.status == CallStatus::pending ? "pending" : "in progress"));
  }
  if (session.closed) sessions.erase(at);
}

void Rules::Parts::session_closed(const std::string& id) {
  const auto at = sessions.find(id);
  if (at == sessions.end()) return;
  for (const auto& [terminal, state] : at->second.terminals)
    if (!state.released)
      found("A-TERM-3", "the session " + in_quotes(id) + " is closed, and its terminal " +
                            in_quotes(terminal) + " is not released");
  at->second.terminals.clear();
  at->second.closed = true;
  if (at->second.prompts == 0) sessions.erase(at);
}

void Rules::Parts::client_answers(OpenRequest& request, JsonView result, JsonView error) {
  if (protocol == 2) return version_2->client_answers(request, result, error);
  if (protocol != 1) return;
  if (request.method == "session/request_permission") {
    permission_answered(request, result, error);
    const std::string outcome = string_at(result["outcome"]["outcome"]);
    const bool withdrawn = error["code"].as_int64() == -32800;
    if (request.must_be_cancelled && outcome != "cancelled" && !withdrawn)
      return found("C-CANCEL-1", "after session/cancel a permission request is answered " +
                                     (error.absent() ? in_quotes(outcome) : "with an error"));
    const auto option = result["outcome"]["optionId"].as_string();
    if (outcome == "selected" && option &&
        std::ranges::find(request.options, *option, &OpenRequest::Option::id) ==
            request.options.end())
      found("C-PERM-1", "the option " + in_quotes(*option) + " was not offered");
    return;
  }
  if (!request.method.starts_with("terminal/") || !error.absent()) return;
  const auto at = sessions.find(request.session);
  if (at == sessions.end()) return;
  auto& terminals = at->second.terminals;
  if (request.method == "terminal/create") {
    const auto id = result["terminalId"].as_string();
    if (!id) return;
    const auto [place, added] = terminals.try_emplace(*id);
    if (!added && !place->second.released)
      found("C-TERM-1", "the terminal id " + in_quotes(*id) + " again");
    place->second = {};
    place->second.line = request.line;
    if (terminals.size() > most_terminals) {
      std::erase_if(terminals, [](const auto& each) { return each.second.released; });
      at->second.terminals_incomplete = true;
    }
    return;
  }
  const auto terminal = terminals.find(request.terminal);
  if (terminal == terminals.end()) return;
  if (request.method == "terminal/wait_for_exit" || request.method == "terminal/kill" ||
      result["exitStatus"].is_object())
    terminal->second.ended = true;
}

void Rules::Parts::connection_ended() {
  violations.clear();
  for (const auto& [id, session] : sessions) {
    if (session.prompts > 0) continue;
    for (const auto& [terminal, state] : session.terminals)
      if (state.ended && !state.released)
        found("A-TERM-3", "the terminal " + in_quotes(terminal) + " has ended and is not released");
  }
}

}  // namespace acp::check
