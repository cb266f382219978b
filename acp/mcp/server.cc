#include "acp/mcp/server.h"

#include <set>
#include <variant>

#include "acp/async/when_any.h"
#include "acp/io/sleep.h"
#include "acp/json/codec.h"
#include "acp/mcp/content.h"
#include "acp/mcp/server_state.h"
#include "acp/role/call_scope.h"

namespace acp::mcp {

using Lock = io::Connection::Lock;
using StatePtr = std::shared_ptr<detail::ServerState>;

namespace {

// A server that lists without end is stopped here.
constexpr std::size_t max_pages = 1'000;
constexpr std::size_t max_listed = 100'000;
constexpr std::size_t max_listed_bytes = 64 * 1024 * 1024;

// "300 ms", "2 s", "2.5 s"
std::string time_text(std::chrono::milliseconds time) {
  const auto count = time.count();
  if (count < 1000) return std::to_string(count) + " ms";
  std::string text =
      std::to_string(count / 1000) + "." + std::to_string(count % 1000 + 1000).substr(1);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + " s";
}

void require(bool offered, const char* what) {
  if (!offered) throw Refused(std::string("the server does not offer ") + what);
}

Error invalid(const std::string& method, const json::DecodeFault& error) {
  return CallFailed(rpc::internal_error,
                    "the answer to " + method + " is not valid: " + error.message());
}

// Progress is awaited for as long as this lives.
class ProgressEntry {
 public:
  ProgressEntry(StatePtr server, detail::ProgressHandler handler, Json& params)
      : server_(std::move(server)) {
    if (!handler) return;
    {
      const Lock lock(*server_->connection);
      token_ = server_->role->expect_progress(std::move(handler));
    }
    params.set("_meta", Json::object({{"progressToken", token_}}));
  }
  ProgressEntry(const ProgressEntry&) = delete;
  ProgressEntry& operator=(const ProgressEntry&) = delete;
  ~ProgressEntry() {
    if (token_ == 0) return;
    const Lock lock(*server_->connection);
    server_->role->forget_progress(token_);
  }

 private:
  StatePtr server_;
  std::int64_t token_ = 0;
};

Task<Json> send(StatePtr server, std::shared_ptr<acp::detail::CallScope> scope, std::string method,
                Json params) {
  const Peer peer({server->connection, std::move(scope), 0});
  co_return co_await peer.request(method, params);
}

CallOptions within_time(const StatePtr& server) {
  CallOptions options;
  options.time = server->config->request_time;
  return options;
}

template <class T>
std::optional<json::DecodeFault> read(JsonView view, T& value) {
  auto error = json::decode(view.text(), T::json_type, &value);
  value.raw = Json(view);
  return error;
}

// All pages of a list. What does not fit is left out, and said.
template <class T>
Task<std::vector<T>> list(StatePtr server, std::string method, std::string member) {
  std::vector<T> all;
  std::set<std::string> cursors;
  Json params = Json::object();
  std::size_t bytes = 0;
  for (std::size_t page = 0;
       page < max_pages && all.size() < max_listed && bytes < max_listed_bytes; ++page) {
    Task<Json> asking = detail::call(server, method, params, within_time(server));
    const Json answer = co_await std::move(asking);
    bytes += answer.text().size();
    if (!answer[member].is_array())
      throw CallFailed(rpc::internal_error,
                       "the answer to " + method + " is not valid: it has no list " + member);
    for (JsonView item : answer[member].elements()) {
      T value;
      if (const auto error = read(item, value)) {
        const Lock lock(*server->connection);
        server->role->log(LogEntry::Level::warning,
                          "left out of " + member + ": " + error->message());
      } else {
        all.push_back(std::move(value));
      }
    }
    const std::string cursor = answer["nextCursor"].as_string().value_or("");
    if (cursor.empty()) co_return all;
    if (!cursors.insert(cursor).second) break;
    params.set("cursor", cursor);
  }
  const Lock lock(*server->connection);
  server->role->log(
      LogEntry::Level::warning,
      "the list of " + member + " was cut off: its pages do not end, or are too large");
  co_return all;
}

Task<void> ask_nothing(StatePtr server, std::string method, Json params) {
  Task<Json> asking =
      detail::call(server, std::move(method), std::move(params), within_time(server));
  co_await std::move(asking);
}

}  // namespace

Task<Json> detail::ask(std::shared_ptr<ServerState> server, std::string method, Json params,
                       CallOptions options) {
  const ProgressEntry progress(server, std::move(options.on_progress), params);
  const auto scope = std::make_shared<acp::detail::CallScope>();
  const std::stop_callback on_stop(options.stop, [connection = server->connection, scope] {
    const Lock lock(*connection);
    scope->cancel(lock.engine());
    lock.sent_something();
  });
  Task<Json> answer = send(server, scope, method, std::move(params));
  if (!options.time) co_return co_await std::move(answer);
  Task<async::Nothing> over = io::deadline(server->connection, *options.time);
  std::variant<Json, async::Nothing> first = co_await when_any(std::move(answer), std::move(over));
  if (auto* result = std::get_if<0>(&first)) co_return std::move(*result);
  throw TimedOut("no answer to " + method + " within " + time_text(*options.time));
}

Task<Json> detail::call(std::shared_ptr<ServerState> server, std::string method, Json params,
                        CallOptions options) {
  try {
    Task<Json> asking = ask(server, std::move(method), std::move(params), std::move(options));
    co_return co_await std::move(asking);
  } catch (const ConnectionClosed& closed) {
    const std::string report = server->end_report();
    throw ConnectionClosed(report.empty() ? closed.what() : report);
  }
}

// ---- lists

Task<std::vector<Tool>> Server::list_tools() const {
  return [](StatePtr server) -> Task<std::vector<Tool>> {
    require(server->info.capabilities.tools.has_value(), "tools");
    Task<std::vector<Tool>> listing = list<Tool>(server, "tools/list", "tools");
    co_return co_await std::move(listing);
  }(state_);
}

Task<std::vector<Resource>> Server::list_resources() const {
  return [](StatePtr server) -> Task<std::vector<Resource>> {
    require(server->info.capabilities.resources.has_value(), "resources");
    Task<std::vector<Resource>> listing = list<Resource>(server, "resources/list", "resources");
    co_return co_await std::move(listing);
  }(state_);
}

Task<std::vector<ResourceTemplate>> Server::list_resource_templates() const {
  return [](StatePtr server) -> Task<std::vector<ResourceTemplate>> {
    require(server->info.capabilities.resources.has_value(), "resources");
    Task<std::vector<ResourceTemplate>> listing =
        list<ResourceTemplate>(server, "resources/templates/list", "resourceTemplates");
    co_return co_await std::move(listing);
  }(state_);
}

Task<std::vector<Prompt>> Server::list_prompts() const {
  return [](StatePtr server) -> Task<std::vector<Prompt>> {
    require(server->info.capabilities.prompts.has_value(), "prompts");
    Task<std::vector<Prompt>> listing = list<Prompt>(server, "prompts/list", "prompts");
    co_return co_await std::move(listing);
  }(state_);
}

// ---- calls

Task<CallToolResult> Server::call_tool(std::string name, Json arguments) const {
  const CallOptions none;
  return call_tool(std::move(name), std::move(arguments), none);
}

Task<CallToolResult> Server::call_tool(std::string name, Json arguments,
                                       const CallOptions& options) const {
  return [](StatePtr server, std::string name, Json arguments,
            CallOptions options) -> Task<CallToolResult> {
    require(server->info.capabilities.tools.has_value(), "tools");
    if (arguments.absent()) arguments = Json::object();
    Json params = Json::object({{"name", name}, {"arguments", arguments}});
    Task<Json> asking = detail::call(server, "tools/call", std::move(params), std::move(options));
    CallToolResult result;
    result.raw = co_await std::move(asking);
    const JsonView raw = result.raw;
    if (!raw.is_object())
      throw CallFailed(rpc::internal_error,
                       "the answer to tools/call is not valid: expected an object");
    for (JsonView block : raw["content"].elements()) result.content.push_back(to_acp(block));
    result.structuredContent = Json(raw["structuredContent"]);
    result.isError = raw["isError"].as_bool().value_or(false);
    co_return result;
  }(state_, std::move(name), std::move(arguments), options);
}

Task<ReadResourceResult> Server::read_resource(std::string uri) const {
  return [](StatePtr server, std::string uri) -> Task<ReadResourceResult> {
    require(server->info.capabilities.resources.has_value(), "resources");
    Json params = Json::object({{"uri", uri}});
    Task<Json> asking =
        detail::call(server, "resources/read", std::move(params), within_time(server));
    const Json answer = co_await std::move(asking);
    ReadResourceResult result;
    if (const auto error = read(answer, result)) throw invalid("resources/read", *error);
    co_return result;
  }(state_, std::move(uri));
}

Task<void> Server::subscribe(std::string uri) const {
  return [](StatePtr server, std::string uri) -> Task<void> {
    const auto& resources = server->info.capabilities.resources;
    require(resources && resources->subscribe, "subscriptions");
    Json params = Json::object({{"uri", uri}});
    co_await ask_nothing(server, "resources/subscribe", std::move(params));
  }(state_, std::move(uri));
}

Task<void> Server::unsubscribe(std::string uri) const {
  return ask_nothing(state_, "resources/unsubscribe", Json::object({{"uri", uri}}));
}

Task<GetPromptResult> Server::get_prompt(std::string name, Json arguments) const {
  return [](StatePtr server, std::string name, Json arguments) -> Task<GetPromptResult> {
    require(server->info.capabilities.prompts.has_value(), "prompts");
    Json params = Json::object({{"name", name}, {"arguments", arguments}});
    Task<Json> asking = detail::call(server, "prompts/get", std::move(params), within_time(server));
    GetPromptResult result;
    result.raw = co_await std::move(asking);
    const JsonView raw = result.raw;
    result.description = raw["description"].as_string();
    for (JsonView message : raw["messages"].elements())
      result.messages.push_back(
          {message["role"].as_string().value_or(""), to_acp(message["content"])});
    co_return result;
  }(state_, std::move(name), std::move(arguments));
}

Task<Completion> Server::complete(Json reference, std::string argument, std::string value) const {
  return [](StatePtr server, Json params) -> Task<Completion> {
    require(!server->info.capabilities.completions.absent(), "completions");
    Task<Json> asking =
        detail::call(server, "completion/complete", std::move(params), within_time(server));
    const Json answer = co_await std::move(asking);
    const auto completion = json::decode<Completion>(answer["completion"].text());
    if (!completion) throw invalid("completion/complete", completion.error());
    co_return *completion;
  }(state_, Json::object({{"ref", reference},
                          {"argument", Json::object({{"name", argument}, {"value", value}})}}));
}

Task<void> Server::set_log_level(std::string level) const {
  return [](StatePtr server, std::string level) -> Task<void> {
    require(!server->info.capabilities.logging.absent(), "logging");
    Json params = Json::object({{"level", level}});
    co_await ask_nothing(server, "logging/setLevel", std::move(params));
  }(state_, std::move(level));
}

Task<void> Server::ping() const { return ask_nothing(state_, "ping", Json::object()); }

Task<Json> Server::request(std::string method, Json params) const {
  const CallOptions none;
  return request(std::move(method), std::move(params), none);
}

Task<Json> Server::request(std::string method, Json params, const CallOptions& options) const {
  if (params.absent()) params = Json::object();
  return detail::call(state_, std::move(method), std::move(params), options);
}

// ---- the connection

const std::string& Server::name() const { return state_->name; }
const InitializeResult& Server::info() const { return state_->info; }
void Server::close() const { state_->close(); }
bool Server::connected() const {
  const Lock lock(*state_->connection);
  return !lock.ended();
}
std::string Server::end_reason() const { return state_->end_report(); }
std::optional<io::ExitStatus> Server::exit_status() const { return state_->process.exit_status(); }
std::string Server::stderr_tail() const { return state_->process.stderr_tail(); }
int Server::process_id() const { return state_->process.id(); }

}  // namespace acp::mcp
