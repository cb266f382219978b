// The smallest agent that has all an agent must have: it connects to its sessions' MCP servers.
#include <acp/agent.h>
#include <acp/mcp/session_servers.h>

#include <iostream>

int main() {
  acp::Agent agent("hello", "1.0");
  acp::mcp::SessionServers servers("hello", "1.0");
  servers.on_trouble(
      [](auto& server, auto& reason) { std::cerr << server << ": " << reason << '\n'; });
  servers.install(agent);
  agent.on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
    co_await turn.say("Hello, " + turn.text());
    co_return acp::StopReason::end_turn;
  });
  return agent.run(acp::stdio());
}
