#include "acp/agent.h"

#include <stdexcept>

#include "acp/role/agent/agent_role.h"
#include "acp/role/meta.h"

namespace acp {

Agent::Agent(std::string name, std::string version) : config_(std::make_shared<Config>()) {
  config_->info.name = std::move(name);
  config_->info.version = std::move(version);
}
Agent::Agent(Agent&&) noexcept = default;
Agent& Agent::operator=(Agent&&) noexcept = default;
Agent::~Agent() = default;

// One line for each setter: the part it sets, and itself again.
#define ACP_SET(function, type, part)  \
  Agent& Agent::function(type value) { \
    config_->part = std::move(value);  \
    return *this;                      \
  }
#define ACP_HANDLER(method, name, Type, Context, way, capability)                            \
  Agent& Agent::on_##name(Handler<v1::Type##Response(Context, v1::Type##Request)> handler) { \
    config_->name = std::move(handler);                                                      \
    return *this;                                                                            \
  }
#define ACP_JOINT(...)

ACP_AGENT_METHODS(ACP_HANDLER, ACP_JOINT)
ACP_SET(title, std::string, info.title)
ACP_SET(config_options, std::vector<v1::SessionConfigOption>, config_options)
ACP_SET(commands, std::vector<AvailableCommand>, commands)
ACP_SET(prompt_capabilities, v1::PromptCapabilities, prompt_capabilities)
ACP_SET(mcp_servers, McpServers, mcp_servers)
ACP_SET(own_machine, MakeOwnMachine, own_machine)
ACP_SET(second_prompt, SecondPrompt, second_prompt)
ACP_SET(prompt_insertion, PromptInsertion, prompt_insertion)
ACP_SET(framing, rpc::Framing, connection.engine.framing)
ACP_SET(max_message_bytes, std::size_t, connection.engine.max_message_bytes)
ACP_SET(executor, std::shared_ptr<Executor>, connection.executor)
ACP_SET(tap, Tap, connection.tap)
ACP_SET(on_log, LogHook, log)

#undef ACP_SET
#undef ACP_HANDLER
#undef ACP_JOINT

Agent& Agent::on_prompt(Handler<v1::PromptResponse(Turn)> handler) {
  config_->prompt = std::move(handler);
  config_->prompt.set_blocks();  // a turn takes its time
  return *this;
}

Agent& Agent::on_prompt_task(std::function<Task<StopReason>(Turn)> function) {
  return on_prompt(Handler<v1::PromptResponse(Turn)>(std::move(function)));
}

Agent& Agent::on_prompt_function(std::function<StopReason(Turn)> function) {
  return on_prompt(Handler<v1::PromptResponse(Turn)>(std::move(function)));
}

Agent& Agent::on_archive_session(
    Handler<v1::ArchiveSessionResponse(Context, v1::ArchiveSessionRequest)> archive,
    Handler<v1::UnarchiveSessionResponse(Context, v1::UnarchiveSessionRequest)> unarchive) {
  config_->archive_session = std::move(archive);
  config_->unarchive_session = std::move(unarchive);
  return *this;
}

Agent& Agent::modes(std::vector<v1::SessionMode> modes, std::string current) {
  config_->modes.emplace();
  config_->modes->availableModes = std::move(modes);
  config_->modes->currentModeId = std::move(current);
  return *this;
}

Agent& Agent::auth_method(v1::AuthMethod method) {
  config_->auth_methods.push_back(std::move(method));
  return *this;
}

Agent& Agent::require_authentication() {
  config_->require_authentication = true;
  return *this;
}

Agent& Agent::on_providers(
    Handler<v1::ListProvidersResponse(Context, v1::ListProvidersRequest)> list,
    Handler<v1::SetProviderResponse(Context, v1::SetProviderRequest)> set,
    Handler<v1::DisableProviderResponse(Context, v1::DisableProviderRequest)> disable) {
  config_->list_providers = std::move(list);
  config_->set_provider = std::move(set);
  config_->disable_provider = std::move(disable);
  return *this;
}

Agent& Agent::mcp_capabilities(v1::McpCapabilities capabilities) {
  config_->mcp_capabilities = std::move(capabilities);
  if (!config_->mcp_servers) config_->mcp_servers = McpServers::used;
  return *this;
}

Agent& Agent::capability_meta(std::string key, Json value) {
  detail::require_namespaced(key);
  config_->capability_meta.set(key, value);
  return *this;
}

Agent& Agent::initialize_meta(Json meta) {
  detail::require_object("initialize_meta", meta);
  config_->initialize_meta = std::move(meta);
  return *this;
}

Agent& Agent::on_mcp_message(Handler<void(Context, v1::MessageMcpNotification)> handler) {
  config_->mcp_message = std::move(handler);
  config_->mcp_capabilities.acp = true;
  if (!config_->mcp_servers) config_->mcp_servers = McpServers::used;
  return *this;
}

namespace {
void check_extension(const std::string& method) {
  if (!method.starts_with('_') && !method.starts_with("proxy/"))
    throw std::invalid_argument("extension methods begin with `_`: " + method);
}
}  // namespace

Agent& Agent::on_request(std::string method, Handler<Json(Context, Json)> handler) {
  check_extension(method);
  config_->requests[std::move(method)] = std::move(handler);
  return *this;
}

Agent& Agent::on_notification(std::string method, Handler<void(Context, Json)> handler) {
  check_extension(method);
  config_->notifications[std::move(method)] = std::move(handler);
  return *this;
}

Agent& Agent::additional_directories() {
  config_->additional_directories = true;
  return *this;
}

Agent& Agent::open_option(std::string id) {
  config_->open_options.insert(std::move(id));
  return *this;
}
Agent& Agent::accept_set_model() {
  config_->accept_set_model = true;
  return *this;
}
Agent& Agent::system_prompt(bool with_override) {
  config_->system_prompt = true;
  config_->system_prompt_override = with_override;
  return *this;
}

// ---- running

AgentConnection Agent::open(Transport transport, bool own_threads) {
  if (!config_->prompt) throw std::logic_error("an agent needs on_prompt");
  io::ConnectionOptions options = config_->connection;
  options.own_threads = own_threads;
  auto connection = io::Connection::open(std::move(transport), std::move(options));
  // A copy: what is installed later is for later connections.
  connection->start(
      std::make_shared<detail::AgentRole>(std::make_shared<Config>(*config_), connection));
  return AgentConnection(std::move(connection));
}

AgentConnection Agent::start(Transport transport) { return open(std::move(transport), true); }
AgentConnection Agent::attach(Transport transport) { return open(std::move(transport), false); }
int Agent::run(Transport transport) { return start(std::move(transport)).wait() ? 0 : 1; }

AgentConnection::AgentConnection(std::shared_ptr<io::Connection> connection)
    : connection_(std::move(connection)) {}
AgentConnection::AgentConnection(AgentConnection&&) noexcept = default;
AgentConnection& AgentConnection::operator=(AgentConnection&& other) noexcept {
  if (this == &other) return *this;
  const AgentConnection old(std::move(*this));
  connection_ = std::move(other.connection_);
  return *this;
}
AgentConnection::~AgentConnection() {
  if (!connection_) return;
  connection_->close();
  wait();
}

Peer AgentConnection::peer() const { return Peer({connection_, nullptr, 0}); }
bool AgentConnection::wait() { return connection_->wait_finished(); }
void AgentConnection::close() { connection_->close(); }
bool AgentConnection::finished() const { return connection_->finished(); }
std::vector<PollInterest> AgentConnection::poll_interests() const { return connection_->watches(); }
int AgentConnection::timeout() const { return connection_->timeout(); }
void AgentConnection::dispatch() { connection_->dispatch(); }

}  // namespace acp
