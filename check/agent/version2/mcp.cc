// MCP servers that a client of version 2 passes on, and the end of the agent.
#include <system_error>

#include "check/agent/mcp_http.h"
#include "check/agent/version2/scenarios.h"

namespace acp::check::version2 {

namespace {

struct Used {
  Reply opened, turn;
};

// A session with these servers, and a turn in it.
Used use_servers(AgentClient& client, const Json& servers) {
  Used used{client.new_session_in(client.run().folder, servers), {}};
  const auto session = used.opened["sessionId"].as_string();
  if (used.opened.ok() && session)
    used.turn = client.prompt(*session, client.run().prompt("hello"));
  return used;
}

void check_stdio(AgentClient& client, bool advertised) {
  AgentRun& run = client.run();
  if (!advertised || run.options.mcp_server.empty())
    return skip_all(
        run, {"A2-MCP-1", "A2-MCP-2", "A2-MCP-3", "A2-MCP-4"},
        advertised ? "there is no server to name" : "session.mcp.stdio is not advertised");
  const std::string record = run.folder + "/mcp-record.txt";
  Json server = stdio_server(run, record);
  server.set("type", "stdio");
  const Reply opened = use_servers(client, Json::array({server})).opened;
  if (const std::string why = not_taken(run, opened); !why.empty())
    return skip_all(run, {"A2-MCP-1", "A2-MCP-2", "A2-MCP-3", "A2-MCP-4"}, why);
  const bool connected = opened.ok() && seen(client, record, "initialize");
  run.report.expect("A2-MCP-1", connected,
                    opened.ok()
                        ? "a session and a turn have gone by, and nobody has initialized the server"
                        : "session/new with a server was answered with " + opened.describe());
  if (connected) {
    run.report.expect("A2-MCP-2", holds_line(record, "token passed on"),
                      "the variable that was to be set is not");
    run.report.expect("A2-MCP-3", seen(client, record, "tools/list"), "tools/list was not called");
  } else {
    skip_all(run, {"A2-MCP-2", "A2-MCP-3"}, "the agent did not connect");
  }
  const Used missing = use_servers(
      client, Json::array({Json::object({{"type", "stdio"},
                                         {"name", "missing"},
                                         {"command", run.folder + "/no-such-program"}})}));
  run.report.expect("A2-MCP-4", missing.opened.refused() || missing.turn.answered(),
                    "with a server that cannot be started, session/new got " +
                        missing.opened.describe() +
                        (missing.opened.ok() ? ", and the prompt " + missing.turn.describe() : ""));
}

void check_http(AgentClient& client, bool advertised) {
  using Transport = McpHttpServer::Transport;
  AgentRun& run = client.run();
  if (!advertised)
    return skip_all(run, {"A2-MCP-5", "A2-MCP-6"}, "session.mcp.http is not advertised");
  try {
    const McpHttpServer server;
    const Json header =
        Json::object({{"name", McpHttpServer::header}, {"value", McpHttpServer::header_value}});
    const Json named = Json::object({{"type", "http"},
                                     {"name", "acp-check-http"},
                                     {"url", server.url(Transport::http)},
                                     {"headers", Json::array({header})}});
    const Reply opened = use_servers(client, Json::array({named})).opened;
    const bool connected = opened.ok() && comes_true(client, [&] {
                             return server.seen(Transport::http, "initialize");
                           });
    run.report.expect("A2-MCP-5", connected,
                      opened.ok()
                          ? "session.mcp.http is advertised, and after a session and a turn nobody "
                            "has initialized the server"
                          : "session/new with a server was answered with " + opened.describe());
    if (connected)
      run.report.expect("A2-MCP-6", server.with_header(Transport::http),
                        "a request came without the header that the client gave");
    else
      run.report.skip("A2-MCP-6", "the agent did not connect");
  } catch (const std::system_error& error) {
    skip_all(run, {"A2-MCP-5", "A2-MCP-6"}, error.what());
  }
}

void check_refused(AgentClient& client, const std::string& type) {
  AgentRun& run = client.run();
  const auto refused = [&](std::string_view id, const Json& servers) {
    const Reply reply = client.new_session_in(run.folder, servers);
    run.report.expect(
        id, reply.code() == -32602,
        "session/new with " + servers.text() + " was answered with " + reply.describe());
  };
  refused("A2-MCP-7",
          Json::array({Json::object({{"type", "_acp.check/pigeon"}, {"name", "odd"}})}));
  if (type.empty()) return run.report.skip("A2-MCP-8", "session.mcp advertises no transport");
  Json twice = type == "http" ? Json::object({{"type", type}, {"url", "http://127.0.0.1:9/"}})
                              : Json::object({{"type", type}, {"command", "/bin/cat"}});
  twice.set("name", "twice");
  refused("A2-MCP-8", Json::array({twice, twice}));
}

}  // namespace

void check_mcp(AgentRun& run) {
  AgentClient& client = run.client();
  const auto ready = open_session(client, {"A2-MCP-1", "A2-MCP-2", "A2-MCP-3", "A2-MCP-4",
                                           "A2-MCP-5", "A2-MCP-6", "A2-MCP-7", "A2-MCP-8"});
  if (ready) {
    const Json capabilities = client.agent_capabilities();
    const JsonView mcp = capabilities.view()["session"]["mcp"];
    const bool stdio = mcp["stdio"].is_object(), http = mcp["http"].is_object();
    check_stdio(client, stdio);
    check_http(client, http);
    check_refused(client, stdio ? "stdio" : http ? "http" : "");
  }
  if (!client.initialized().absent()) return check_end(client);
  skip_all(run, {"A-EXIT-1", "A-EXIT-2"}, "the connection could not be opened");
}

}  // namespace acp::check::version2
