#include "gateway/served_agent.h"

#include <memory>
#include <utility>

#include "acp/proxy.h"

namespace acp::gateway {

namespace {

// Hooks that are under way have it, too.
using Sessions = std::shared_ptr<ClientSessions>;

Task<Json> open_session(ProxyRequest request, Sessions sessions) {
  if (request.sender() != Sender::client) co_return co_await request.forward();
  ClientSessions::Opening opening(*sessions, request.method(), request.params());
  Json answer = co_await request.forward();
  opening.done(answer);
  co_return answer;
}

Task<Json> end_session(ProxyRequest request, Sessions sessions) {
  if (request.sender() == Sender::client) {
    if (request.method() == "session/delete")
      sessions->require_listed(request.params());
    else
      sessions->require_own(request.params());
  }
  Json answer = co_await request.forward();
  if (request.sender() == Sender::client) sessions->closed(request.params());
  co_return answer;
}

Task<Json> list_sessions(ProxyRequest request, Sessions sessions) {
  const Json answer = co_await request.forward();
  co_return request.sender() == Sender::client ? sessions->listed(answer) : answer;
}

Task<Json> pass(ProxyRequest request, Sessions sessions) {
  if (request.sender() == Sender::client)
    sessions->require_own(request.params(), request.method().starts_with('_'));
  Json answer = co_await request.forward();
  if (request.sender() == Sender::client) sessions->answered(answer);
  co_return answer;
}

}  // namespace

int serve_agent(Transport client, const ServedAgentOptions& options) {
  const auto sessions = std::make_shared<ClientSessions>(options.sessions);
  Proxy proxy;
  const auto on = [&](const char* method, Task<Json> (*hook)(ProxyRequest, Sessions)) {
    proxy.on_request(method, [sessions, hook](ProxyRequest request) {
      return hook(std::move(request), sessions);
    });
  };
  for (const char* method :
       {"session/new", "session/load", "session/resume", "session/fork", "nes/start"})
    on(method, &open_session);
  for (const char* method : {"session/close", "session/delete", "nes/close"})
    on(method, &end_session);
  on("session/list", &list_sessions);
  proxy.on_request([sessions](ProxyRequest request) { return pass(std::move(request), sessions); });
  if (options.log) proxy.on_log(options.log);
  if (options.on_stderr) proxy.on_stderr(options.on_stderr);
  return proxy.run(std::move(client), options.agent);
}

}  // namespace acp::gateway
