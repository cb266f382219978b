// MCP servers that the client passes on, and the end of the agent.
#include <filesystem>
#include <fstream>
#include <thread>

#include "check/agent_scenarios.h"

namespace acp::check {

namespace {

using namespace std::chrono_literals;

Json server(const AgentRun& run, const std::string& record) {
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

bool holds_line(const std::string& record, const std::string& wanted) {
  std::ifstream file(record);
  for (std::string line; std::getline(file, line);)
    if (line == wanted) return true;
  return false;
}

// What the server has written; agents may connect whenever they like.
bool seen(AgentClient& client, const std::string& record, const std::string& line) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::min(client.run().options.timeout, std::chrono::milliseconds(10'000));
  while (!holds_line(record, line)) {
    if (std::chrono::steady_clock::now() > deadline || client.gone()) return false;
    client.until([] { return false; }, 20ms);
  }
  return true;
}

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

void check_connects(AgentClient& client) {
  AgentRun& run = client.run();
  if (run.options.mcp_server.empty())
    return skip_all(run, {"A-MCP-1", "A-MCP-2", "A-MCP-3"}, "there is no server to name");
  const std::string record = run.folder + "/mcp-record.txt";
  const Reply opened = client.new_session_in(run.folder, Json::array({server(run, record)}));
  const auto session = opened["sessionId"].as_string();
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

}  // namespace

void check_mcp(AgentRun& run) {
  AgentClient& client = run.client();
  const auto ready = open_session(client, {"A-MCP-1", "A-MCP-2", "A-MCP-3", "A-MCP-4"});
  if (ready) {
    check_connects(client);
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
