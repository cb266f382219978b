#include "acp/agent_role.h"

#include <cstdio>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/meta.h"

namespace acp::detail {

namespace {

constexpr v1::ProtocolVersion our_version = 1;

// Where a program takes no log, the reason for an error that a client got is found nowhere else.
void to_stderr(const std::string& program, const LogEntry& entry) {
  if (entry.correlation_id.empty()) return;
  constexpr std::size_t longest = 10'000;
  const std::string line =
      io::one_line(program + ": " + entry.correlation_id + ": " + entry.message, longest) + "\n";
  std::fputs(line.c_str(), stderr);
}

LogHook log_of(const LogHook& given, const std::string& program) {
  if (given) return given;
  return [program](const LogEntry& entry) { to_stderr(program, entry); };
}

}  // namespace

AgentCall::AgentCall(std::shared_ptr<AgentRole> owner)
    : Call(std::move(owner)), role(static_cast<AgentRole*>(this->owner.get())) {}

AgentRole::AgentRole(std::shared_ptr<const Agent::Parts> parts,
                     std::shared_ptr<io::Connection> connection)
    : AnsweringRole(std::move(connection),
                    std::make_shared<const LogHook>(log_of(parts->log, parts->info.name)),
                    "client"),
      parts_(std::move(parts)) {}

AgentRole::CallPtr AgentRole::begin(const rpc::RequestId& id) {
  auto call = std::make_shared<AgentCall>(self());
  AnsweringRole::begin(call, id);
  return call;
}

Error AgentRole::auth_required() const {
  Json methods = Json::array();
  for (const v1::AuthMethod& method : parts_->auth_methods)
    methods.append(Json::from_valid(json::encode(method)));
  return Error(rpc::auth_required, "Authentication required",
               Json::object({{"reason", "auth_required"}, {"authMethods", methods}}));
}

rpc::Error AgentRole::to_error(const Call& call, std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const AuthRequired&) {
    const Error required = auth_required();
    return {required.code(), required.what(), required.data()};
  } catch (...) {
    return AnsweringRole::to_error(call, error);
  }
}

std::shared_ptr<AgentSession> AgentRole::session_of(const rpc::RequestId& id,
                                                    const std::string& session_id) {
  const auto found = sessions_.find(session_id);
  if (found != sessions_.end()) return found->second;
  refuse(id, not_found("session " + session_id, Json::object({{"sessionId", session_id}})));
  return nullptr;
}

// ---- requests

void AgentRole::on_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  if (method == "initialize") return initialize(id, params);
  // A proxy is initialized by its conductor, with the same params.
  if (method == "proxy/initialize" && parts_->requests.contains(method) && !initialized_) {
    json::decode(params.text(), v1::InitializeRequest::json_type, &client_);
    initialized_ = true;
  }
  if (!initialized_)
    return refuse(id, rpc::invalid_request, "Invalid request: initialize comes first");
  const bool session_method = method.starts_with("session/");
  if (session_method && parts_->require_authentication && !authenticated_ &&
      method != "session/list")
    return refuse(id, auth_required());
  if (method == "session/prompt") return prompt(id, params);
  if (method == "session/new") return new_session(id, params);
  if (method == "session/set_mode") return set_mode(id, params);
  if (method == "session/set_config_option") return set_config_option(id, params);
  if (method == "session/set_model" && parts_->accept_set_model) return set_model(id, params);
  if (method == "session/close") return close_session(id, params);
  if (method == "authenticate") return authenticate(id, params);
  if (method == "session/load" && parts_->load_session) return load_session(id, params);
  if (method == "session/resume" && parts_->resume_session) return resume_session(id, params);
  if (method == "session/fork" && parts_->fork_session) return fork_session(id, params);
  if (method == "session/delete" && parts_->delete_session) return delete_session(id, params);
  if (method == "session/list") return pass_on(id, method, params, parts_->list_sessions);
  if (method == "session/archive") return pass_on(id, method, params, parts_->archive_session);
  if (method == "session/unarchive") return pass_on(id, method, params, parts_->unarchive_session);
  if (method == "session/status") return pass_on(id, method, params, parts_->session_status);
  if (method == "session/set_title") return pass_on(id, method, params, parts_->set_title);
  if (method == "logout") return log_out(id, params);
  if (method == "auth/status") return pass_on(id, method, params, parts_->auth_status);
  if (method == "providers/list") return pass_on(id, method, params, parts_->list_providers);
  if (method == "providers/set") return pass_on(id, method, params, parts_->set_provider);
  if (method == "providers/disable") return pass_on(id, method, params, parts_->disable_provider);
  const auto extension = parts_->requests.find(method);
  if (extension == parts_->requests.end()) return refuse_unknown(id, method);
  const CallPtr call = begin(id);
  run(extension->second, call, Context(call), Json(params));
}

template <class Request, class Response>
void AgentRole::pass_on(const rpc::RequestId& id, std::string_view method, JsonView params,
                        const Handler<Response(Context, Request)>& handler) {
  if (!handler) return refuse_unknown(id, method);
  Request request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  run(handler, call, Context(call), std::move(request));
}

v1::AgentCapabilities AgentRole::capabilities() const {
  const Agent::Parts& parts = *parts_;
  v1::AgentCapabilities result;
  result.loadSession = static_cast<bool>(parts.load_session);
  result.promptCapabilities = parts.prompt_capabilities;
  result.mcpCapabilities = parts.mcp_capabilities;
  v1::SessionCapabilities& session = result.sessionCapabilities;
  session.close.emplace();
  if (parts.list_sessions) session.list.emplace();
  if (parts.delete_session) session.delete_.emplace();
  if (parts.resume_session) session.resume.emplace();
  if (parts.fork_session) session.fork.emplace();
  if (parts.archive_session) session.archive.emplace();
  if (parts.session_status) session.status.emplace();
  if (parts.set_title) session.title.emplace();
  if (parts.additional_directories) session.additionalDirectories.emplace();
  if (parts.system_prompt) {
    session.systemPrompt.emplace();
    session.systemPrompt->mode.emplace();
    if (parts.system_prompt_override) session.systemPrompt->mode->override.emplace();
  }
  if (parts.logout) result.auth.logout.emplace();
  if (parts.auth_status) result.auth.status.emplace();
  if (parts.list_providers) result.providers.emplace();
  result._meta = parts.capability_meta;
  tell_extensions(result._meta, parts.requests, parts.notifications);
  return result;
}

void AgentRole::initialize(const rpc::RequestId& id, JsonView params) {
  if (initialized_)
    return refuse(id, rpc::invalid_request, "Invalid request: the connection is initialized");
  v1::InitializeRequest request;
  if (!decode(id, params, request)) return;
  client_ = std::move(request);
  initialized_ = true;
  v1::InitializeResponse response;
  // Whatever was asked for: the client closes if it cannot speak this one.
  response.protocolVersion = our_version;
  response.agentCapabilities = capabilities();
  for (const v1::AuthMethod& method : parts_->auth_methods) {
    const bool terminal = std::holds_alternative<v1::AuthMethodTerminal>(method);
    if (!terminal || client_.clientCapabilities.auth.terminal)
      response.authMethods.push_back(method);
  }
  response.agentInfo = parts_->info;
  response._meta = parts_->initialize_meta;
  connection_->peer().respond(id, [&](json::Writer& out) { json::write(out, response); });
}

void AgentRole::authenticate(const rpc::RequestId& id, JsonView params) {
  if (parts_->auth_methods.empty()) return refuse_unknown(id, "authenticate");
  v1::AuthenticateRequest request;
  if (!decode(id, params, request)) return;
  bool listed = false;
  for (const v1::AuthMethod& method : parts_->auth_methods)
    if (const auto* agent = std::get_if<v1::AuthMethodAgent>(&method))
      listed = listed || agent->id == request.methodId;
  if (!listed)
    return refuse(id, invalid_params("params.methodId", "one of authMethods", request.methodId));
  const CallPtr call = begin(id);
  run_then(
      parts_->authenticate, call,
      [this](AgentCall&, v1::AuthenticateResponse&) { authenticated_ = true; }, Context(call),
      std::move(request));
}

void AgentRole::log_out(const rpc::RequestId& id, JsonView params) {
  if (!parts_->logout) return refuse_unknown(id, "logout");
  v1::LogoutRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  run_then(
      parts_->logout, call, [this](AgentCall&, v1::LogoutResponse&) { authenticated_ = false; },
      Context(call), std::move(request));
}

// ---- notifications

bool AgentRole::on_urgent(std::string_view method, JsonView params) {
  if (method != "session/cancel") return false;
  v1::CancelNotification notification;
  if (json::decode(params.text(), v1::CancelNotification::json_type, &notification)) {
    log(LogEntry::Level::warning, "session/cancel without a session id was ignored");
    return true;
  }
  const auto found = sessions_.find(notification.sessionId);
  if (found != sessions_.end()) cancel_turns(*found->second);
  return true;
}

bool AgentRole::on_notification(rpc::NotificationToken token, std::string_view method,
                                JsonView params) {
  if (!initialized_) {
    log(LogEntry::Level::warning, "ignored before initialize: " + std::string(method));
    return true;
  }
  if (method == "mcp/message" && parts_->mcp_message) {
    v1::MessageMcpNotification notification;
    if (json::decode(params.text(), v1::MessageMcpNotification::json_type, &notification)) {
      log(LogEntry::Level::warning, "an mcp/message that does not fit was ignored");
      return true;
    }
    const CallPtr call = std::make_shared<AgentCall>(self());
    return run_notification(token, call, parts_->mcp_message, Context(call), notification);
  }
  const auto extension = parts_->notifications.find(method);
  if (extension != parts_->notifications.end()) {
    const CallPtr call = std::make_shared<AgentCall>(self());
    return run_notification(token, call, extension->second, Context(call), Json(params));
  }
  log(LogEntry::Level::warning, "an unknown notification was ignored: " + std::string(method));
  return true;
}

void AgentRole::on_input_ended(const std::string& reason) { log(LogEntry::Level::debug, reason); }

void AgentRole::on_drain_over() {
  for (const auto& [id, session] : sessions_) cancel_turns(*session);
  for (const auto& call : active()) call->cancel();
}

}  // namespace acp::detail
