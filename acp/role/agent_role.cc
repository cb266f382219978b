#include "acp/role/agent_role.h"

#include <cstdio>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/role/meta.h"

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

AgentRole::AgentRole(std::shared_ptr<const Agent::Config> config,
                     std::shared_ptr<io::Connection> connection)
    : AnsweringRole(std::move(connection),
                    std::make_shared<const LogHook>(log_of(config->log, config->info.name)),
                    "client"),
      config_(std::move(config)) {}

AgentRole::CallPtr AgentRole::begin(const rpc::RequestId& id) {
  auto call = std::make_shared<AgentCall>(self());
  AnsweringRole::begin(call, id);
  return call;
}

Error AgentRole::auth_required() const {
  Json methods = Json::array();
  for (const v1::AuthMethod& method : config_->auth_methods)
    methods.append(Json::from_valid(json::encode(method)));
  return Error(rpc::auth_required, "Authentication required",
               Json::object({{"reason", "auth_required"}, {"authMethods", methods}}));
}

rpc::ErrorObject AgentRole::to_error(const Call& call, std::exception_ptr error) {
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
  if (method == "proxy/initialize" && config_->requests.contains(method) && !initialized_) {
    json::decode(params.text(), v1::InitializeRequest::json_type, &client_);
    initialized_ = true;
  }
  if (!initialized_)
    return refuse(id, rpc::invalid_request, "Invalid request: initialize comes first");
  const bool session_method = method.starts_with("session/");
  if (session_method && config_->require_authentication && !authenticated_ &&
      method != "session/list")
    return refuse(id, auth_required());
  if (method == "session/prompt") return prompt(id, params);
  if (method == "session/set_model" && config_->accept_set_model) return set_model(id, params);
#define ACP_REQUEST(known, name, Type, Context, way, capability) \
  if (method == known) return ACP_WAY_##way(name);
#define ACP_WAY_role(name) name(id, params)
#define ACP_WAY_installed(name) config_->name ? name(id, params) : refuse_unknown(id, method)
#define ACP_WAY_passed(name) pass_on(id, method, params, config_->name)
  ACP_AGENT_METHODS(ACP_REQUEST, ACP_REQUEST)
#undef ACP_REQUEST
#undef ACP_WAY_role
#undef ACP_WAY_installed
#undef ACP_WAY_passed
  const auto extension = config_->requests.find(method);
  if (extension == config_->requests.end()) return refuse_unknown(id, method);
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

namespace {

// With a place for methods that are not advertised.
struct Advertised : v1::AgentCapabilities {
  struct Not {
  } none;
};
void advertise(bool& capability) { capability = true; }
void advertise(Advertised::Not&) {}
template <class Capability>
void advertise(Nullable<Capability>& capability) {
  capability.emplace();
}

}  // namespace

v1::AgentCapabilities AgentRole::capabilities() const {
  const Agent::Config& config = *config_;
  Advertised result;
  result.promptCapabilities = config.prompt_capabilities;
  result.mcpCapabilities = config.mcp_capabilities;
#define ACP_ADVERTISE(method, name, Type, Context, way, capability) \
  if (config.name) advertise(result.capability);
  ACP_AGENT_METHODS(ACP_ADVERTISE, ACP_ADVERTISE)
#undef ACP_ADVERTISE
  v1::SessionCapabilities& session = result.sessionCapabilities;
  session.close.emplace();
  if (config.additional_directories) session.additionalDirectories.emplace();
  if (config.system_prompt) {
    session.systemPrompt.emplace();
    session.systemPrompt->mode.emplace();
    if (config.system_prompt_override) session.systemPrompt->mode->override.emplace();
  }
  result._meta = config.capability_meta;
  tell_extensions(result._meta, config.requests, config.notifications);
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
  for (const v1::AuthMethod& method : config_->auth_methods) {
    const bool terminal = std::holds_alternative<v1::AuthMethodTerminal>(method);
    if (!terminal || client_.clientCapabilities.auth.terminal)
      response.authMethods.push_back(method);
  }
  response.agentInfo = config_->info;
  response._meta = config_->initialize_meta;
  connection_->held().engine().respond(id, [&](json::Writer& out) { json::write(out, response); });
}

void AgentRole::authenticate(const rpc::RequestId& id, JsonView params) {
  if (config_->auth_methods.empty()) return refuse_unknown(id, "authenticate");
  v1::AuthenticateRequest request;
  if (!decode(id, params, request)) return;
  bool listed = false;
  for (const v1::AuthMethod& method : config_->auth_methods)
    if (const auto* agent = std::get_if<v1::AuthMethodAgent>(&method))
      listed = listed || agent->id == request.methodId;
  if (!listed)
    return refuse(id, invalid_params("params.methodId", "one of authMethods", request.methodId));
  const CallPtr call = begin(id);
  run_then(
      config_->authenticate, call,
      [this](AgentCall&, v1::AuthenticateResponse&) { authenticated_ = true; }, Context(call),
      std::move(request));
}

void AgentRole::logout(const rpc::RequestId& id, JsonView params) {
  v1::LogoutRequest request;
  if (!decode(id, params, request)) return;
  const CallPtr call = begin(id);
  run_then(
      config_->logout, call, [this](AgentCall&, v1::LogoutResponse&) { authenticated_ = false; },
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
  if (method == "mcp/message" && config_->mcp_message) {
    v1::MessageMcpNotification notification;
    if (json::decode(params.text(), v1::MessageMcpNotification::json_type, &notification)) {
      log(LogEntry::Level::warning, "an invalid mcp/message was ignored");
      return true;
    }
    const CallPtr call = std::make_shared<AgentCall>(self());
    return run_notification(token, call, config_->mcp_message, Context(call), notification);
  }
  const auto extension = config_->notifications.find(method);
  if (extension != config_->notifications.end()) {
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
