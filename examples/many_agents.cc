// A client that hosts many agents at once, asks each the same, and waits for none of them longer
// than it wants to: a slow one costs its own answer only.
//   many_agents COUNT SECONDS PROMPT COMMAND [ARGUMENT…]
#include <acp/async/when_all.h>
#include <acp/client.h>

#include <cstdlib>
#include <iostream>

namespace {

// One line about one agent. It never throws: an agent that fails is a line, too.
acp::Task<std::string> ask(const acp::Client& client, std::vector<std::string> command,
                           std::string prompt, std::chrono::seconds limit) {
  try {
    const acp::AgentHandle agent = co_await client.spawn(command);
    const acp::Session session = co_await agent.new_session("/tmp");
    const acp::Answer answer = co_await session.ask(prompt, limit);
    co_return "answered: " + answer.text;
  } catch (const acp::Error& error) {
    co_return std::string("failed: ") + error.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "Usage: many_agents COUNT SECONDS PROMPT COMMAND [ARGUMENT…]\n";
    return 2;
  }
  const int count = std::atoi(argv[1]), seconds = std::atoi(argv[2]);
  if (count <= 0 || seconds <= 0) {
    std::cerr << "COUNT and SECONDS are numbers above 0\n";
    return 2;
  }
  const std::vector<std::string> command(argv + 4, argv + argc);
  const acp::Client client("many", "1.0");
  std::vector<acp::Task<std::string>> asking;
  for (int i = 0; i < count; ++i)
    asking.push_back(ask(client, command, argv[3], std::chrono::seconds(seconds)));
  for (const std::string& line : acp::when_all(std::move(asking)).wait()) std::cout << line << "\n";
}
