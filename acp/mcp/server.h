// An MCP server that a client is connected to.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "acp/async/task.h"
#include "acp/async/wait.h"
#include "acp/error.h"
#include "acp/handler.h"
#include "acp/io/process/process.h"
#include "acp/mcp/types.h"

namespace acp::mcp {

namespace detail {
struct ServerState;
}

class ServerContext;

// Options of a tool's call.
struct CallOptions {
  // Called in order, before the call returns; not after it.
  Handler<void(ServerContext, Progress)> on_progress = {};
  // Cancels the call: the server is notified, and the call throws Cancelled.
  std::stop_token stop = {};
  // After this time the call is cancelled, and throws TimedOut; nothing for no limit. Progress does
  // not extend it.
  std::optional<std::chrono::milliseconds> time = {};
};

// A handle: copies are the same server. When the last one goes, the connection is closed, and a
// process ends with all that it has started.
//
// Calls throw, when they are awaited: CallFailed (the server's answer is an error, or HTTP's is),
// Refused (the server does not offer this), ConnectionClosed (with the reason) and TimedOut.
class Server {
 public:
  explicit Server(std::shared_ptr<detail::ServerState> state) : state_(std::move(state)) {}

  // The server's name in the configuration.
  const std::string& name() const;
  const InitializeResult& info() const;

  // List all pages.
  Task<std::vector<Tool>> list_tools() const;
  Task<std::vector<Resource>> list_resources() const;
  Task<std::vector<ResourceTemplate>> list_resource_templates() const;
  Task<std::vector<Prompt>> list_prompts() const;

  // Calls a tool. Its own failure does not throw: the result says isError.
  Task<CallToolResult> call_tool(std::string name, Json arguments) const;
  Task<CallToolResult> call_tool(std::string name, Json arguments,
                                 const CallOptions& options) const;
  ACP_REFUSE_TEMPORARY(Task<CallToolResult> call_tool(std::string name, Json arguments,
                                                      CallOptions&& options) const);
  Task<ReadResourceResult> read_resource(std::string uri) const;
  Task<void> subscribe(std::string uri) const;
  Task<void> unsubscribe(std::string uri) const;
  Task<GetPromptResult> get_prompt(std::string name, Json arguments) const;
  // Completions of an argument. `reference` is {"type":"ref/prompt","name":…} or
  // {"type":"ref/resource","uri":…}.
  Task<Completion> complete(Json reference, std::string argument, std::string value) const;
  // Sets the lowest level of on_log_message(): "debug" … "emergency".
  Task<void> set_log_level(std::string level) const;
  Task<void> ping() const;
  // Sends any other request.
  Task<Json> request(std::string method, Json params) const;
  Task<Json> request(std::string method, Json params, const CallOptions& options) const;
  ACP_REFUSE_TEMPORARY(Task<Json> request(std::string method, Json params, CallOptions&& options)
                           const);

  // Closes the connection, and blocks until the server has gone.
  void close() const;
  bool connected() const;
  // Why it is not connected, with a process's exit and last output; empty while it is.
  std::string end_reason() const;
  // How the process ended, once it has; its last lines on stderr; its id, 0 if there is none.
  std::optional<io::ExitStatus> exit_status() const;
  std::string stderr_tail() const;
  int process_id() const;

 private:
  std::shared_ptr<detail::ServerState> state_;
};

}  // namespace acp::mcp
