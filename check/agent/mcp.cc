// MCP servers that the client passes on, and the end of the agent.
#include <fstream>
#include <functional>
#include <system_error>

#include "acp/rpc/error.h"
#include "check/agent/mcp_http.h"
#include "check/agent/scenarios.h"

namespace acp::check {

using namespace std::chrono_literals;

Json stdio_server(const AgentRun& run, const std::string& record) {
  Json args = Json::array();
  for (std::size_t i = 1; i < run.options.mcp_server.size(); ++i)
    args.append(run.options.mcp_server[i]);
  args.append(record);
  const Json variable = Json::object({{"name", "ACP_CHECK_TOKEN"}, {"value", "passed on"}});
  return Json::object({{"name", "acp-check"},
                       {"command", run.options.mcp_server.front()},
                       {"args", args},
                       {"env", Json::array({variable})}});
}

std::string not_taken(const AgentRun& run, const Reply& opened) {
  if (!run.options.over_network || opened.code() != rpc::permission_denied) return {};
  return "the server starts no programs that a client names (acp serve --client-mcp lets it)";
}

bool holds_line(const std::string& record, const std::string& wanted) {
  std::ifstream file(record);
  for (std::string line; std::getline(file, line);)
    if (line == wanted) return true;
  return false;
}

bool comes_true(AgentClient& client, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::min(client.run().options.timeout, std::chrono::milliseconds(10'000));
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline || client.gone()) return false;
    client.until([] { return false; }, 20ms);
  }
  return true;
}

bool seen(AgentClient& client, const std::string& record, const std::string& line) {
  return comes_true(client, [&] { return holds_line(record, line); });
}

namespace {

void check_connects(AgentClient& client) {
  AgentRun& run = client.run();
  if (run.options.mcp_server.empty())
    return skip_all(run, {"A-MCP-1", "A-MCP-2", "A-MCP-3"}, "there is no server to name");
  const std::string record = run.folder + "/mcp-record.txt";
  const Reply opened = client.new_session_in(run.folder, Json::array({stdio_server(run, record)}));
  const auto session = opened["sessionId"].as_string();
  if (const std::string why = not_taken(run, opened); !why.empty())
    return skip_all(run, {"A-MCP-1", "A-MCP-2", "A-MCP-3"}, why);
  if (!opened.ok() || !session) {
    run.report.fail("A-MCP-1", "session/new with a server was answered with " + opened.describe());
    return skip_all(run, {"A-MCP-2", "A-MCP-3"}, "the agent did not connect");
  }
  client.prompt(*session, run.prompt("hello"));
  const bool connected = seen(client, record, "initialize");
  run.report.expect("A-MCP-1", connected,
                    "a session and a turn have gone by, and nobody has initialized the server");
  if (!connected) return skip_all(run, {"A-MCP-2", "A-MCP-3"}, "the agent did not connect");
  run.report.expect("A-MCP-2", holds_line(record, "token passed on"),
                    "the variable that was to be set is not");
  run.report.expect("A-MCP-3", seen(client, record, "tools/list"), "tools/list was not called");
}

// An agent that takes servers of this kind connects to one, with the headers that were given.
// Nothing, if it does not take them; else whether the headers came.
std::optional<bool> check_connects_to(AgentClient& client, const McpHttpServer& server,
                                      McpHttpServer::Transport transport, std::string_view id) {
  AgentRun& run = client.run();
  const bool sse = transport == McpHttpServer::Transport::sse;
  const std::string kind = sse ? "sse" : "http";
  const Json capabilities = client.agent_capabilities();
  if (!capabilities.view()["mcpCapabilities"][kind].as_bool().value_or(false)) {
    run.report.skip(id, "mcpCapabilities." + kind + " is not advertised");
    return {};
  }
  const Json header =
      Json::object({{"name", McpHttpServer::header}, {"value", McpHttpServer::header_value}});
  const Json named = Json::object({{"type", kind},
                                   {"name", "acp-check-" + kind},
                                   {"url", server.url(transport)},
                                   {"headers", Json::array({header})}});
  const Reply opened = client.new_session_in(run.folder, Json::array({named}));
  const auto session = opened["sessionId"].as_string();
  if (opened.ok() && session) client.prompt(*session, run.prompt("hello"));
  const bool connected =
      opened.ok() && comes_true(client, [&] { return server.seen(transport, "initialize"); });
  run.report.expect(id, connected,
                    opened.ok()
                        ? "mcpCapabilities." + kind +
                              " is advertised, and after a session and a turn nobody has "
                              "initialized the server"
                        : "session/new with a server was answered with " + opened.describe());
  if (!connected) return {};
  return server.with_header(transport);
}

void check_http(AgentClient& client) {
  using Transport = McpHttpServer::Transport;
  AgentRun& run = client.run();
  try {
    const McpHttpServer server;
    const auto http = check_connects_to(client, server, Transport::http, "A-MCP-5");
    const auto sse = check_connects_to(client, server, Transport::sse, "A-MCP-6");
    if (!http && !sse) return run.report.skip("A-MCP-7", "the agent connected to no such server");
    run.report.expect("A-MCP-7", http.value_or(true) && sse.value_or(true),
                      std::string(http.value_or(true) ? "sse" : "http") +
                          ": a request came without the header that the client gave");
  } catch (const std::system_error& error) {
    skip_all(run, {"A-MCP-5", "A-MCP-6", "A-MCP-7"}, error.what());
  }
}

}  // namespace

void check_end(AgentClient& client) {
  AgentRun& run = client.run();
  client.wire().close_output();
  const auto status = client.program().wait_exit(run.options.timeout);
  run.report.expect("A-EXIT-1", status.has_value(), "still running when the time was over");
  if (!status) return run.report.skip("A-EXIT-2", "the agent itself did not end");
  const bool alone = client.program().wait_tree_ended(2s);
  run.report.expect("A-EXIT-2", alone,
                    "two seconds after the agent " + status->describe() + ", a process lives on");
}

void check_mcp(AgentRun& run) {
  AgentClient& client = run.client();
  const auto ready = open_session(
      client, {"A-MCP-1", "A-MCP-2", "A-MCP-3", "A-MCP-4", "A-MCP-5", "A-MCP-6", "A-MCP-7"});
  if (ready) {
    check_connects(client);
    check_http(client);
    const Json missing = Json::object({{"name", "missing"},
                                       {"command", run.folder + "/no-such-program"},
                                       {"args", Json::array()},
                                       {"env", Json::array()}});
    const Reply opened = client.new_session_in(run.folder, Json::array({missing}));
    Reply answer = opened;
    if (const auto session = opened["sessionId"].as_string(); opened.ok() && session)
      answer = client.prompt(*session, run.prompt("hello"));
    run.report.expect(
        "A-MCP-4", answer.answered(),
        std::string(opened.ok() ? "the prompt" : "session/new") + " got " + answer.describe());
  }
  if (!client.initialized().absent()) return check_end(client);
  skip_all(run, {"A-EXIT-1", "A-EXIT-2"}, "the connection could not be opened");
}

}  // namespace acp::check
