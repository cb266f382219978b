// A server for the tests of both transports: `remote_server COMMAND...` starts one agent for each
// client. Its first line of output is its address. It ends when its input does.
#include <acp/proxy.h>
#include <acp/remote/server.h>

#include <cstdio>
#include <iostream>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const std::vector<std::string> command(argv + 1, argv + argc);
  acp::remote::ServerOptions options;
  options.log = [](const acp::LogEntry& entry) {
    if (entry.level != acp::LogEntry::Level::debug)
      std::fprintf(stderr, "remote_server: %s\n", entry.message.c_str());
  };
  acp::remote::Server server(options);
  std::vector<std::thread> agents;
  server.start([&](acp::remote::Incoming incoming) {
    agents.emplace_back([&command, transport = std::move(incoming.transport)]() mutable {
      acp::Proxy().run(std::move(transport), command);
    });
  });
  std::cout << server.url() << std::endl;
  while (std::cin.get() != EOF) continue;
  server.stop();
  server.wait();
  for (std::thread& agent : agents) agent.join();
}
