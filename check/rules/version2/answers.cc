// Answers of version 2: of the agent, then of the client; and the end.
#include <algorithm>

#include "acp/role/paths.h"
#include "check/rules/version2/watcher.h"

namespace acp::check::version2 {

void Watcher::initialized(JsonView result) {
  auth_methods_.clear();
  for (const JsonView each : result["authMethods"].elements()) {
    const std::string id = string_at(each["methodId"]);
    if (string_at(each["type"]) != "terminal")
      auth_methods_.insert(id);
    else if (!client_has("auth.terminal"))
      found("A2-CAP-3", "the authentication method " + in_quotes(id) + " needs a terminal");
  }
}

void Watcher::agent_answers(const OpenRequest& request, JsonView result, JsonView error) {
  // A side that answers this has read what was sent before it.
  for (auto& [id, session] : sessions_)
    if (session.cancelled_at && session.cancelled_in < request.frame)
      session.cancel_was_read = true;
  const std::string& method = request.method;
  if (method == "session/prompt") return prompt_answered(request, result, error);
  if (method == "session/new" || method == "session/resume" || method == "session/fork")
    return session_answered(request, result, error);
  if (!error.absent()) return;
  if (method == "session/close") return session_closed(request.session);
  if (method == "session/set_config_option") {
    const auto at = sessions_.find(request.session);
    if (at != sessions_.end()) take_options(at->second, result["configOptions"]);
  }
  if (method != "session/list") return;
  for (const JsonView each : result["sessions"].elements()) {
    const auto cwd = each["cwd"].as_string();
    if (cwd && !detail::is_absolute(*cwd))
      found("A2-PATH-2", "a session's cwd is " + in_quotes(*cwd));
  }
}

void Watcher::session_answered(const OpenRequest& request, JsonView result, JsonView error) {
  if (request.method != "session/resume") {
    const std::string id = string_at(result["sessionId"]);
    if (error.absent() && !id.empty()) {
      const auto at = sessions_.find(id);
      if (at != sessions_.end() && (at->second.confirmed || at->second.opening()))
        found("A2-SESSION-9", "the session id " + in_quotes(id) + " again");
      session_opened(id, result);
    }
    return drop_unconfirmed();
  }
  const auto at = sessions_.find(request.session);
  if (at == sessions_.end()) return;
  KnownSession& session = at->second;
  --(request.replays ? session.replays : session.resumes);
  if (error.absent()) {
    if (!session.state_reported)
      found("A2-RESUME-6", "session/resume is answered, and no state_update stands before it" +
                               std::string(request.replays ? " after the replay" : ""));
    session.replayed = request.replays;
    session.last_was_cancelled = false;
    return session_opened(request.session, result);
  }
  if (!request.session_was_known && !session.confirmed && !session.opening()) sessions_.erase(at);
}

void Watcher::session_opened(const std::string& id, JsonView result) {
  KnownSession& session = sessions_[id];
  session.confirmed = true;
  session.closed = false;
  take_options(session, result["configOptions"]);
}

// Updates before an answer belong to the session that the answer names.
void Watcher::drop_unconfirmed() {
  const bool opening = std::ranges::any_of(all_.open_of_client, [](const auto& each) {
    return each.second.method == "session/new" || each.second.method == "session/fork";
  });
  if (opening) return;
  std::erase_if(sessions_, [&](const auto& each) {
    const KnownSession& session = each.second;
    if (session.confirmed || session.subagent || session.opening()) return false;
    found("A2-ORDER-1",
          "session/update for the session " + in_quotes(each.first) + ", which no answer names");
    return true;
  });
}

void Watcher::take_options(KnownSession& session, JsonView options) {
  if (!options.is_array()) return;
  session.options.emplace();
  for (const JsonView each : options.elements())
    session.options->insert(string_at(each["configId"]));
}

void Watcher::prompt_answered(const OpenRequest& request, JsonView result, JsonView error) {
  const auto at = sessions_.find(request.session);
  if (at == sessions_.end()) return;
  KnownSession& session = at->second;
  const auto open = session.prompts.find(request.id);
  if (open == session.prompts.end()) return;
  const KnownPrompt prompt = open->second;
  session.prompts.erase(open);
  const std::string message = string_at(result["messageId"]);
  if (!error.absent() || message.empty()) return;
  if (!session.answered_messages.insert(message).second)
    found("A2-TURN-15", "two prompts were answered with the message id " + in_quotes(message));
  if (prompt.work_ended)
    return found("A2-TURN-2", "the prompt was answered after the state idle that ended its turn");
  session.begun = session.answered_in_work = true;
  if (!session.user_messages.contains(message)) session.inserted.insert(message);
}

void Watcher::session_closed(const std::string& id) {
  const auto at = sessions_.find(id);
  if (at == sessions_.end()) return;
  KnownSession& session = at->second;
  if (session.activity != Activity::idle)
    found("A2-CLOSE-3", "session/close is answered, and no idle state stands before it");
  session = {};
  session.confirmed = session.closed = true;
}

void Watcher::client_answers(const OpenRequest& request, JsonView result, JsonView error) {
  if (request.method != "session/request_permission") return;
  permission_answered(request, result, error);
  const auto option = result["outcome"]["optionId"].as_string();
  if (string_at(result["outcome"]["outcome"]) == "selected" && option &&
      std::ranges::find(request.options, *option, &OpenRequest::Option::id) ==
          request.options.end())
    found("C2-PERM-1", "the option " + in_quotes(*option) + " was not offered");
}

void Watcher::permission_answered(const OpenRequest& request, JsonView result, JsonView error) {
  const auto at = sessions_.find(request.session);
  if (at == sessions_.end()) return;
  // An outcome that nobody knows is no approval, either.
  Verdict verdict = error.absent() ? Verdict::undecided : Verdict::failed;
  if (error.absent() && string_at(result["outcome"]["outcome"]) == "selected") {
    const auto option = std::ranges::find(request.options, string_at(result["outcome"]["optionId"]),
                                          &OpenRequest::Option::id);
    if (option == request.options.end())
      verdict = Verdict::not_offered;
    else
      verdict = option->kind.starts_with("reject") ? Verdict::rejected : Verdict::allowed;
  }
  for (KnownQuestion& question : at->second.questions)
    if (question.frame == request.frame) question.verdict = verdict;
}

}  // namespace acp::check::version2
