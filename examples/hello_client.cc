// The smallest client: asks an agent one question, and prints what it says.
#include <acp/client.h>

#include <iostream>

int main(int argc, char** argv) try {
  acp::Client client("hello", "1.0");
  auto agent = client.spawn({argv + 2, argv + argc}).wait();
  auto session = agent.new_session("/tmp").wait();
  for (auto& event : session.prompt(argv[1])) {
    const auto* update = std::get_if<acp::SessionUpdate>(&event);
    if (update == nullptr) break;
    if (const auto* chunk = std::get_if<acp::v1::AgentMessageChunk>(update))
      std::cout << acp::v1::text_of({&chunk->content, 1}) << std::flush;
  }
  std::cout << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
