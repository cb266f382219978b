#include "acp/testing/agents.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "acp/agent.h"
#include "acp/client.h"

namespace acp::testing {

std::vector<std::string> program(const std::string& name) {
  return {"/proc/self/exe", "--agent", name};
}

namespace {

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

int stray() {
  std::printf("a banner\n");
  Agent agent("stray", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    std::printf("printed\n");
    std::cout << "streamed" << std::endl;
    if (write(STDOUT_FILENO, "written\n", 8) != 8) co_return StopReason::refusal;
    std::fflush(stdout);
    co_await turn.say("said");
    co_return StopReason::end_turn;
  });
  return agent.run(stdio());
}

int tree() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t deaf = fork();
  if (deaf == 0) {
    signal(SIGTERM, SIG_IGN);
    wait_for_ever();
  }
  const pid_t between = fork();
  if (between == 0) {
    setsid();
    const pid_t own = fork();
    if (own == 0) wait_for_ever();
    if (write(ends[1], &own, sizeof own) != sizeof own) _exit(1);
    _exit(0);
  }
  waitpid(between, nullptr, 0);
  pid_t own = 0;
  if (read(ends[0], &own, sizeof own) != sizeof own) return 1;
  Agent agent("tree", "1");
  agent.on_prompt([deaf, own](Turn turn) -> Task<StopReason> {
    co_await turn.say(std::to_string(getpid()) + "\n" + std::to_string(deaf) + "\n" +
                      std::to_string(own) + "\n");
    co_return StopReason::end_turn;
  });
  agent.run(stdio());
  wait_for_ever();
}

int host() {
  Client client("host", "1");
  const AgentHandle agent = client.spawn(program("tree")).wait();
  const Session session = agent.new_session("/").wait();
  for (PromptEvent& event : session.prompt("ids"))
    if (const auto* update = std::get_if<SessionUpdate>(&event))
      if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(update))
        std::printf("%s", std::get<v1::TextContent>(chunk->content).text.c_str());
  std::fflush(stdout);
  wait_for_ever();
}

int run(const char* name) {
  if (std::strcmp(name, "stray") == 0) return stray();
  if (std::strcmp(name, "tree") == 0) return tree();
  if (std::strcmp(name, "host") == 0) return host();
  return 1;
}

}  // namespace
}  // namespace acp::testing

// Instead of GoogleTest's own.
int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--agent") == 0) {
    const int code = acp::testing::run(argv[2]);
    std::fflush(stdout);
    _exit(code);  // a search for leaks would take longer than the test
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
