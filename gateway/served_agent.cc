#include "gateway/served_agent.h"

#include <memory>
#include <set>
#include <string>

#include "acp/proxy.h"

namespace acp::gateway {

namespace {

void check_directory(JsonView path, const char* name, const Roots& roots) {
  if (path.absent() || path.is_null()) return;
  const std::string text = path.as_string().value_or("");
  if (!roots.hold(text))
    throw permission_denied(std::string(name) + ": " + text + " is not in " + roots.list() +
                            ", where this server lets agents work (acp serve --root)");
}

void check_servers(JsonView servers) {
  for (JsonView server : servers.elements()) {
    const std::string type = server["type"].as_string().value_or("stdio");
    if (type == "stdio")
      throw permission_denied("mcpServers: " + server["name"].as_string().value_or("a server") +
                              " is a program, and this server starts none that a client names (acp "
                              "serve --client-mcp)");
  }
}

// The sessions of one client. Its requests come one at a time, so there is no lock.
struct OpenSessions {
  std::set<std::string> ids;
  std::size_t opening = 0;
};

Task<Json> open_session(ProxyRequest request, const ServedAgentOptions& options,
                        std::shared_ptr<OpenSessions> sessions) {
  const Json& params = request.params();
  check_directory(params["cwd"], "cwd", *options.roots);
  for (JsonView directory : params["additionalDirectories"].elements())
    check_directory(directory, "additionalDirectories", *options.roots);
  if (!options.client_mcp) check_servers(params["mcpServers"]);
  if (sessions->ids.size() + sessions->opening >= options.max_sessions)
    throw permission_denied("this server lets a client have " +
                            std::to_string(options.max_sessions) + " sessions (acp serve --help)");
  struct Opening {
    explicit Opening(std::size_t& count) : count(count) { ++count; }
    ~Opening() { --count; }
    std::size_t& count;
  } const opening(sessions->opening);
  Json answer = co_await request.forward();
  const auto made = answer["sessionId"].as_string();
  sessions->ids.insert(made ? *made : params["sessionId"].as_string().value_or(""));
  co_return answer;
}

Task<Json> close_session(ProxyRequest request, std::shared_ptr<OpenSessions> sessions) {
  Json answer = co_await request.forward();
  sessions->ids.erase(request.params()["sessionId"].as_string().value_or(""));
  co_return answer;
}

}  // namespace

void serve_agent(Transport client, const ServedAgentOptions& options) {
  Proxy proxy;
  const auto sessions = std::make_shared<OpenSessions>();
  for (const char* method : {"session/new", "session/load", "session/resume", "session/fork"})
    proxy.on_request(method, [&options, sessions](ProxyRequest request) {
      return open_session(std::move(request), options, sessions);
    });
  for (const char* method : {"session/close", "session/delete"})
    proxy.on_request(method, [sessions](ProxyRequest request) {
      return close_session(std::move(request), sessions);
    });
  if (options.log) proxy.on_log(options.log);
  if (options.on_stderr) proxy.on_stderr(options.on_stderr);
  proxy.run(std::move(client), options.agent);
}

}  // namespace acp::gateway
