// Permission: what is asked, what was answered, and what is done all the same.
#include <algorithm>

#include "check/rules/state.h"

namespace acp::check {
namespace {

constexpr std::size_t most_questions = 256;

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::open:
      return "is still open";
    case Verdict::allowed:
      return "was allowed";
    case Verdict::rejected:
      return "was rejected";
    case Verdict::undecided:
      return "was cancelled";
    case Verdict::not_offered:
      return "got an option that was not offered";
    case Verdict::failed:
      return "failed";
  }
  return "";
}

// The requirement that is broken by doing it nevertheless.
const char* number_of(Verdict verdict, bool command) {
  switch (verdict) {
    case Verdict::open:
      return "A-PERM-3";
    case Verdict::allowed:
      return "";
    case Verdict::rejected:
      return command ? "A-PERM-16" : "A-PERM-11";
    case Verdict::undecided:
      return command ? "A-PERM-17" : "A-PERM-12";
    case Verdict::not_offered:
      return "A-PERM-13";
    case Verdict::failed:
      return command ? "A-PERM-18" : "A-PERM-14";
  }
  return "";
}

// Of these questions: allowed if one was, otherwise what became of the last. None: nothing.
template <class Picked>
std::optional<Verdict> verdict_of(const std::vector<KnownQuestion>& questions, Picked picked) {
  std::optional<Verdict> last;
  for (const KnownQuestion& question : questions) {
    if (!picked(question)) continue;
    if (question.verdict == Verdict::allowed) return Verdict::allowed;
    last = question.verdict;
  }
  return last;
}

std::optional<Verdict> verdict_of_call(const KnownSession& session, std::string_view call) {
  return verdict_of(session.questions, [&](const KnownQuestion& q) { return q.call == call; });
}

}  // namespace

void Rules::Parts::check_in_turn(const std::string& what, const KnownSession& session) {
  if (session.prompts > 0 || session.replaying() || session.subagent) return;
  if (session.last_was_cancelled)
    found("A-CANCEL-3", what + " after the turn was answered cancelled");
  else
    found("A-ORDER-11", what + " while no prompt is open");
}

void Rules::Parts::check_permission(JsonView params, OpenRequest* request, KnownSession* session) {
  const JsonView options = params["options"];
  if (options.is_array() && options.size() == 0)
    found("A-PERM-1", "a permission request without options");
  bool can_be_rejected = options.size() == 0;
  for (const JsonView option : options.elements()) {
    const std::string kind = string_at(option["kind"]);
    can_be_rejected = can_be_rejected || !kind.starts_with("allow");
    const auto id = option["optionId"].as_string();
    if (!id || request == nullptr) continue;
    if (std::ranges::find(request->options, *id, &OpenRequest::Option::id) !=
        request->options.end())
      found("A-PERM-2", "two options have the id " + in_quotes(*id));
    request->options.push_back({*id, kind});
  }
  if (!can_be_rejected)
    found("A-PERM-6", "a permission request that offers nothing but to allow it");
  if (session == nullptr) return;
  check_in_turn("session/request_permission", *session);
  const JsonView tool_call = params["toolCall"];
  const std::string id = string_at(tool_call["toolCallId"]);
  if (const auto at = session->calls.find(id);
      at != session->calls.end() && at->second.status == CallStatus::completed)
    found("A-PERM-7", "permission for the tool call " + in_quotes(id) + ", which is completed");
  check_tool_call("request_permission", tool_call, *session);
  if (request == nullptr) return;
  KnownQuestion question;
  question.call = id;
  question.frame = count;
  if (const auto at = session->calls.find(id); at != session->calls.end())
    question.subject = at->second.subject;
  if (session->questions.size() >= most_questions)
    session->questions.erase(session->questions.begin());
  session->questions.push_back(std::move(question));
}

void Rules::Parts::permission_answered(const OpenRequest& request, JsonView result,
                                       JsonView error) {
  const auto at = sessions.find(request.session);
  if (at == sessions.end()) return;
  Verdict verdict = Verdict::failed;
  const std::string outcome = string_at(result["outcome"]["outcome"]);
  if (error.absent() && outcome == "cancelled") verdict = Verdict::undecided;
  if (error.absent() && outcome == "selected") {
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

void Rules::Parts::check_act(const std::string& method, JsonView params, KnownSession& session) {
  const bool command = method == "terminal/create";
  const std::string what = command ? command_line(params) : string_at(params["path"]);
  const auto verdict = verdict_of(session.questions, [&](const KnownQuestion& question) {
    return command ? question.subject.names_command(what)
                   : !question.subject.reads && question.subject.names_path(what);
  });
  if (!verdict) return check_in_turn(method, session);
  if (*verdict == Verdict::allowed) return;
  found(number_of(*verdict, command), method + " of " + in_quotes(what) +
                                          ", though the question for permission " +
                                          to_string(*verdict));
}

void Rules::Parts::check_call_begins(const std::string& id, CallStatus before, CallStatus after,
                                     const KnownSession& session) {
  const auto verdict = verdict_of_call(session, id);
  if (!verdict || *verdict == Verdict::allowed) return;
  const bool done = after == CallStatus::completed;
  if (*verdict == Verdict::open) {
    const bool begins = after == CallStatus::in_progress && before < CallStatus::in_progress;
    if (begins || done)
      found("A-PERM-4", "the tool call " + in_quotes(id) + " is " +
                            (done ? "completed" : "in progress") +
                            ", though its question for permission is still open");
  } else if (done) {
    found("A-PERM-5", "the tool call " + in_quotes(id) +
                          " is completed, though its question for permission " +
                          to_string(*verdict));
  }
}

void Rules::Parts::check_shown_terminal(const std::string& call, KnownTerminal& terminal,
                                        const KnownSession& session) {
  if (terminal.line.empty()) return;
  std::string asked;
  for (const KnownQuestion& question : session.questions) {
    if (question.call != call || question.verdict != Verdict::allowed) continue;
    if (question.subject.command.empty() || runs(terminal.line, question.subject.command)) return;
    asked = question.subject.command;
  }
  if (asked.empty()) return;
  found("A-PERM-9", "the tool call " + in_quotes(call) + " asked for " + in_quotes(asked) +
                        ", and shows a terminal that runs " + in_quotes(terminal.line));
  terminal.line.clear();  // once is enough
}

void Rules::Parts::check_questions_closed(const OpenRequest& prompt, const std::string& stop,
                                          const KnownSession& session) {
  if (prompt.cancelled_at || prompt.withdrawn) return;
  for (const auto& [id, open] : open_of_agent)
    if (open.method == "session/request_permission" && open.session == prompt.session &&
        !open.withdrawn)
      found("A-PERM-8", "the turn ends, and the permission request " + in_quotes(id) + " is open");
  if (stop != "cancelled" || session.closed || session.cancel_seen) return;
  // Closing a session cancels its turn; what was not allowed may end it.
  const bool closing = std::ranges::any_of(open_of_client, [&](const auto& each) {
    return each.second.session == prompt.session &&
           (each.second.method == "session/close" || each.second.method == "session/delete");
  });
  const bool refused = std::ranges::any_of(session.questions, [](const KnownQuestion& question) {
    return question.verdict != Verdict::allowed;
  });
  if (!closing && !refused)
    found("A-CANCEL-4", "the turn ends with cancelled, and the client has not cancelled it");
}

}  // namespace acp::check
