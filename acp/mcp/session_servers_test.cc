#include "acp/mcp/session_servers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/mcp/servers.h"
#include "acp/mcp/testing/test_server.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp::mcp {
namespace {

namespace fs = std::filesystem;
using acp::testing::Events;
using acp::testing::silent_agent;
using acp::testing::Within;
using namespace testing;  // NOLINT(google-build-using-namespace)

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SessionServers, AreConnectedWithASessionAndLeftWithIt) {
  const Within limit("an agent with MCP servers");
  const fs::path directory = fs::canonical(fs::temp_directory_path()) /
                             ("acp-session-servers-test-" + std::to_string(getpid()));
  fs::create_directory(directory);
  Events troubles;
  SessionServers servers("test", "1");
  servers.on_trouble([&](const std::string& server, const std::string& reason) {
    troubles.add(server + ": " + reason.substr(0, reason.find('\n')));
  });
  Agent agent = silent_agent();
  servers.install(agent);
  auto [ours, theirs] = memory_pair();
  const AgentConnection serving = agent.start(std::move(theirs));
  acp::Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  EXPECT_TRUE(remote.capabilities().mcpCapabilities.http);
  EXPECT_TRUE(remote.capabilities().mcpCapabilities.sse);

  // It does not run where the test does.
  const std::vector<std::string> words = hostile("plain");
  const std::string command = "pwd >started; " + words[0] + " '" + fs::absolute(words[1]).string() +
                              "' " + words[2] + "; echo left >ended";
  v1::NewSessionRequest request;
  request.cwd = directory.string();
  request.mcpServers = {stdio_server({"/bin/sh", "-c", command}),
                        stdio_server({"/bin/sh", "-c", "exit 3"})};
  const Session session = remote.new_session(request).wait();
  const Session plain = remote.new_session(directory.string()).wait();

  EXPECT_EQ(content_of(directory / "started"), directory.string() + "\n");
  ASSERT_NE(servers.find(session.id()), nullptr);
  EXPECT_EQ(servers.find(session.id())->tools().size(), 1u);
  const std::string described = servers.describe(session.id());
  EXPECT_TRUE(described.starts_with("test: work\ntest: not connected: ")) << described;
  ASSERT_EQ(troubles.list().size(), 1u);
  EXPECT_NE(troubles.list()[0].find("exited with code 3"), std::string::npos) << troubles.list()[0];
  EXPECT_EQ(servers.find(plain.id()), nullptr);
  EXPECT_EQ(servers.describe(plain.id()), "");
  plain.close().wait();
  EXPECT_FALSE(fs::exists(directory / "ended"));
  session.close().wait();
  EXPECT_TRUE(fs::exists(directory / "ended"));
  EXPECT_EQ(servers.find(session.id()), nullptr);
  fs::remove_all(directory);
}

// One that is silent is named while the session still waits: this one answers only after that.
TEST(SessionServers, ASlowOneIsNamed) {
  const Within limit("an agent with a slow MCP server");
  const fs::path pipe =
      fs::temp_directory_path() / ("acp-slow-session-" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Events troubles;
  SessionServers servers("test", "1");
  servers.on_trouble([&](const std::string& server, const std::string& reason) {
    troubles.add(server + ": " + reason);
    const std::ofstream opened(pipe);  // its other end waits for that
  });
  Agent agent = silent_agent();
  servers.install(agent);
  auto [ours, theirs] = memory_pair();
  const AgentConnection serving = agent.start(std::move(theirs));
  acp::Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  std::vector<std::string> slow = hostile("together");
  slow.insert(slow.end(), {pipe.string(), "r"});
  v1::NewSessionRequest request;
  request.cwd = fs::canonical(fs::temp_directory_path()).string();
  request.mcpServers = {
      stdio_server({"/bin/sh", "-c",
                    "cd /; exec " + slow[0] + " '" + fs::absolute(slow[1]).string() + "' " +
                        slow[2] + " " + slow[3] + " r"})};
  const Session session = remote.new_session(request).wait();
  fs::remove(pipe);
  EXPECT_EQ(servers.find(session.id())->tools().size(), 1u);
  ASSERT_EQ(troubles.list().size(), 1u);
  EXPECT_NE(troubles.list()[0].find("has not answered yet"), std::string::npos);
}

}  // namespace
}  // namespace acp::mcp
