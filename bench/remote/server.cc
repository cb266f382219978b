// The contestant: an agent in a server's process. Its first line is its address; it ends with its
// input. README.md says what is asked of it.
#include <acp/remote/server.h>

#include <cstdio>
#include <iostream>

#include "bench/contestants/work.h"

int main() {
  acp::Agent agent("bench", "1.0");
  agent.on_prompt(bench::work)
      .on_set_mode([](acp::SessionContext, acp::v1::SetSessionModeRequest) -> acp::Task<void> {
        co_return;
      });
  acp::remote::ServerOptions options;
  options.log = [](const acp::LogEntry& entry) {
    if (entry.level != acp::LogEntry::Level::debug)
      std::fprintf(stderr, "bench_remote_server: %s\n", entry.message.c_str());
  };
  acp::remote::Server server(options);
  server.start(agent);
  std::cout << server.url() << std::endl;
  while (std::cin.get() != EOF) continue;
  server.stop();
  server.wait();
}
