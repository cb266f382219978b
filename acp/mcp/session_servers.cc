#include "acp/mcp/session_servers.h"

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "acp/agent.h"
#include "acp/mcp/servers.h"
#include "acp/schema/v1.h"

namespace acp::mcp {

struct SessionServers::State {
  std::string name, version;
  std::function<void(const std::string&, const std::string&)> trouble;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Servers>> of_session;

  // Gives what stood there, so that it is left without the lock.
  std::shared_ptr<const Servers> exchange(const std::string& session,
                                          std::shared_ptr<const Servers> servers) {
    const std::lock_guard lock(mutex);
    if (servers != nullptr) {
      std::swap(of_session[session], servers);
    } else if (const auto found = of_session.find(session); found != of_session.end()) {
      servers = std::move(found->second);
      of_session.erase(found);
    }
    return servers;
  }
};

SessionServers::SessionServers(std::string name, std::string version)
    : state_(std::make_shared<State>()) {
  state_->name = std::move(name);
  state_->version = std::move(version);
}

SessionServers& SessionServers::on_trouble(
    std::function<void(const std::string&, const std::string&)> hook) {
  state_->trouble = std::move(hook);
  return *this;
}

SessionServers& SessionServers::install(Agent& agent) {
  v1::McpCapabilities transports;
  transports.http = transports.sse = true;
  agent.mcp_capabilities(std::move(transports))
      .on_new_session(blocking(
          [servers = *this](SessionContext session, v1::NewSessionRequest request) mutable {
            servers.open(session, std::move(request.mcpServers));
          }))
      .on_close_session(
          blocking([servers = *this](Context, v1::CloseSessionRequest request) mutable {
            servers.close(request.sessionId);
          }));
  return *this;
}

void SessionServers::open(const SessionContext& session, std::vector<v1::McpServer> configs) {
  std::shared_ptr<const Servers> servers;
  if (!configs.empty()) {
    Client client(state_->name, state_->version);
    std::vector<std::string> directories = session.additional_directories();
    directories.insert(directories.begin(), session.cwd());
    client.roots(std::move(directories)).cwd(session.cwd());
    ServersOptions options;
    options.start_time = std::chrono::seconds(10);
    if (state_->trouble)
      options.on_slow = [trouble = state_->trouble](const std::vector<std::string>& names) {
        for (const std::string& name : names)
          trouble(name, "it has not answered yet; the session waits ten seconds for it");
      };
    options.on_event = [trouble = state_->trouble](const ServersEvent& event) {
      using Kind = ServersEvent::Kind;
      if (trouble && (event.kind == Kind::failed || event.kind == Kind::lost))
        trouble(event.server, event.reason);
    };
    servers = std::make_shared<Servers>(client, std::move(configs), std::move(options));
  }
  state_->exchange(session.session_id(), std::move(servers));
}

void SessionServers::close(const std::string& session) { state_->exchange(session, nullptr); }

std::shared_ptr<const Servers> SessionServers::find(const std::string& session) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->of_session.find(session);
  return found == state_->of_session.end() ? nullptr : found->second;
}

std::string SessionServers::describe(const std::string& session) const {
  std::string text;
  const std::shared_ptr<const Servers> servers = find(session);
  if (servers == nullptr) return text;
  for (const auto& [server, tool] : servers->tools()) text += server + ": " + tool.name + "\n";
  for (const auto& [server, reason] : servers->failures())
    text += server + ": not connected: " + reason + "\n";
  return text;
}

}  // namespace acp::mcp
