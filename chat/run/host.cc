#include "chat/run/host.h"

#include <chrono>
#include <utility>

#include "acp/json/codec.h"
#include "settings/own_places.h"

namespace acp::chat {

RunHost::RunHost(std::shared_ptr<RunReporter> reporter, std::shared_ptr<Permissions> permissions,
                 std::string agent_name, bool asks_itself, std::string auth_method,
                 std::vector<io::EnvironmentEdit> command_environment, bool offers)
    : reporter_(std::move(reporter)),
      permissions_(std::move(permissions)),
      agent_name_(std::move(agent_name)),
      auth_method_(std::move(auth_method)),
      asks_itself_(asks_itself),
      offers_(offers),
      offer_(
          [told = reporter_](const std::string& id, std::string_view text) {
            told->tell(event::TerminalOutput{id, text});
          },
          [told = reporter_](const std::string& id, const std::optional<io::ExitStatus>& exit) {
            if (exit) told->tell(event::TerminalEnded{id, *exit});
          },
          {.forbidden = settings::own_places(), .environment = std::move(command_environment)}) {
  permissions_->silence_by([told = reporter_] { return told->silence(); });
}

void RunHost::install(Client& client) {
  const std::shared_ptr<RunHost> self = shared_from_this();
  if (offers_)
    offer_.install(client, [self](const ClientContext& context, workspace::Question call) {
      self->judge(context, std::move(call));
    });
  const auto decline = [self](ClientContext, v1::CreateElicitationRequest request) {
    self->reporter_->tell(event::ElicitationDeclined{request});
    v1::CreateElicitationResponse response;
    response.action = v1::ElicitationDeclineAction();
    return response;
  };
  client
      .on_permission(blocking([self](ClientContext context, v1::RequestPermissionRequest request) {
        return self->answer(context, request);
      }))
      .on_elicitation_form(blocking(decline))
      .on_elicitation_url(blocking(decline))
      .on_auth_required(blocking([self](ClientContext, std::vector<v1::AuthMethod> methods) {
        return self->choose_login(methods);
      }))
      .on_auth_status(
          blocking([told = reporter_](ClientContext, v1::AuthStatusUpdateNotification status) {
            told->later({LogEntry::Level::debug, "the login is now " + json::encode(status.state)});
          }))
      .on_log([told = reporter_](const LogEntry& entry) { told->later(entry); })
      .on_stderr([self](const AgentId&, std::string_view line) {
        // First shown, then kept: logged_as() wakes up then, and the report may end.
        self->reporter_->tell(event::StderrLine{line});
        self->keep_stderr(line);
      })
      .takes_boolean_options()
      .takes_notices()
      .takes_compactions()
      .takes_plans()
      .takes_subagents();
}

void RunHost::remember(const Session& session) {
  const std::lock_guard lock(mutex_);
  session_ = session;
}

void RunHost::forget() {
  std::optional<Session> last;
  {
    const std::lock_guard lock(mutex_);
    last.swap(session_);
  }
  if (last) offer_.session_closed(last->id());
}

Decision RunHost::answer(const ClientContext& context,
                         const v1::RequestPermissionRequest& request) {
  PermissionPrompt question;
  question.options = request.options;
  question.agent = agent_name_;
  question.cwd = context.cwd();
  question.more_directories = context.additional_directories();
  std::optional<Session> session;
  {
    const std::lock_guard lock(mutex_);
    session = session_;
  }
  if (session && session->id() == request.sessionId)
    session->with_state([&](const SessionState& state) {
      if (const ToolCallState* known = state.tool_call(request.toolCall.toolCallId))
        question.call = *known;
    });
  session.reset();
  question.call = call_in_question(request.toolCall, std::move(question.call));
  std::stop_source either;
  const std::stop_callback first(context.stop_token(), [&either] { either.request_stop(); });
  const std::stop_callback second(stop_asking_.get_token(), [&either] { either.request_stop(); });
  PermissionAnswer answer = permissions_->answer(question, either.get_token());
  // The agent hears of the cancelled turn first, then of this question.
  if (answer.by == PermissionAnswer::By::cancelled)
    sleep_unless(context.stop_token(), std::chrono::seconds(1));
  if (context.cancelled()) {
    answer.by = PermissionAnswer::By::cancelled;
    answer.allowed = false;
    answer.option.reset();
    answer.reason = "the turn was cancelled";
  }
  if (answer.by == PermissionAnswer::By::nobody) permission_needed_ = true;
  reporter_->tell(event::PermissionAnswered{request, question.call, answer});
  return answer.decision();
}

void RunHost::judge(const ClientContext& context, workspace::Question call) {
  call.agent = agent_name_;
  std::stop_source either;
  const std::stop_callback first(context.stop_token(), [&either] { either.request_stop(); });
  const std::stop_callback second(stop_asking_.get_token(), [&either] { either.request_stop(); });
  const PermissionAnswer answer = permissions_->judge(call, asks_itself_, either.get_token());
  if (answer.by == PermissionAnswer::By::nobody) permission_needed_ = true;
  if (!answer.reason.empty()) reporter_->tell(event::CallJudged{call, answer});
  if (!answer.allowed) throw permission_denied("acp run does not carry this out: " + answer.reason);
}

void RunHost::keep_stderr(std::string_view line) {
  constexpr std::size_t most_lines = 50, most_bytes = 10'000;
  const std::lock_guard lock(stderr_mutex_);
  last_stderr_.emplace_back(line.substr(0, most_bytes));
  if (last_stderr_.size() > most_lines) last_stderr_.pop_front();
  stderr_came_.notify_all();
}

std::string RunHost::logged_as(const std::string& id) {
  std::string found;
  std::unique_lock lock(stderr_mutex_);
  stderr_came_.wait_for(lock, std::chrono::seconds(2), [&] {
    for (const std::string& line : last_stderr_)
      if (line.find(id) != std::string::npos) found = line;
    return !found.empty();
  });
  return found;
}

std::string RunHost::choose_login(const std::vector<v1::AuthMethod>& methods) {
  for (const v1::AuthMethod& method : methods) {
    const auto* own = std::get_if<v1::AuthMethodAgent>(&method);
    if (own == nullptr || own->id != auth_method_) continue;
    logged_in_ = true;
    reporter_->tell(event::LoggingIn{auth_method_});
    return auth_method_;
  }
  return {};
}

}  // namespace acp::chat
