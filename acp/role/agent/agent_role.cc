#include "acp/role/agent/agent_role.h"

#include <algorithm>
#include <cstdio>

#include "acp/io/printable.h"
#include "acp/json/codec.h"
#include "acp/role/agent/agent_updates.h"
#include "acp/role/meta.h"

namespace acp::detail {

namespace {

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
  for (const v1::AuthMethod& method : config_->auth_methods) append(methods, method);
  return Error(rpc::auth_required, "Authentication required",
               Json::object({{"reason", "auth_required"}, {"authMethods", methods}}));
}

void AgentRole::append(Json& methods, const v1::AuthMethod& method) const {
  const Json written =
      version_2_ ? version_2_->auth_method(method) : Json::from_valid(json::encode(method));
  if (!written.absent()) methods.append(written);
}

rpc::ErrorObject AgentRole::to_error(const Call& call, std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const AuthRequired&) {
    const Error required = auth_required();
    return {required.code(), required.what(), required.data()};
  } catch (...) {
    rpc::ErrorObject made = AnsweringRole::to_error(call, error);
    // A program lists them in version 1's words.
    if (version_2_ && made.code == rpc::auth_required && made.data["authMethods"].is_array()) {
      Json methods = Json::array();
      for (JsonView listed : made.data["authMethods"].elements()) {
        v1::AuthMethod method;
        if (!json::decode(listed.text(), v1::AuthMethod::json_type, &method))
          append(methods, method);
        else
          methods.append(Json(listed));
      }
      made.data.set("authMethods", methods);
    }
    return made;
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
  asked_more_ = true;
  if (!version_2_) return answer_request(id, method, params);
  if (!is_plain_id(id.json())) return refuse_id(id);
  wire_method_ = method;
  try {
    const AgentDialect::Request request = version_2_->read(method, params);
    if (request.done) return answer(*begin(id), Json::object({}));
    silent_ = request.silent;
    answer_request(id, request.method, request.params.view());
  } catch (const Error& error) {
    refuse(id, error);
  }
}

void AgentRole::refuse_id(const rpc::RequestId& id) {
  connection_->held().engine().fail_unnamed(
      id, {rpc::invalid_request, "Invalid request: an id is a string or an integer", {}});
}

void AgentRole::refuse_unknown(const rpc::RequestId& id, std::string_view method) {
  AnsweringRole::refuse_unknown(id, version_2_ ? std::string_view(wire_method_) : method);
}

void AgentRole::write_result(Call& call, json::Writer& out, const json::Type& type,
                             const void* result) {
  if (!version_2_) return AnsweringRole::write_result(call, out, type, result);
  version_2_->write_result(static_cast<AgentCall&>(call), out, type, result);
}

AgentSession* AgentRole::find_session(const std::string& id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

void AgentRole::answer_request(const rpc::RequestId& id, std::string_view method, JsonView params) {
  const bool session_method = method.starts_with("session/");
  if (session_method && config_->require_authentication && !authenticated_ &&
      method != "session/list")
    return refuse(id, auth_required());
  if (version_2_ && baseline_of_version_2(id, method, params)) return;
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

std::shared_ptr<AgentSession> AgentRole::session_at_work(const std::string& id) const {
  const auto found = sessions_.find(id);
  if (found != sessions_.end()) return found->second;
  for (const auto& call : active())
    if (const auto& session = static_cast<AgentCall&>(*call).session; session && session->id == id)
      return session;
  return nullptr;
}

Refused AgentRole::refused_work(std::string_view what) const {
  if (!version_2_) return Refused("the client does not offer " + std::string(what));
  return Refused("the client speaks version 2 of the protocol, which has no " + std::string(what) +
                 " of the client: with acp::workspace::serve_locally(agent) the agent does this on "
                 "its own machine");
}

// What every agent of version 2 has, with a handler or without.
bool AgentRole::baseline_of_version_2(const rpc::RequestId& id, std::string_view method,
                                      JsonView params) {
  if (method == "session/list" && !config_->list_sessions) {
    v1::ListSessionsRequest request;
    if (!decode(id, params, request)) return true;
    if (request.cursor.has_value()) {
      refuse(id, invalid_params("params.cursor", "one that came from here", *request.cursor));
      return true;
    }
    v1::ListSessionsResponse response;
    for (const auto& [session_id, session] : sessions_) {
      if (request.cwd.has_value() && *request.cwd != session->cwd) continue;
      v1::SessionInfo info;
      info.sessionId = session_id;
      info.cwd = session->cwd;
      info.additionalDirectories = session->directories;
      response.sessions.push_back(std::move(info));
    }
    answer(*begin(id), response);
    return true;
  }
  if (method == "session/resume" && !config_->resume_session) {
    v1::ResumeSessionRequest request;
    if (!decode(id, params, request)) return true;
    const auto session = session_of(id, request.sessionId);
    if (!session) return true;
    version_2_->report_state(*session);
    const CallPtr call = begin(id);
    call->session = session;
    answer(*call, v1::ResumeSessionResponse());
    return true;
  }
  if (method == "logout" && !config_->logout && !config_->auth_methods.empty()) {
    logout(id, params);
    return true;
  }
  return false;
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

// The highest one that both speak. An agent with version 1 alone answers with that in any case: the
// client closes if it cannot speak it.
std::optional<int> AgentRole::choose_version(std::int64_t asked) const {
  const std::vector<int>& ours = config_->versions;
  if (ours == std::vector{1}) return 1;
  const auto above = std::upper_bound(ours.begin(), ours.end(), asked);
  if (above == ours.begin()) return std::nullopt;
  return *std::prev(above);
}

void AgentRole::initialize(const rpc::RequestId& id, JsonView params) {
  const bool again = initialized_;
  // A client that asked for another version than it got may ask again; in version 2 any may.
  const bool has_its_version = !version_2_ && client_.protocolVersion <= 1;
  if (again && (asked_more_ || has_its_version))
    return refuse(id, rpc::invalid_request, "Invalid request: the connection is initialized");
  v1::InitializeRequest request;
  if (!decode(id, params, request)) return;
  if (again && version_2_ && request.protocolVersion < 2)
    return refuse(id, rpc::invalid_request,
                  "Invalid request: version 2 was chosen, and stays when initialize is repeated");
  const std::optional<int> version = choose_version(request.protocolVersion);
  if (!version) {
    Json supported = Json::array();
    for (const int one : config_->versions) supported.append(one);
    return refuse(id, rpc::unsupported_version, "Unsupported protocol version",
                  Json::object({{"requested", request.protocolVersion}, {"supported", supported}}));
  }
  std::unique_ptr<AgentDialect> made;
  if (!version_2_ && config_->make_version_2 != nullptr) made = config_->make_version_2(*this);
  AgentDialect* const dialect = version_2_ ? version_2_.get() : made.get();
  if (*version == 2) {
    if (!is_plain_id(id.json())) return refuse_id(id);
    auto read = dialect->read_initialize(params, request.protocolVersion);
    if (const auto* fault = std::get_if<Error>(&read)) return refuse(id, *fault);
    request = std::get<v1::InitializeRequest>(std::move(read));
    if (config_->own_machine) {
      auto& offered = request.clientCapabilities;
      offered.fs.readTextFile = offered.fs.writeTextFile = offered.terminal = true;
    }
    if (made) version_2_ = std::move(made);
  } else if (request.protocolVersion > 1 && dialect != nullptr) {
    if (auto read = dialect->read_as_version_1(params)) request = std::move(*read);
  }
  client_ = std::move(request);
  initialized_ = true;
  v1::InitializeResponse response;
  response.protocolVersion = static_cast<v1::ProtocolVersion>(*version);
  response.agentCapabilities = capabilities();
  for (const v1::AuthMethod& method : config_->auth_methods) {
    const bool terminal = std::holds_alternative<v1::AuthMethodTerminal>(method);
    if (!terminal || client_.clientCapabilities.auth.terminal)
      response.authMethods.push_back(method);
  }
  response.agentInfo = config_->info;
  response._meta = config_->initialize_meta;
  connection_->held().engine().respond(id, [&](json::Writer& out) {
    version_2_ ? version_2_->write_initialized(out, response) : json::write(out, response);
  });
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

void AgentRole::on_input_ended(const std::string& reason) {
  log(LogEntry::Level::debug, reason);
  input_ended_ = true;
  // There is nobody to show it to.
  auto background = std::exchange(background_, {});
  for (const auto& tool_call : background) tool_call->call->cancel();
  if (!background.empty()) connection_->held().unlocked([background = std::move(background)] {});
  if (AnsweringRole::handlers_running() == 0) on_idle();
}

void AgentRole::on_drain_over() {
  for (const auto& [id, session] : sessions_) cancel_turns(*session);
  for (const auto& call : active()) {
    call->cancel();
    stop_deferring(static_cast<AgentCall&>(*call));
  }
  if (version_2_) version_2_->shut_down();
}

// The agent's own machine goes when no handler needs it any more, and the connection after it.
void AgentRole::on_idle() {
  if (input_ended_ && version_2_) version_2_->shut_down();
}

std::size_t AgentRole::handlers_running() const {
  return AnsweringRole::handlers_running() + (version_2_ && version_2_->holds_machine() ? 1 : 0);
}

}  // namespace acp::detail
