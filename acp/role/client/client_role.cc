#include "acp/role/client/client_role.h"

#include <algorithm>

#include "acp/json/codec.h"
#include "acp/role/client/agent_process.h"
#include "acp/role/meta.h"
#include "acp/role/paths.h"

namespace acp::detail {

namespace {

// Events that nobody takes: beyond this, the agent has to wait.
constexpr std::size_t max_event_bytes = 4 * 1024 * 1024;

bool offers_terminals(const TerminalHandlers& handlers) {
  return handlers.create && handlers.output && handlers.wait_for_exit && handlers.kill &&
         handlers.release;
}

}  // namespace

void PromptState::wake() {
  if (const auto done = std::exchange(waiter, nullptr)) done->settle();
}

ClientCall::ClientCall(std::shared_ptr<ClientRole> owner)
    : Call(std::move(owner)), role(static_cast<ClientRole*>(this->owner.get())) {}

ClientRole::ClientRole(std::shared_ptr<const Client::Config> config,
                       std::shared_ptr<io::Connection> connection)
    : AnsweringRole(std::move(connection), std::shared_ptr<const LogHook>(config, &config->log),
                    "agent"),
      config_(std::move(config)) {}

v1::InitializeRequest ClientRole::introduction() const {
  v1::InitializeRequest request;
  request.protocolVersion = 1;
  request.clientInfo = config_->info;
  request._meta = config_->initialize_meta;
  v1::ClientCapabilities& capabilities = request.clientCapabilities;
  capabilities = config_->capabilities;
  capabilities.fs.readTextFile = static_cast<bool>(config_->read_text_file);
  capabilities.fs.writeTextFile = static_cast<bool>(config_->write_text_file);
  capabilities.terminal = offers_terminals(config_->terminals);
  if (config_->form || config_->url) {
    capabilities.elicitation.emplace();
    if (config_->form) capabilities.elicitation->form.emplace();
    if (config_->url) capabilities.elicitation->url.emplace();
  }
  tell_extensions(capabilities._meta, config_->requests, config_->notifications);
  return request;
}

// A waiting call must get its answer, whatever else has piled up.
bool ClientRole::takes_input() const {
  const bool events_taken = event_bytes <= max_event_bytes || prompts_waited > 0;
  return (events_taken && unseen_bytes_ <= max_event_bytes) ||
         connection_->held().engine().pending_calls() > prompts_pending;
}

ClientRole::CallPtr ClientRole::begin(const rpc::RequestId& id) {
  auto call = std::make_shared<ClientCall>(self());
  AnsweringRole::begin(call, id);
  return call;
}

// ---- requests

namespace {

// What is wrong with a request for a file, whatever the program makes of it. Line 0 is taken as 1.
std::optional<Error> check(v1::ReadTextFileRequest& request) {
  if (!is_absolute(request.path))
    return invalid_params("params.path", "an absolute path", "\"" + request.path + "\"");
  if (request.line.has_value() && *request.line == 0) request.line = 1;
  return std::nullopt;
}
std::optional<Error> check(v1::WriteTextFileRequest& request) {
  if (!is_absolute(request.path))
    return invalid_params("params.path", "an absolute path", "\"" + request.path + "\"");
  return std::nullopt;
}
std::optional<Error> check(v1::CreateTerminalRequest& request) {
  if (request.cwd.has_value() && !is_absolute(*request.cwd))
    return invalid_params("params.cwd", "an absolute path", "\"" + *request.cwd + "\"");
  return std::nullopt;
}
template <class Request>
std::optional<Error> check(Request&) {
  return std::nullopt;
}

template <class Request>
std::string session_of(const Request& request) {
  if constexpr (requires { request.sessionId; })
    return request.sessionId;
  else
    return {};
}
// None for one that belongs to a request.
std::string session_of(const v1::CreateElicitationRequest& request) {
  const v1::ElicitationSessionScope* session = nullptr;
  const auto look = [&](const auto& mode) {
    if constexpr (requires { mode.scope; })
      session = std::get_if<v1::ElicitationSessionScope>(&mode.scope);
  };
  std::visit(look, request.mode);
  return session == nullptr ? std::string() : session->sessionId;
}

}  // namespace

void ClientRole::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  if (version_2_ && version_2_->on_request(id, method, params)) return;
  if (method == "session/request_permission") {
    v1::RequestPermissionRequest request;
    if (decode(id, params, request)) ask_permission(id, std::move(request), params);
    return;
  }
  if (method == "fs/read_text_file") return pass_on(id, method, params, config_->read_text_file);
  if (method == "fs/write_text_file") return pass_on(id, method, params, config_->write_text_file);
  if (method.starts_with("terminal/") && offers_terminals(config_->terminals)) {
    const TerminalHandlers& terminals = config_->terminals;
    if (method == "terminal/create") return pass_on(id, method, params, terminals.create);
    if (method == "terminal/output") return pass_on(id, method, params, terminals.output);
    if (method == "terminal/wait_for_exit")
      return pass_on(id, method, params, terminals.wait_for_exit);
    if (method == "terminal/kill") return pass_on(id, method, params, terminals.kill);
    if (method == "terminal/release") return pass_on(id, method, params, terminals.release);
  }
  if (method == "elicitation/create") return elicit(id, params, params);
  if (method == "mcp/message") return pass_on(id, method, params, config_->mcp_message);
  const auto extension = config_->requests.find(method);
  if (extension == config_->requests.end()) return refuse_unknown(id, method);
  const CallPtr call = begin(id);
  run(extension->second, call, ClientContext(call), Json(params));
}

template <class Request, class Response>
void ClientRole::pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
                         const Handler<Response(ClientContext, Request)>& handler) {
  if (!handler) return refuse_unknown(id, method);
  Request request;
  if (!decode(id, params, request)) return;
  if (const auto error = check(request)) return refuse(id, *error);
  const std::string session_id = session_of(request);
  if (!session_id.empty() && !knows_session(id, method, params, session_id)) return;
  const CallPtr call = begin(id);
  call->session_id = session_id;
  run(handler, call, ClientContext(call), std::move(request));
}

bool ClientRole::knows_session(const rpc::RequestId& id, std::string_view method, JsonView params,
                               const std::string& session_id) {
  if (sessions_.contains(session_id)) return true;
  const std::size_t bytes = params.text().size();
  if (opening_ > 0 && early_bytes_ + bytes <= max_early_bytes) {
    early_bytes_ += bytes;
    deferred_.push_back({id, std::string(method), Json(params)});
  } else {
    refuse(id, not_found("session " + session_id, Json::object({{"sessionId", session_id}})));
  }
  return false;
}

void ClientRole::ask_permission(const rpc::RequestId& id, v1::RequestPermissionRequest request,
                                JsonView params) {
  if (!knows_session(id, "session/request_permission", params, request.sessionId)) return;
  const CallPtr call = begin(id);
  call->session_id = request.sessionId;
  call->permission = true;
  call->options = request.options;
  call->tool_call = request.toolCall.toolCallId;
  if (const auto known = sessions_.find(request.sessionId);
      known != sessions_.end() && known->second != nullptr) {
    ClientSession& session = *known->second;
    if (session.state) call->question = session.state->on_permission_request(request);
    state_changed(session);
    // It has crossed session/cancel on the wire: nobody is asked any more.
    const auto& prompts = session.prompts;
    if (!prompts.empty() && !session.in_background(call->tool_call) &&
        std::ranges::all_of(prompts, [](const auto& prompt) { return prompt->cancelled; }))
      return answer_permission(*call, Decision::cancelled());
  }
  if (!config_->permission) {
    log(LogEntry::Level::warning, "a permission request was rejected: nobody is there to ask");
    return answer_permission(*call, PermissionOptionKind::reject_once);
  }
  handlers().run(
      config_->permission,
      [this, call](Decision* decision, std::exception_ptr error) {
        io::Connection::Lock lock(*connection_);
        if (decision != nullptr) return answer_permission(*call, *decision);
        close_question(*call);
        fail(*call, error);
      },
      ClientContext(call), std::move(request));
}

void ClientRole::close_question(const ClientCall& call) {
  const auto known = sessions_.find(call.session_id);
  if (known == sessions_.end() || known->second == nullptr || !known->second->state) return;
  known->second->state->question_closed(call.question);
  state_changed(*known->second);
}

void ClientRole::answer_permission(ClientCall& call, const Decision& decision) {
  close_question(call);
  v1::RequestPermissionResponse response;
  std::optional<std::string> chosen;
  if (decision.option_id()) {
    for (const PermissionOption& option : call.options)
      if (option.optionId == *decision.option_id()) chosen = option.optionId;
  } else if (decision.kind()) {
    for (const PermissionOption& option : call.options)
      if (option.kind == *decision.kind() && !chosen) chosen = option.optionId;
  }
  if (!chosen && (decision.option_id() || decision.kind()))
    log(LogEntry::Level::warning, "the permission request has no such option: answered cancelled");
  if (chosen) {
    v1::SelectedPermissionOutcome selected;
    selected.optionId = *chosen;
    response.outcome = std::move(selected);
  } else {
    response.outcome = v1::CancelledPermissionOutcome();
  }
  answer(call, response);
}

void ClientRole::cancel_turn_permissions(const ClientSession& session) {
  cancel_permissions(session.id, &session);
}

void ClientRole::cancel_permissions(const std::string& session_id) {
  cancel_permissions(session_id, nullptr);
}

void ClientRole::cancel_permissions(const std::string& session_id, const ClientSession* spared) {
  for (const auto& one : active()) {
    const auto call = std::static_pointer_cast<ClientCall>(one);
    if (!call->permission || call->session_id != session_id) continue;
    if (spared != nullptr && spared->in_background(call->tool_call)) continue;
    answer_permission(*call, Decision::cancelled());
    call->cancel();
  }
}

void ClientRole::elicit(const rpc::RequestId& id, JsonView params, JsonView written) {
  if (!config_->form && !config_->url) return refuse_unknown(id, "elicitation/create");
  v1::CreateElicitationRequest request;
  if (!decode(id, params, request)) return;
  const bool form = std::holds_alternative<v1::ElicitationFormMode>(request.mode);
  const bool url = std::holds_alternative<v1::ElicitationUrlMode>(request.mode);
  const auto& handler = form ? config_->form : config_->url;
  if ((!form && !url) || !handler)
    return refuse(id, invalid_params("params.mode", "a mode that was advertised",
                                     form  ? "\"form\""
                                     : url ? "\"url\""
                                           : "another one"));
  const std::string session_id = session_of(request);
  if (!session_id.empty() && !knows_session(id, "elicitation/create", written, session_id)) return;
  const CallPtr call = begin(id);
  call->session_id = session_id;
  run(handler, call, ClientContext(call), std::move(request));
}

void ClientRole::on_cancel(const rpc::RequestId& id) {
  if (const auto call = active(id)) call->cancel();
}

// ---- notifications

bool ClientRole::on_notification(rpc::NotificationToken token, std::string_view method,
                                 JsonView params) {
  if (method == "session/update") return update(token, params);
  const auto ignore = [&] {
    log(LogEntry::Level::warning, "an invalid notification was ignored: " + std::string(method));
    return true;
  };
  if (method == "elicitation/complete" && config_->elicitation_complete) {
    v1::CompleteElicitationNotification notification;
    if (json::decode(params.text(), v1::CompleteElicitationNotification::json_type, &notification))
      return ignore();
    return pass_on(token, config_->elicitation_complete, std::move(notification), {});
  }
  if (method == "auth/status_update" && config_->auth_status) {
    v1::AuthStatusUpdateNotification notification;
    if (json::decode(params.text(), v1::AuthStatusUpdateNotification::json_type, &notification))
      return ignore();
    return pass_on(token, config_->auth_status, std::move(notification), {});
  }
  const auto extension = config_->notifications.find(method);
  if (extension != config_->notifications.end())
    return pass_on(token, extension->second, Json(params), {});
  log(LogEntry::Level::warning, "an unknown notification was ignored: " + std::string(method));
  return true;
}

void ClientRole::opening_ends() {
  if (--opening_ == 0 && version_2_) version_2_->forget_unknown();
  for (const Deferred& request : std::exchange(deferred_, {})) {
    early_bytes_ -= request.params.text().size();
    on_request(request.id, request.method, request.params);
  }
}

ClientSession::~ClientSession() {
  if (!agent) return;
  io::Connection::Lock lock(*agent->connection);
  agent->role->forget_session(this);
  for (const auto& prompt : prompts) prompt->session = nullptr;
}

void ClientRole::on_trouble(const rpc::Trouble& trouble) {
  troubled = true;
  AnsweringRole::on_trouble(trouble);
}

void ClientRole::on_input_ended(const std::string& reason) {
  end_reason = reason;
  for (const auto& waiter : std::exchange(waiters_, {}))
    if (const auto waiting = waiter.lock())
      waiting->fail(std::make_exception_ptr(ConnectionClosed(reason)));
  log(LogEntry::Level::debug, reason);
  if (!shaking_hands) report_end(reason);
  // Nobody waits for these answers.
  on_drain_over();
}

void ClientRole::report_end(const std::string& reason) {
  if (std::exchange(end_reported_, true) || !config_->disconnected) return;
  connection_->held().unlocked(
      [config = config_, agent = agent_id, reason] { config->disconnected(agent, reason); });
}

void ClientRole::on_drain_over() {
  for (const auto& call : active()) call->cancel();
}

}  // namespace acp::detail
