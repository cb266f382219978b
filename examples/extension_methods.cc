// Methods of one's own, both ways: names begin with an underscore, params and results are raw JSON.
#include <acp/agent.h>
#include <acp/client.h>

#include <iostream>

int main() {
  auto [agent_end, client_end] = acp::memory_pair();

  acp::Agent agent("extended", "1.0");
  agent
      .on_request("_example.com/add",
                  [](acp::Context, acp::Json params) -> acp::Task<acp::Json> {
                    const auto a = params["a"].as_int64(), b = params["b"].as_int64();
                    if (!a || !b)
                      throw acp::invalid_params("params", "two numbers", "something else");
                    co_return acp::Json(*a + *b);
                  })
      .on_prompt([](acp::Turn turn) -> acp::Task<acp::StopReason> {
        // The client said what it knows under _meta of its capabilities.
        const acp::Json answer = co_await turn.peer().request("_example.com/time", acp::Json());
        co_await turn.say("It is " + answer.as_string().value_or("late"));
        co_return acp::StopReason::end_turn;
      });
  const acp::AgentConnection serving = agent.start(std::move(agent_end));

  acp::Client client("extended", "1.0");
  client.on_request("_example.com/time",
                    [](acp::ClientContext, acp::Json) { return acp::Json("noon"); });
  const acp::AgentHandle remote = client.connect(std::move(client_end)).wait();
  const acp::Json sum =
      remote.peer().request("_example.com/add", acp::Json::object({{"a", 2}, {"b", 3}})).wait();
  std::cout << "2 + 3 = " << sum.text() << "\n";
  const acp::Session session = remote.new_session("/tmp").wait();
  for (auto& event : session.prompt("What time is it?"))
    if (const auto* update = std::get_if<acp::SessionUpdate>(&event))
      if (const auto* chunk = std::get_if<acp::v1::AgentMessageChunk>(update))
        std::cout << acp::v1::text_of({&chunk->content, 1}) << "\n";
}
