// Connecting to MCP servers, as an agent has to with those that a session brings.
//
//   acp::mcp::Client client("my-agent", "1.0");
//   client.roots({"/home/me/project"});
//   acp::mcp::Server server = client.connect(config).wait();  // a v1::McpServer
//   for (const auto& tool : server.list_tools().wait()) …
//   auto result = server.call_tool("echo", acp::Json::object({{"message", "hello"}})).wait();
//
// Everything that waits returns a Task: `co_await` it in a coroutine, `.wait()` elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/async/task.h"
#include "acp/handler.h"
#include "acp/io/tap.h"
#include "acp/log.h"
#include "acp/mcp/server.h"
#include "acp/mcp/types.h"
#include "acp/schema/v1.h"
#include "acp/start_failed.h"

namespace acp::mcp {

namespace detail {
struct ServerCall;
}

// What a handler is given: the server that speaks, and when to stop.
class ServerContext {
 public:
  explicit ServerContext(std::shared_ptr<detail::ServerCall> call) : call_(std::move(call)) {}
  // The server's name in the configuration.
  const std::string& server() const;
  // Set when nobody waits for the answer any more.
  std::stop_token stop_token() const;
  bool cancelled() const { return stop_token().stop_requested(); }

 private:
  std::shared_ptr<detail::ServerCall> call_;
};

// Built up by calls; what is installed is what is advertised to servers. One client may speak to
// any number of servers. Handlers are coroutines or plain functions, those of a server one at a
// time; what blocks is wrapped: acp::blocking(f).
class Client {
 public:
  Client(std::string name, std::string version);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // A name for people.
  Client& title(std::string title);

  // The directories that servers may list, absolute. Without any, roots are not offered.
  Client& roots(std::vector<std::string> directories);
  // Without these handlers, such requests are refused.
  Client& on_sampling(Handler<CreateMessageResult(ServerContext, CreateMessageRequest)> handler);
  Client& on_elicitation_form(Handler<ElicitResult(ServerContext, ElicitRequest)> handler);
  Client& on_elicitation_url(Handler<ElicitResult(ServerContext, ElicitRequest)> handler);
  // The id of an elicitation by url that has been completed elsewhere.
  Client& on_elicitation_complete(Handler<void(ServerContext, std::string)> handler);
  Client& on_log_message(Handler<void(ServerContext, LogMessage)> handler);
  // "tools", "resources" or "prompts".
  Client& on_list_changed(Handler<void(ServerContext, std::string)> handler);
  // The uri of a resource that was subscribed to.
  Client& on_resource_updated(Handler<void(ServerContext, std::string)> handler);

  // ---- how it runs
  // Limits of the time from the start to the answer of `initialize`, and of all other calls except
  // those of tools; 60 s each.
  Client& handshake_time(std::chrono::milliseconds time);
  Client& request_time(std::chrono::milliseconds time);
  // How long a process may take to end by itself after its input was closed; 2 s.
  Client& exit_time(std::chrono::milliseconds time);
  Client& max_message_bytes(std::size_t bytes);
  // Where processes run; empty: where this one does.
  Client& cwd(std::string directory);
  // Variables of our environment that processes do not get, unless their configuration sets them.
  Client& without_variables(std::vector<std::string> names);
  // Where coroutine handlers run, instead of the connection's own threads: a GUI thread.
  Client& executor(std::shared_ptr<Executor> executor);
  Client& tap(Tap tap);
  Client& on_log(LogHook hook);
  // The lines that servers write to their stderr.
  Client& on_stderr(std::function<void(std::string_view server, std::string_view line)> hook);

  // Throws StartFailed.
  Task<Server> connect(const v1::McpServer& config) const;
#if ACP_TEMPORARIES_BREAK
  template <async::AggregateTemporary T>
  ACP_REFUSE_TEMPORARY(Task<Server> connect(T&& config) const);
#endif

  struct Config;

 private:
  friend class Servers;
  std::shared_ptr<Config> config_;
};

}  // namespace acp::mcp
