// A client inside a program's own loop, on plain poll(). What the agent sends is handled on its
// one thread; the library has another for the process: its stderr, its exit.
//   poll_loop PROMPT COMMAND [ARGUMENT…]
#include <acp/client.h>
#include <poll.h>

#include <iostream>
#include <optional>
#include <string>

namespace {

// Leaves the program's exit code when it is done.
acp::Task<void> converse(acp::AgentHandle agent, std::string text, std::optional<int>& code) {
  int result = 0;
  try {
    const acp::Session session = co_await agent.new_session("/tmp");
    acp::Prompt prompt = session.prompt(text);
    while (std::optional<acp::PromptEvent> event = co_await prompt.next()) {
      const auto* update = std::get_if<acp::SessionUpdate>(&*event);
      const auto* chunk = update ? std::get_if<acp::v1::AgentMessageChunk>(update) : nullptr;
      if (chunk) std::cout << acp::v1::text_of({&chunk->content, 1}) << std::flush;
    }
  } catch (const acp::Error& error) {
    std::cerr << error.what() << "\n";
    result = 1;
  }
  std::cout << "\n";
  code = result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "Usage: poll_loop PROMPT COMMAND [ARGUMENT…]\n";
    return 2;
  }
  acp::io::ProcessOptions options;
  options.argv.assign(argv + 2, argv + argc);
  acp::Client client("poll", "1.0");
  std::string ended;  // why
  client.on_disconnected(
      [&](const acp::AgentId&, std::string_view reason) { ended = std::string(reason); });
  std::optional<acp::AgentHandle> started;
  try {
    started = client.attach(options);
  } catch (const acp::StartFailed& failed) {
    std::cerr << failed.what() << "\n";
    return 1;
  }
  const acp::AgentHandle agent = *started;

  std::optional<acp::Running<void>> conversation;
  std::optional<int> code;
  while (!code && agent.connected()) {
    // The program's own descriptors and timers stand beside these.
    std::vector<pollfd> set;
    for (const acp::PollInterest& watch : agent.poll_interests())
      set.push_back(
          {watch.descriptor,
           static_cast<short>((watch.readable ? POLLIN : 0) | (watch.writable ? POLLOUT : 0)), 0});
    poll(set.data(), set.size(), agent.timeout());
    agent.dispatch();
    if (agent.ready() && !conversation) conversation.emplace(converse(agent, argv[1], code));
  }
  if (code) return *code;
  agent.close();
  std::cerr << ended << "\n";
  return 1;
}
