// What an agent has started ends with it: the same as process_tree_test.cc, through acp::Client.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <sstream>

#include "acp/client.h"
#include "acp/io/process/testing/observe.h"
#include "acp/testing/agents.h"
#include "acp/testing/raw_end.h"

extern char** environ;

namespace acp {
namespace {

using io::testing::Watched;
using testing::program;
using testing::Within;

// The three processes of the tree, by what the agent says.
std::vector<Watched> tree_of(const Session& session) {
  std::string text;
  for (PromptEvent& event : session.prompt("ids"))
    if (const auto* update = std::get_if<SessionUpdate>(&event))
      if (const auto* chunk = std::get_if<v1::AgentMessageChunk>(update))
        text += std::get<v1::TextContent>(chunk->content).text;
  std::vector<Watched> tree;
  std::istringstream lines(text);
  for (int pid; lines >> pid;) tree.emplace_back(pid);
  EXPECT_EQ(tree.size(), 3u) << text;
  return tree;
}

int alive(const std::vector<Watched>& tree, int patience = 0) {
  int count = 0;
  for (const Watched& process : tree) count += process.has_ended(patience) ? 0 : 1;
  return count;
}

Client impatient_client() {
  Client client("test", "1");
  client.exit_time(std::chrono::milliseconds(100));  // it ignores the end of its input
  return client;
}

TEST(SpawnTree, IsGoneWhenTheLastHandleIs) {
  const Within limit("the end of an agent and its processes");
  std::vector<Watched> tree;
  {
    Client client = impatient_client();
    const AgentHandle agent = client.spawn(program("tree")).wait();
    const Session session = agent.new_session("/").wait();
    tree = tree_of(session);
    EXPECT_EQ(alive(tree), 3);
  }
  EXPECT_EQ(alive(tree), 0);
}

// Lists in braces, awaited: g++ 12 cannot do that with a std::initializer_list.
Task<std::size_t> converse(const Client& client, std::string name) {
  const AgentHandle agent = co_await client.spawn({"/proc/self/exe", "--agent", name});
  const Session session = co_await agent.new_session("/");
  const ContentBlock block(std::string(100, 'x'));
  co_await session.prompt({block, block}).finish();
  co_await session.prompt({"ids", std::string(100, 'y')}).finish();
  std::size_t prompts = 0;
  session.with_state([&](const SessionState& state) {
    for (const SessionState::Entry& entry : state.timeline())
      prompts += std::holds_alternative<SessionState::Prompt>(entry.content) ? 1 : 0;
  });
  co_return prompts;
}

TEST(SpawnTree, IsStartedAndPromptedInACoroutine) {
  const Within limit("a conversation in a coroutine");
  const Client client = impatient_client();
  EXPECT_EQ(converse(client, "tree").wait(), 2u);
}

TEST(SpawnTree, IsGoneAfterClose) {
  const Within limit("the end of an agent that is closed");
  Client client = impatient_client();
  const AgentHandle agent = client.spawn(program("tree")).wait();
  const Session session = agent.new_session("/").wait();
  const std::vector<Watched> tree = tree_of(session);
  EXPECT_EQ(alive(tree), 3);
  agent.close();
  EXPECT_EQ(alive(tree), 0);
  EXPECT_TRUE(agent.exit_status().has_value());
}

TEST(SpawnTree, IsGoneWhenTheAgentIsKilled) {
  const Within limit("the end of what a killed agent leaves behind");
  Client client = impatient_client();
  std::vector<Watched> tree;
  {
    const AgentHandle agent = client.spawn(program("tree")).wait();
    const Session session = agent.new_session("/").wait();
    tree = tree_of(session);
    kill(agent.process_id(), SIGKILL);
    EXPECT_THROW(session.prompt("again").finish().wait(), ConnectionClosed);
  }
  EXPECT_EQ(alive(tree), 0);
}

TEST(SpawnTree, IsGoneWhenTheClientIsKilled) {
  const Within limit("the end of an agent whose client was killed");
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const io::Descriptor output(ends[0]);
  io::Descriptor input(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
  std::vector<std::string> words = program("host");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  ASSERT_EQ(posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  input.reset();
  std::vector<Watched> tree;
  for (int i = 0; i < 3; ++i) {
    const std::string line = io::testing::read_line(output.get());
    ASSERT_FALSE(line.empty());
    tree.emplace_back(std::stoi(line));
  }
  EXPECT_EQ(alive(tree), 3);
  kill(pid, SIGKILL);
  EXPECT_EQ(alive(tree, io::testing::patience), 0);
  waitpid(pid, nullptr, 0);
}

}  // namespace
}  // namespace acp
