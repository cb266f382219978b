// From a configuration to a server that has answered initialize.
#include <algorithm>

#include "acp/json/codec.h"
#include "acp/mcp/http_sse.h"
#include "acp/mcp/server_state.h"
#include "acp/mcp/streamable_http.h"

namespace acp::mcp {

using Phase = StartFailed::Phase;
using StatePtr = std::shared_ptr<detail::ServerState>;

namespace detail {

void ServerState::close() {
  const std::lock_guard one_at_a_time(closing);
  if (closed.exchange(true)) return;
  if (connection) {
    connection->close();
    connection->wait_finished();
  }
  link.reset();
  // One that never came up is given no time.
  process.end(ready ? config->exit_time : std::chrono::milliseconds(0));
}

StartFailed ServerState::failure(Phase phase, std::string reason, std::string hint) {
  StartFailed::Diagnosis diagnosis;
  diagnosis.subject = "server";
  diagnosis.phase = phase;
  diagnosis.reason = std::move(reason);
  diagnosis.command = command;
  diagnosis.look_at(process);
  if (!hint.empty()) diagnosis.hint = std::move(hint);
  return StartFailed(std::move(diagnosis));
}

std::string ServerState::end_report() const {
  std::string reason;
  {
    const io::Connection::Lock lock(*connection);
    if (!lock.ended()) return {};
    reason = role->end_reason;
  }
  if (!process.attending()) return reason;
  // Its output ends a moment before it does.
  if (!closed) process.wait_ended(std::chrono::milliseconds(500));
  if (const auto exit = process.exit_status()) reason = exit->describe("server");
  if (const std::string tail = process.stderr_tail(); !tail.empty())
    reason += "; its last words:\n" + tail;
  return reason;
}

}  // namespace detail

namespace {

void open(const StatePtr& server, Transport transport) {
  server->connection = io::Connection::open(std::move(transport), server->config->connection);
  server->role = std::make_shared<detail::Role>(server->config, server->name, server->connection);
  server->connection->start(server->role);
}

void open(const StatePtr& server, const v1::McpServerStdio& config) {
  io::ProcessOptions options;
  options.argv = {config.command};
  options.argv.insert(options.argv.end(), config.args.begin(), config.args.end());
  options.cwd = server->config->cwd;
  for (const std::string& name : server->config->withheld)
    options.environment.push_back({name, {}});
  for (const v1::EnvVariable& variable : config.env)
    options.environment.push_back({variable.name, variable.value});
  auto started = io::Process::start(options);
  if (!started) throw StartFailed(started.error(), "server");
  server->command = io::command_line(options.argv);
  io::Process process = std::move(*started);
  open(server, Transport{process.take_stdout(), process.take_stdin()});
  io::AttendedProcess::Hooks hooks;
  if (server->config->stderr_hook)
    hooks.on_stderr = [config = server->config, name = server->name](std::string_view line) {
      config->stderr_hook(name, line);
    };
  hooks.on_exit = [connection = server->connection](const io::ExitStatus& status) {
    connection->end_when_dry(status.describe("server"));
  };
  server->process.attend(std::move(process), std::move(hooks));
}

template <class Dialect, class Config>
void open_http(const StatePtr& server, const Config& config) {
  if (http::origin_of(config.url).empty())
    throw server->failure(Phase::resolve,
                          "its address is no http or https URL: " + http::shown_url(config.url));
  std::vector<http::Transfers::Header> headers;
  for (const v1::HttpHeader& header : config.headers) {
    if ((header.name + header.value).find_first_of("\r\n") != std::string::npos)
      throw server->failure(Phase::resolve, "a header for it holds the end of a line");
    headers.push_back({header.name, header.value});
  }
  auto [ours, theirs] = memory_pair();
  open(server, std::move(ours));
  http::LinkOptions options;
  options.max_message_bytes = server->config->connection.engine.max_message_bytes;
  options.log = [connection = server->connection, role = server->role](LogEntry::Level level,
                                                                       std::string message) {
    const io::Connection::Lock lock(*connection);
    role->log(level, std::move(message));
  };
  options.on_lost = [connection = server->connection](std::string reason) {
    connection->end_when_dry(std::move(reason));
  };
  server->link = std::make_unique<http::Link>(
      std::move(theirs.in), std::make_unique<Dialect>(config.url, std::move(headers)),
      std::move(options));
}

void open(const StatePtr& server, const v1::McpServer& config) {
  if (const auto* stdio = std::get_if<v1::McpServerStdio>(&config)) {
    server->name = stdio->name;
    open(server, *stdio);
  } else if (const auto* http = std::get_if<v1::McpServerHttp>(&config)) {
    server->name = http->name;
    open_http<StreamableHttp>(server, *http);
  } else if (const auto* sse = std::get_if<v1::McpServerSse>(&config)) {
    server->name = sse->name;
    open_http<HttpSse>(server, *sse);
  } else {
    const auto* unknown = std::get_if<Unknown>(&config);
    throw server->failure(Phase::resolve, "MCP over " + (unknown ? unknown->tag : "acp") +
                                              " is a transport that is not supported");
  }
}

std::string hint_for(std::int64_t status, bool sse) {
  if (status == 401 || status == 403)
    return "The server wants authorization: give it the header that it expects.";
  if (!sse && (status == 404 || status == 405))
    return "A server of revision 2024-11-05 speaks HTTP+SSE: try that transport.";
  return {};
}

Task<void> shake_hands(StatePtr server, bool sse) {
  Json params =
      Json::object({{"protocolVersion", protocol_versions[0]},
                    {"capabilities", server->role->capabilities()},
                    {"clientInfo", Json::from_valid(json::encode(server->config->info))}});
  CallOptions options;
  options.time = server->config->handshake_time;
  options.stop = server->config->stop;
  Json answer;
  std::string reason, hint;
  try {
    Task<Json> asking = detail::ask(server, "initialize", std::move(params), std::move(options));
    answer = co_await std::move(asking);
  } catch (const CallFailed& failed) {
    const auto status = failed.data()["httpStatus"].as_int64();
    reason = status ? std::string(failed.what())
                    : "initialize was answered with " + std::to_string(failed.code()) + " " +
                          failed.what();
    hint = hint_for(status.value_or(0), sse);
    if (server->process.attending())
      hint = "The server answers, but not as an MCP server does: is it one that speaks on stdio?";
  } catch (const ConnectionClosed&) {
    server->process.wait_ended(std::chrono::milliseconds(server->process.attending() ? 500 : 0));
    const io::Connection::Lock lock(*server->connection);
    reason = server->process.exit_status() ? "no answer to initialize" : server->role->end_reason;
  } catch (const TimedOut& late) {
    reason = late.what();
    if (server->process.attending() && !server->process.exit_status())
      hint = "The server is alive, but silent: is it an MCP server that speaks on stdio?";
  } catch (const Error& error) {
    reason = error.what();
  }
  if (!reason.empty()) throw server->failure(Phase::handshake, reason, hint);
  if (const auto error = json::decode(answer.text(), InitializeResult::json_type, &server->info))
    throw server->failure(Phase::handshake,
                          "the answer to initialize is not valid: " + error->message());
  server->info.raw = std::move(answer);
  const std::string& version = server->info.protocolVersion;
  if (std::find(std::begin(protocol_versions), std::end(protocol_versions), version) ==
      std::end(protocol_versions)) {
    std::string known;
    for (const std::string_view each : protocol_versions)
      known += (known.empty() ? "" : ", ") + std::string(each);
    throw server->failure(Phase::handshake, "the server speaks revision \"" + version +
                                                "\" of MCP, this client " + known);
  }
  server->ready = true;
  const Peer peer({server->connection, nullptr, 0});
  co_await peer.notify("notifications/initialized", Json());
}

}  // namespace

Task<Server> Client::connect(const v1::McpServer& address) const {
  return [](std::shared_ptr<const Config> config, v1::McpServer address) -> Task<Server> {
    const auto server = std::make_shared<detail::ServerState>();
    server->config = std::move(config);
    open(server, address);
    const bool sse = std::holds_alternative<v1::McpServerSse>(address);
    co_await shake_hands(server, sse);
    co_return Server(server);
  }(std::make_shared<Config>(*config_), address);
}

}  // namespace acp::mcp
