#include "chat/run_host.h"

#include <utility>

#include "acp/json/codec.h"
#include "settings/own_places.h"

namespace acp::chat {

RunHost::RunHost(std::shared_ptr<RunReporter> reporter, std::shared_ptr<Permissions> permissions,
                 std::string agent_name, bool asks_itself, std::string auth_method,
                 std::vector<io::EnvironmentEdit> command_environment)
    : reporter_(std::move(reporter)),
      permissions_(std::move(permissions)),
      agent_name_(std::move(agent_name)),
      auth_method_(std::move(auth_method)),
      asks_itself_(asks_itself),
      offer_(
          [told = reporter_](const std::string& id, std::string_view text) {
            told->tell(event::TerminalOutput{id, text});
          },
          {},
          {.forbidden = settings::own_places(), .environment = std::move(command_environment)}) {}

void RunHost::install(Client& client) {
  const std::shared_ptr<RunHost> self = shared_from_this();
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
      .on_permission([self](ClientContext context, v1::RequestPermissionRequest request) {
        return self->answer(context, request);
      })
      .on_elicitation_form(decline)
      .on_elicitation_url(decline)
      .on_auth_required([self](ClientContext, std::vector<v1::AuthMethod> methods) {
        return self->choose_login(methods);
      })
      .on_auth_status([told = reporter_](ClientContext, v1::AuthStatusUpdateNotification status) {
        told->later({LogEntry::Level::debug, "the login is now " + json::encode(status.state)});
      })
      .on_log([told = reporter_](const LogEntry& entry) { told->later(entry); })
      .on_stderr([told = reporter_](std::string_view line) { told->tell(event::StderrLine{line}); })
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
  PermissionQuestion question;
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
  PermissionAnswer answer = permissions_->answer(question, context.stop_token());
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
  const PermissionAnswer answer = permissions_->judge(call, asks_itself_, context.stop_token());
  if (answer.by == PermissionAnswer::By::nobody) permission_needed_ = true;
  if (!answer.reason.empty()) reporter_->tell(event::CallJudged{call, answer});
  if (!answer.allowed) throw permission_denied("acp run does not carry this out: " + answer.reason);
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
