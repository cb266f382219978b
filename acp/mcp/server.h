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

// For a tool's call.
struct CallOptions {
  // Called in order, before the call returns; not after it.
  Handler<void(ServerContext, Progress)> on_progress = {};
  // Cancels the call: the server is notified, and the call throws Cancelled.
  std::stop_token stop = {};
  // Then the call is taken back, and throws TimedOut; nothing for no limit. Progress changes
  // nothing.
  std::optional<std::chrono::milliseconds> time = {};
};

// No answer came in time. The server was notified that nobody waits for it.
class TimedOut : public Error {
 public:
  explicit TimedOut(const std::string& what) : Error(rpc::request_cancelled, what) {}
};

// A handle: copies are the same server. When the last one goes, the connection is closed, and a
// process ends with all that it has started.
//
// Calls throw CallFailed (the server's answer is an error, or HTTP's is), Refused (the server does
// not offer this), ConnectionClosed (with the reason) and TimedOut.
class Server {
 public:
  explicit Server(std::shared_ptr<detail::ServerState> state) : state_(std::move(state)) {}

  // As the configuration calls it.
  const std::string& name() const;
  const InitializeResult& info() const;

  // All pages.
  std::vector<Tool> list_tools() const { return async_list_tools().wait(); }
  std::vector<Resource> list_resources() const { return async_list_resources().wait(); }
  std::vector<ResourceTemplate> list_resource_templates() const {
    return async_list_resource_templates().wait();
  }
  std::vector<Prompt> list_prompts() const { return async_list_prompts().wait(); }

  // A tool's own failure is no exception: the result says isError.
  CallToolResult call_tool(std::string name, Json arguments, CallOptions options = {}) const {
    return async_call_tool(std::move(name), std::move(arguments), std::move(options)).wait();
  }
  ReadResourceResult read_resource(std::string uri) const {
    return async_read_resource(std::move(uri)).wait();
  }
  void subscribe(std::string uri) const { async_subscribe(std::move(uri)).wait(); }
  void unsubscribe(std::string uri) const { async_unsubscribe(std::move(uri)).wait(); }
  GetPromptResult get_prompt(std::string name, Json arguments) const {
    return async_get_prompt(std::move(name), std::move(arguments)).wait();
  }
  // What may stand for an argument. `reference` is {"type":"ref/prompt","name":…} or
  // {"type":"ref/resource","uri":…}.
  Completion complete(Json reference, std::string argument, std::string value) const {
    return async_complete(std::move(reference), std::move(argument), std::move(value)).wait();
  }
  // "debug" … "emergency": what on_log_message hears.
  void set_log_level(std::string level) const { async_set_log_level(std::move(level)).wait(); }
  void ping() const { async_ping().wait(); }

  Task<std::vector<Tool>> async_list_tools() const;
  Task<std::vector<Resource>> async_list_resources() const;
  Task<std::vector<ResourceTemplate>> async_list_resource_templates() const;
  Task<std::vector<Prompt>> async_list_prompts() const;
  Task<CallToolResult> async_call_tool(std::string name, Json arguments,
                                       CallOptions options = {}) const;
  Task<ReadResourceResult> async_read_resource(std::string uri) const;
  Task<void> async_subscribe(std::string uri) const;
  Task<void> async_unsubscribe(std::string uri) const;
  Task<GetPromptResult> async_get_prompt(std::string name, Json arguments) const;
  Task<Completion> async_complete(Json reference, std::string argument, std::string value) const;
  Task<void> async_set_log_level(std::string level) const;
  Task<void> async_ping() const;
  // Any other request.
  Task<Json> async_request(std::string method, Json params, CallOptions options = {}) const;

  // Takes leave, and blocks until the server has gone.
  void close() const;
  bool connected() const;
  // Why it is not connected, with a process's end and last words; empty while it is.
  std::string end_reason() const;
  // How the process ended, once it has; its last lines on stderr; its id, 0 if there is none.
  std::optional<io::ExitStatus> exit_status() const;
  std::string stderr_tail() const;
  int process_id() const;

 private:
  std::shared_ptr<detail::ServerState> state_;
};

}  // namespace acp::mcp
