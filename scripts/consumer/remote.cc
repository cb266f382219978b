#include <acp/agent.h>
#include <acp/client.h>
#include <acp/remote/client.h>
#include <acp/remote/server.h>

#include <iostream>
#include <variant>

int main() {
  acp::Agent agent("consumer", "1.0");
  agent.on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
    const std::string text = "hello, " + turn.text();
    co_await turn.say(text);
    co_return acp::StopReason::end_turn;
  });
  acp::remote::Server server(acp::remote::ServerOptions{});
  server.start(agent);
  std::string websocket = server.url();
  websocket.replace(0, 4, "ws");
  acp::Client client("consumer", "1.0");
  for (const std::string& url : {server.url(), websocket}) {
    const acp::AgentHandle handle = client.connect(acp::remote::url(url)).wait();
    const acp::Session session = handle.new_session("/").wait();
    for (acp::PromptEvent& event : session.prompt("you")) {
      const auto* const update = std::get_if<acp::SessionUpdate>(&event);
      if (update == nullptr) continue;
      if (const auto* const chunk = std::get_if<acp::v1::AgentMessageChunk>(update))
        std::cout << std::get<acp::v1::TextContent>(chunk->content).text << "\n";
    }
  }
}
