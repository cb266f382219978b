#include "acp/client.h"

#include <stdexcept>

#include "acp/role/client/client_role.h"
#include "acp/role/meta.h"

namespace acp {

// ---- ClientContext

std::stop_token ClientContext::stop_token() const { return call_->stop_token(); }
bool ClientContext::cancelled() const {
  const io::Connection::Lock lock(*call_->connection);
  return call_->cancelled;
}
const std::string& ClientContext::session_id() const { return call_->session_id; }
Peer ClientContext::peer() const { return Peer(call_->link()); }

// With the lock. Null if nobody holds it.
const detail::ClientSession* ClientContext::session() const {
  const auto& sessions = call_->role->sessions_;
  const auto found = sessions.find(call_->session_id);
  return found == sessions.end() ? nullptr : found->second;
}

std::string ClientContext::cwd() const {
  const io::Connection::Lock lock(*call_->connection);
  const detail::ClientSession* const known = session();
  return known ? known->cwd : std::string();
}

std::vector<std::string> ClientContext::additional_directories() const {
  const io::Connection::Lock lock(*call_->connection);
  const detail::ClientSession* const known = session();
  return known ? known->directories : std::vector<std::string>();
}

void ClientContext::with_state(const std::function<void(const SessionState&)>& look) const {
  const io::Connection::Lock lock(*call_->connection);
  const detail::ClientSession* const known = session();
  if (known && known->state) look(*known->state);
}

// ---- Client

Client::Client(std::string name, std::string version) : config_(std::make_shared<Config>()) {
  config_->connection.engine.streamed_method = "session/update";
  config_->info.name = std::move(name);
  config_->info.version = std::move(version);
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

namespace {
using AgentHook = std::function<void(const AgentId&, std::string_view)>;
}

#define ACP_SET(function, type, part)    \
  Client& Client::function(type value) { \
    config_->part = std::move(value);    \
    return *this;                        \
  }
#define ACP_HANDLER(function, part, result, request)                                  \
  Client& Client::function(Handler<v1::result(ClientContext, v1::request)> handler) { \
    config_->part = std::move(handler);                                               \
    return *this;                                                                     \
  }
#define ACP_NOTIFIED(function, part, notification)                                   \
  Client& Client::function(Handler<void(ClientContext, v1::notification)> handler) { \
    config_->part = std::move(handler);                                              \
    return *this;                                                                    \
  }
#define ACP_TAKES(function, part)         \
  Client& Client::function() {            \
    config_->capabilities.part.emplace(); \
    return *this;                         \
  }

ACP_SET(title, std::string, info.title)
Client& Client::on_permission(
    Handler<Decision(ClientContext, v1::RequestPermissionRequest)> handler) {
  config_->permission = std::move(handler);
  return *this;
}
ACP_HANDLER(on_read_text_file, read_text_file, ReadTextFileResponse, ReadTextFileRequest)
ACP_HANDLER(on_write_text_file, write_text_file, WriteTextFileResponse, WriteTextFileRequest)
ACP_SET(on_terminals, TerminalHandlers, terminals)
ACP_HANDLER(on_elicitation_form, form, CreateElicitationResponse, CreateElicitationRequest)
ACP_HANDLER(on_elicitation_url, url, CreateElicitationResponse, CreateElicitationRequest)
ACP_NOTIFIED(on_elicitation_complete, elicitation_complete, CompleteElicitationNotification)
ACP_SET(on_state_changed, Handler<void(ClientContext)>, state_changed)
ACP_NOTIFIED(on_update, update, SessionNotification)
ACP_NOTIFIED(on_auth_status, auth_status, AuthStatusUpdateNotification)
ACP_HANDLER(on_mcp_message, mcp_message, MessageMcpResponse, MessageMcpRequest)
Client& Client::on_auth_required(
    Handler<std::string(ClientContext, std::vector<v1::AuthMethod>)> handler) {
  config_->auth_required = std::move(handler);
  return *this;
}
ACP_TAKES(takes_plans, plan)
ACP_TAKES(takes_subagents, subagents)
ACP_SET(handshake_time, std::chrono::milliseconds, handshake_time)
ACP_SET(session_time, std::chrono::milliseconds, session_time)
ACP_SET(exit_time, std::chrono::milliseconds, exit_time)
ACP_SET(framing, rpc::Framing, connection.engine.framing)
ACP_SET(max_message_bytes, std::size_t, connection.engine.max_message_bytes)
ACP_SET(executor, std::shared_ptr<Executor>, connection.executor)
ACP_SET(tap, Tap, connection.tap)
ACP_SET(on_log, LogHook, log)
ACP_SET(on_stderr, AgentHook, stderr_hook)
ACP_SET(on_disconnected, AgentHook, disconnected)
ACP_SET(keep_state, bool, keep_state)

#undef ACP_SET
#undef ACP_HANDLER
#undef ACP_NOTIFIED
#undef ACP_TAKES

namespace {
v1::ClientSessionCapabilities& session_capabilities(v1::ClientCapabilities& capabilities) {
  if (!capabilities.session.has_value()) capabilities.session.emplace();
  return *capabilities.session;
}
void check_extension(const std::string& method) {
  if (!method.starts_with('_') && !method.starts_with("proxy/"))
    throw std::invalid_argument("extension methods begin with `_`: " + method);
}
}  // namespace

Client& Client::takes_boolean_options() {
  v1::ClientSessionCapabilities& session = session_capabilities(config_->capabilities);
  session.configOptions.emplace();
  session.configOptions->boolean.emplace();
  return *this;
}
Client& Client::takes_notices() {
  session_capabilities(config_->capabilities).notices.emplace();
  return *this;
}
Client& Client::takes_compactions() {
  session_capabilities(config_->capabilities).compaction.emplace();
  return *this;
}
Client& Client::terminal_authentication() {
  config_->capabilities.auth.terminal = true;
  return *this;
}

Client& Client::capability_meta(std::string key, Json value) {
  detail::require_namespaced(key);
  config_->capabilities._meta.set(key, value);
  return *this;
}
Client& Client::initialize_meta(Json meta) {
  detail::require_object("initialize_meta", meta);
  config_->initialize_meta = std::move(meta);
  return *this;
}

Client& Client::on_request(std::string method, Handler<Json(ClientContext, Json)> handler) {
  check_extension(method);
  config_->requests[std::move(method)] = std::move(handler);
  return *this;
}
Client& Client::on_notification(std::string method, Handler<void(ClientContext, Json)> handler) {
  check_extension(method);
  config_->notifications[std::move(method)] = std::move(handler);
  return *this;
}

}  // namespace acp
