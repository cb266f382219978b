// AgentHandle: sessions, and all that is asked of an agent beside them.
#include <unordered_set>

#include "acp/role/client/agent_calls.h"
#include "acp/role/paths.h"

namespace acp {

using Lock = io::Connection::Lock;
using detail::AgentProcess;
using detail::call;
using detail::call_within;
using detail::ClientSession;
using Phase = StartFailed::Phase;

// ---- sessions

namespace {

void require(bool offered, const char* method) {
  if (!offered) throw Refused(std::string("the agent does not offer ") + method);
}

void require_directories(const AgentProcess& agent, const std::string& cwd,
                         const std::vector<std::string>& additional) {
  if (!detail::is_absolute(cwd))
    throw Refused("cwd: expected an absolute path, got \"" + cwd + "\"");
  const auto& session = agent.info.agentCapabilities.sessionCapabilities;
  if (!additional.empty() && !session.additionalDirectories.has_value())
    throw Refused("additionalDirectories: the agent takes none");
  for (const std::string& directory : additional)
    if (!detail::is_absolute(directory))
      throw Refused("additionalDirectories: expected an absolute path, got \"" + directory + "\"");
}

void require_servers(const AgentProcess& agent, const std::vector<v1::McpServer>& servers) {
  const v1::McpCapabilities& can = agent.info.agentCapabilities.mcpCapabilities;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const v1::McpServer& server = servers[i];
    const auto* const stdio = std::get_if<v1::McpServerStdio>(&server);
    if (stdio != nullptr && !detail::is_absolute(stdio->command))
      throw Refused("mcpServers[" + std::to_string(i) +
                    "].command: expected an absolute path, got \"" + stdio->command + "\"");
    if (std::holds_alternative<v1::McpServerHttp>(server)) require(can.http, "MCP over HTTP");
    if (std::holds_alternative<v1::McpServerSse>(server)) require(can.sse, "MCP over SSE");
    if (std::holds_alternative<v1::McpServerAcp>(server)) require(can.acp, "MCP over ACP");
  }
}

// Asks the program which way to log in, and does it. False if it would not.
Task<bool> log_in(std::shared_ptr<AgentProcess> agent) {
  if (!agent->config->auth_required || agent->info.authMethods.empty()) co_return false;
  const auto chosen = std::make_shared<async::Completion<std::string>>();
  {
    Lock lock(*agent->connection);
    // Handlers of a connection that has ended would not be run any more.
    if (lock.ended()) throw ConnectionClosed("the connection ended before the login");
    agent->role->fail_at_end(chosen);
    chosen->home = agent->connection;
    chosen->helper = agent->connection;
    const auto call = std::make_shared<detail::ClientCall>(agent->role);
    agent->role->handlers().run(
        agent->config->auth_required,
        [chosen](std::string* method, std::exception_ptr error) {
          method ? void(chosen->settle(std::move(*method))) : void(chosen->fail(error));
        },
        ClientContext(call), agent->info.authMethods);
  }
  const std::string method = co_await Task<std::string>(chosen);
  if (method.empty()) co_return false;
  v1::AuthenticateRequest request;
  request.methodId = method;
  co_await call(agent, std::move(request));
  co_return true;
}

// A session's id may be used by the agent before the caller has it.
class Opening {
 public:
  explicit Opening(std::shared_ptr<AgentProcess> agent) : agent_(std::move(agent)) {
    Lock lock(*agent_->connection);
    agent_->role->opening_begins();
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;
  ~Opening() {
    Lock lock(*agent_->connection);
    agent_->role->opening_ends();
    lock.sent_something();
  }

 private:
  std::shared_ptr<AgentProcess> agent_;
};

// Opens a session; when the agent wants a login first, tries that once.
template <class Request>
Task<decltype(response_of(std::declval<Request>()))> open_with_login(
    std::shared_ptr<AgentProcess> agent, Request request) {
  using Response = decltype(response_of(request));
  std::exception_ptr refused;
  try {
    Task<Response> answer =
        call_within(agent, request, agent->config->session_time, Phase::session);
    co_return co_await std::move(answer);
  } catch (const CallFailed& failed) {
    if (failed.code() != rpc::auth_required) throw;
    refused = std::current_exception();
  }
  if (!co_await log_in(agent)) std::rethrow_exception(refused);
  Task<Response> again = call_within(agent, request, agent->config->session_time, Phase::session);
  co_return co_await std::move(again);
}

std::shared_ptr<ClientSession> make_session(const std::shared_ptr<AgentProcess>& agent,
                                            std::string id, std::string cwd,
                                            std::vector<std::string> directories) {
  auto session = std::make_shared<ClientSession>();
  session->agent = agent;
  session->id = std::move(id);
  session->cwd = std::move(cwd);
  session->directories = std::move(directories);
  if (agent->config->keep_state) session->state = std::make_unique<SessionState>();
  return session;
}

// With the lock.
template <class Response>
void settle(ClientSession& session, const Response& response) {
  if (response.modes.has_value()) session.modes = *response.modes;
  if (response.configOptions.has_value()) session.remember_options(*response.configOptions);
  if (session.state) session.state->start(response.modes, response.configOptions);
}

}  // namespace

namespace {

// session/new and session/fork: the agent gives the id.
template <class Request>
Task<std::shared_ptr<ClientSession>> open_new(std::shared_ptr<AgentProcess> agent,
                                              Request request) {
  using Response = decltype(response_of(request));
  require_directories(*agent, request.cwd, request.additionalDirectories);
  require_servers(*agent, request.mcpServers);
  const Opening until_known(agent);
  Task<Response> opening = open_with_login(agent, request);
  const Response response = co_await std::move(opening);
  const auto session = make_session(agent, response.sessionId, std::move(request.cwd),
                                    std::move(request.additionalDirectories));
  Lock lock(*agent->connection);
  settle(*session, response);
  agent->role->add_session(session);
  co_return session;
}

// session/load and session/resume: the id is known beforehand, and so are its updates.
template <class Request>
Task<std::shared_ptr<ClientSession>> reopen(std::shared_ptr<AgentProcess> agent, Request request) {
  using Response = decltype(response_of(request));
  require_directories(*agent, request.cwd, request.additionalDirectories);
  require_servers(*agent, request.mcpServers);
  const auto session =
      make_session(agent, request.sessionId, request.cwd, request.additionalDirectories);
  {
    Lock lock(*agent->connection);
    agent->role->add_session(session);
  }
  std::exception_ptr error;
  Response response;
  try {
    Task<Response> opening = open_with_login(agent, std::move(request));
    response = co_await std::move(opening);
  } catch (...) {
    error = std::current_exception();
  }
  Lock lock(*agent->connection);
  if (error) {
    agent->role->remove_session(session->id);
    std::rethrow_exception(error);
  }
  settle(*session, response);
  co_return session;
}

}  // namespace

Task<Session> AgentHandle::new_session_in(std::string cwd) const {
  v1::NewSessionRequest request;
  request.cwd = std::move(cwd);
  return new_session(request);
}

Task<Session> AgentHandle::new_session(const v1::NewSessionRequest& request) const {
  return [](std::shared_ptr<AgentProcess> agent, v1::NewSessionRequest request) -> Task<Session> {
    Task<std::shared_ptr<ClientSession>> opening = open_new(agent, std::move(request));
    co_return Session(co_await std::move(opening));
  }(process_, request);
}

Task<Session> AgentHandle::fork_session(const v1::ForkSessionRequest& request) const {
  return [](std::shared_ptr<AgentProcess> agent, v1::ForkSessionRequest request) -> Task<Session> {
    require(agent->info.agentCapabilities.sessionCapabilities.fork.has_value(), "session/fork");
    Task<std::shared_ptr<ClientSession>> opening = open_new(agent, std::move(request));
    co_return Session(co_await std::move(opening));
  }(process_, request);
}

Task<Session> AgentHandle::load_session(const v1::LoadSessionRequest& request) const {
  return [](std::shared_ptr<AgentProcess> agent, v1::LoadSessionRequest request) -> Task<Session> {
    require(agent->info.agentCapabilities.loadSession, "session/load");
    Task<std::shared_ptr<ClientSession>> opening = reopen(agent, std::move(request));
    co_return Session(co_await std::move(opening));
  }(process_, request);
}

Task<Session> AgentHandle::resume_session(const v1::ResumeSessionRequest& request) const {
  return [](std::shared_ptr<AgentProcess> agent,
            v1::ResumeSessionRequest request) -> Task<Session> {
    require(agent->info.agentCapabilities.sessionCapabilities.resume.has_value(), "session/resume");
    Task<std::shared_ptr<ClientSession>> opening = reopen(agent, std::move(request));
    co_return Session(co_await std::move(opening));
  }(process_, request);
}

Task<Session> AgentHandle::load_session(std::string id, std::string cwd) const {
  v1::LoadSessionRequest request;
  request.sessionId = std::move(id);
  request.cwd = std::move(cwd);
  return load_session(request);
}

// ---- everything else that an agent may offer

Task<std::vector<v1::SessionInfo>> AgentHandle::list_sessions() const {
  const v1::ListSessionsRequest all;
  return list_sessions(all);
}

Task<std::vector<v1::SessionInfo>> AgentHandle::list_sessions(
    const v1::ListSessionsRequest& filter) const {
  return [](std::shared_ptr<AgentProcess> agent,
            v1::ListSessionsRequest request) -> Task<std::vector<v1::SessionInfo>> {
    require(agent->info.agentCapabilities.sessionCapabilities.list.has_value(), "session/list");
    std::vector<v1::SessionInfo> all;
    constexpr std::size_t most_pages = 10'000;
    std::unordered_set<std::string> seen;
    if (request.cursor.has_value()) seen.insert(*request.cursor);
    while (true) {
      Task<v1::ListSessionsResponse> asking = call(agent, request);
      v1::ListSessionsResponse page = co_await std::move(asking);
      all.insert(all.end(), std::make_move_iterator(page.sessions.begin()),
                 std::make_move_iterator(page.sessions.end()));
      // One that does not move is the last.
      if (!page.nextCursor.has_value() ||
          (request.cursor.has_value() && *request.cursor == *page.nextCursor))
        co_return all;
      // Otherwise it would go on for ever.
      if (seen.size() == most_pages || !seen.insert(*page.nextCursor).second)
        throw CallFailed(rpc::internal_error,
                         seen.size() == most_pages
                             ? "session/list has no end: there are more than " +
                                   std::to_string(most_pages) + " pages"
                             : "session/list has no end: nextCursor is \"" + *page.nextCursor +
                                   "\" for the second time");
      request.cursor = *page.nextCursor;
    }
  }(process_, filter);
}

Task<void> AgentHandle::delete_session(std::string id) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string id) -> Task<void> {
    require(agent->info.agentCapabilities.sessionCapabilities.delete_.has_value(),
            "session/delete");
    v1::DeleteSessionRequest request;
    request.sessionId = std::move(id);
    try {
      co_await call(agent, request);
    } catch (const CallFailed& failed) {
      if (failed.code() != rpc::not_found) throw;  // what is not there is deleted
    }
  }(process_, std::move(id));
}

Task<void> AgentHandle::authenticate(std::string method_id) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string method_id) -> Task<void> {
    bool listed = false;
    for (const v1::AuthMethod& method : agent->info.authMethods) {
      if (const auto* own = std::get_if<v1::AuthMethodAgent>(&method))
        listed = listed || own->id == method_id;
      if (const auto* terminal = std::get_if<v1::AuthMethodTerminal>(&method))
        if (terminal->id == method_id)
          throw Refused("methodId: \"" + method_id +
                        "\" is done in a terminal, not by authenticate");
    }
    if (!listed) throw Refused("methodId: the agent has no method \"" + method_id + "\"");
    v1::AuthenticateRequest request;
    request.methodId = std::move(method_id);
    co_await call(agent, std::move(request));
  }(process_, std::move(method_id));
}

Task<void> AgentHandle::logout() const {
  return [](std::shared_ptr<AgentProcess> agent) -> Task<void> {
    require(agent->info.agentCapabilities.auth.logout.has_value(), "logout");
    const v1::LogoutRequest request;
    co_await call(agent, request);
  }(process_);
}

Task<void> AgentHandle::archive_session(std::string id) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string id) -> Task<void> {
    require(agent->info.agentCapabilities.sessionCapabilities.archive.has_value(),
            "session/archive");
    v1::ArchiveSessionRequest request;
    request.sessionId = std::move(id);
    co_await call(agent, std::move(request));
  }(process_, std::move(id));
}

Task<void> AgentHandle::unarchive_session(std::string id) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string id) -> Task<void> {
    require(agent->info.agentCapabilities.sessionCapabilities.archive.has_value(),
            "session/unarchive");
    v1::UnarchiveSessionRequest request;
    request.sessionId = std::move(id);
    co_await call(agent, std::move(request));
  }(process_, std::move(id));
}

Task<v1::SessionStatus> AgentHandle::session_status(std::string id) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string id) -> Task<v1::SessionStatus> {
    require(agent->info.agentCapabilities.sessionCapabilities.status.has_value(), "session/status");
    v1::SessionStatusRequest request;
    request.sessionId = std::move(id);
    const v1::SessionStatusResponse response = co_await call(agent, std::move(request));
    co_return response.status;
  }(process_, std::move(id));
}

Task<std::string> AgentHandle::set_title(std::string id, std::string title) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string id,
            std::string title) -> Task<std::string> {
    require(agent->info.agentCapabilities.sessionCapabilities.title.has_value(),
            "session/set_title");
    v1::SetSessionTitleRequest request;
    request.sessionId = std::move(id);
    request.title = std::move(title);
    const v1::SetSessionTitleResponse response = co_await call(agent, std::move(request));
    co_return response.title;
  }(process_, std::move(id), std::move(title));
}

Task<v1::AuthStatusResponse> AgentHandle::auth_status() const {
  return [](std::shared_ptr<AgentProcess> agent) -> Task<v1::AuthStatusResponse> {
    require(agent->info.agentCapabilities.auth.status.has_value(), "auth/status");
    const v1::AuthStatusRequest request;
    co_return co_await call(agent, request);
  }(process_);
}

Task<std::vector<v1::ProviderInfo>> AgentHandle::list_providers() const {
  return [](std::shared_ptr<AgentProcess> agent) -> Task<std::vector<v1::ProviderInfo>> {
    require(agent->info.agentCapabilities.providers.has_value(), "providers/list");
    const v1::ListProvidersRequest request;
    v1::ListProvidersResponse response = co_await call(agent, request);
    co_return std::move(response.providers);
  }(process_);
}

Task<void> AgentHandle::set_provider(const v1::SetProviderRequest& request) const {
  return [](std::shared_ptr<AgentProcess> agent, v1::SetProviderRequest request) -> Task<void> {
    require(agent->info.agentCapabilities.providers.has_value(), "providers/set");
    co_await call(agent, std::move(request));
  }(process_, request);
}

Task<void> AgentHandle::disable_provider(std::string id) const {
  return [](std::shared_ptr<AgentProcess> agent, std::string id) -> Task<void> {
    require(agent->info.agentCapabilities.providers.has_value(), "providers/disable");
    v1::DisableProviderRequest request;
    request.providerId = std::move(id);
    co_await call(agent, std::move(request));
  }(process_, std::move(id));
}

// ---- the connection

const AgentId& AgentHandle::id() const { return process_->role->agent_id; }
const v1::InitializeResponse& AgentHandle::info() const { return process_->info; }
bool AgentHandle::takes(const v1::McpServer& server) const {
  const v1::McpCapabilities& can = capabilities().mcpCapabilities;
  if (std::holds_alternative<v1::McpServerHttp>(server)) return can.http;
  if (std::holds_alternative<v1::McpServerSse>(server)) return can.sse;
  if (std::holds_alternative<v1::McpServerAcp>(server)) return can.acp;
  Lock lock(*process_->connection);
  return process_->role->takes_stdio_servers();
}
Peer AgentHandle::peer() const { return Peer({process_->connection, nullptr, 0}); }
void AgentHandle::close() const { process_->close(); }
bool AgentHandle::connected() const {
  Lock lock(*process_->connection);
  return !lock.ended();
}
std::optional<io::ExitStatus> AgentHandle::exit_status() const {
  return process_->process.exit_status();
}
std::string AgentHandle::stderr_tail() const { return process_->process.stderr_tail(); }
int AgentHandle::process_id() const { return process_->process.id(); }
bool AgentHandle::ready() const {
  Lock lock(*process_->connection);
  return process_->ready;
}
std::vector<PollInterest> AgentHandle::poll_interests() const {
  return process_->connection->watches();
}
int AgentHandle::timeout() const { return process_->connection->timeout(); }
void AgentHandle::dispatch() const { process_->connection->dispatch(); }

}  // namespace acp
