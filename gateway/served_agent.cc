#include "gateway/served_agent.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "acp/error.h"
#include "acp/proxy.h"

namespace acp::gateway {

namespace {

// Hooks that are under way have it, too.
using Sessions = std::shared_ptr<ClientSessions>;

// Refuses a session of a directory that is not in the roots: whatever directory the client names,
// it would get the transcript. One that the agent does not list passes.
Task<void> look_for(ProxyRequest request, Sessions sessions) {
  constexpr int most_pages = 10'000;
  if (!sessions->must_look_for(request.params())) co_return;
  Json which = Json::object();
  for (int i = 0; i < most_pages; ++i) {
    Json page;
    try {
      page = co_await request.agent().request("session/list", which);
    } catch (const CallFailed& error) {
      if (error.code() != rpc::method_not_found) throw;
      co_return;
    }
    if (sessions->found(request.params(), page)) co_return;
    if (!page["nextCursor"].is_string() || page["nextCursor"] == which["cursor"]) co_return;
    which.set("cursor", Json(page["nextCursor"]));
  }
  throw Error(rpc::internal_error, "session/list has no end");
}

Task<Json> open_session(ProxyRequest request, Sessions sessions) {
  if (request.sender() != Sender::client) co_return co_await request.forward();
  co_await look_for(request, sessions);
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
  if (request.sender() != Sender::client) co_return answer;
  if (request.method() == "session/close")
    sessions->closed(request.params());
  else
    sessions->deleted(request.params());
  co_return answer;
}

Task<Json> list_sessions(ProxyRequest request, Sessions sessions) {
  if (request.sender() == Sender::client) sessions->require_own(request.params());
  const Json answer = co_await request.forward();
  co_return request.sender() == Sender::client ? sessions->listed(answer) : answer;
}

Task<Json> pass(ProxyRequest request, Sessions sessions) {
  if (request.sender() == Sender::client)
    sessions->require_own(request.params(), request.method().starts_with('_'));
  Json answer = co_await request.forward();
  if (request.sender() != Sender::client) co_return answer;
  if (request.method() == "initialize") sessions->initialized(answer);
  sessions->answered(answer);
  co_return answer;
}

// What a client may send without an id. An agent that looks at the method alone would carry a
// request out.
bool is_notification(std::string_view method) {
  constexpr std::string_view methods[] = {
      "$/cancel_request", "session/cancel",   "mcp/message",        "nes/accept",
      "nes/reject",       "document/didOpen", "document/didChange", "document/didClose",
      "document/didSave", "document/didFocus"};
  return method.starts_with('_') ||
         std::find(std::begin(methods), std::end(methods), method) != std::end(methods);
}

// Empty if it may pass.
std::string why_dropped(const ProxyNotification& notification, const ClientSessions& sessions) {
  if (notification.sender != Sender::client) return "";
  if (!is_notification(notification.method)) return "it is not a notification of the protocol";
  try {
    sessions.require_own(notification.params, notification.method.starts_with('_'));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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
  proxy.on_notification([sessions, log = options.log](const ProxyNotification& notification) {
    const std::string why = why_dropped(notification, *sessions);
    if (!why.empty() && log)
      log({LogEntry::Level::warning, "dropped " + notification.method + " of a client: " + why});
    return why.empty();
  });
  if (options.log) proxy.on_log(options.log);
  if (options.on_stderr) proxy.on_stderr(options.on_stderr);
  return proxy.run(std::move(client), options.agent);
}

}  // namespace acp::gateway
