#include "acp/mcp/servers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "acp/mcp/testing/test_server.h"
#include "acp/testing/gate.h"

namespace acp::mcp {
namespace {

using acp::testing::Events;
using acp::testing::Gate;
using acp::testing::Within;
using std::chrono::milliseconds;
using namespace testing;  // NOLINT(google-build-using-namespace)

v1::McpServer named(const std::string& name, v1::McpServer config) {
  std::visit(
      [&](auto& arm) {
        if constexpr (requires { arm.name; }) arm.name = name;
      },
      static_cast<std::variant<v1::McpServerHttp, v1::McpServerSse, v1::McpServerAcp,
                               v1::McpServerStdio, Unknown>&>(config));
  return config;
}

std::string describe(const ServersEvent& event) {
  const char* kinds[] = {"ready", "failed", "lost", "tools changed"};
  return event.server + " " + kinds[static_cast<int>(event.kind)] +
         (event.reason.empty() ? "" : ": " + event.reason.substr(0, event.reason.find('\n'))) +
         (event.tries_again ? " (tries again)" : "");
}

TEST(Servers, OneThatFailsTakesNobodyWithIt) {
  const Within limit("servers of a session");
  Events events;
  ServersOptions options;
  options.start_time = milliseconds(5000);
  options.on_event = [&](const ServersEvent& event) { events.add(describe(event)); };
  v1::McpServerAcp over_acp;
  over_acp.name = "inside";
  const Client client("test", "1");
  const Servers servers(
      client,
      {named("good", stdio_server(hostile("plain"))),
       named("broken", stdio_server({"sh", "-c", "echo no licence >&2; exit 3"})), over_acp},
      options);
  ASSERT_EQ(servers.tools().size(), 1u);
  EXPECT_EQ(servers.tools()[0].server, "good");
  EXPECT_EQ(v1::text_of(servers.call_tool("good", "work", {}).content), "\"done\"");
  const auto failures = servers.failures();
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_NE(failures[0].reason.find("exited with code 3"), std::string::npos);
  EXPECT_NE(failures[0].reason.find("no licence"), std::string::npos);
  EXPECT_EQ(failures[1].reason, "resolve: MCP over acp is a transport that is not supported");
  EXPECT_THROW(servers.call_tool("broken", "work", {}), Refused);
  EXPECT_THROW(servers.call_tool("nobody", "work", {}), Refused);
  EXPECT_EQ(events.list().size(), 3u);  // each said once
}

// Neither answers before the other one has been started, too.
TEST(Servers, AllStartAtTheSameTime) {
  const Within limit("servers that wait for one another");
  const std::string pipe =
      (std::filesystem::temp_directory_path() / ("acp-together-" + std::to_string(getpid())))
          .string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<v1::McpServer> configs;
  for (const char* end : {"r", "w"}) {
    std::vector<std::string> command = hostile("together");
    command.insert(command.end(), {pipe, end});
    configs.push_back(named(end, stdio_server(command)));
  }
  const Client client("test", "1");
  const Servers servers(client, configs);
  EXPECT_EQ(servers.tools().size(), 2u);
  EXPECT_TRUE(servers.failures().empty());
  std::filesystem::remove(pipe);
}

TEST(Servers, HaveADeadline) {
  const Within limit("servers that are silent");
  ServersOptions options;
  options.start_time = milliseconds(300);
  const Client client("test", "1");
  const Servers servers(client, std::vector<v1::McpServer>(3, stdio_server(hostile("silent"))),
                        options);
  ASSERT_EQ(servers.failures().size(), 3u);
  EXPECT_EQ(servers.failures()[0].reason.substr(0, 52),
            "handshake: no answer to initialize within 300 ms; th");
}

// It becomes ready only because it was named: else it would have failed.
TEST(Servers, AreNamedWhenTheyAreSlow) {
  const Within limit("a server that is slow");
  EXPECT_EQ(ServersOptions().slow_time, std::chrono::seconds(2));
  const std::string pipe =
      (std::filesystem::temp_directory_path() / ("acp-slow-" + std::to_string(getpid()))).string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::string> slow = hostile("together"), named_as_slow;
  slow.insert(slow.end(), {pipe, "r"});
  ServersOptions options;
  options.slow_time = milliseconds(10);
  options.on_slow = [&](const std::vector<std::string>& names) {
    named_as_slow = names;
    const std::ofstream opened(pipe);  // its other end waits for that
  };
  const Client client("test", "1");
  const Servers servers(client, {named("slow", stdio_server(slow))}, options);
  std::filesystem::remove(pipe);
  EXPECT_EQ(named_as_slow, std::vector<std::string>{"slow"});
  EXPECT_EQ(servers.tools().size(), 1u);
}

TEST(Servers, TheToolsOfADeadServerDisappear) {
  const Within limit("a server that dies");
  Events events;
  Gate lost;
  ServersOptions options;
  options.on_event = [&](const ServersEvent& event) {
    events.add(describe(event));
    if (event.kind == ServersEvent::Kind::lost) lost.open();
  };
  const Client client("test", "1");
  const Servers servers(client,
                        {named("good", stdio_server(hostile("plain"))),
                         named("mortal", stdio_server(hostile("killed")))},
                        options);
  EXPECT_EQ(servers.tools().size(), 2u);
  EXPECT_THROW(servers.call_tool("mortal", "work", {}), ConnectionClosed);
  ASSERT_TRUE(lost.wait("the loss of a server"));
  ASSERT_EQ(servers.tools().size(), 1u);
  EXPECT_EQ(servers.tools()[0].server, "good");
  EXPECT_EQ(events.list().back(), "mortal lost: the server was killed by SIGKILL; its last words:");
  EXPECT_EQ(v1::text_of(servers.call_tool("good", "work", {}).content), "\"done\"");
}

TEST(Servers, AServerOverHttpComesBack) {
  const Within limit("a server that comes back");
  const HttpProgram http(hostile("forgets"));
  Gate lost, again;
  std::atomic<int> ready = 0;
  ServersOptions options;
  options.first_pause = milliseconds(10);
  options.on_event = [&](const ServersEvent& event) {
    if (event.kind == ServersEvent::Kind::ready && ++ready == 2) again.open();
    if (event.kind == ServersEvent::Kind::lost) {
      EXPECT_EQ(event.reason, "HTTP 404 Not Found: the server no longer knows the session");
      EXPECT_TRUE(event.tries_again);
      lost.open();
    }
  };
  const Client client("test", "1");
  const Servers servers(client, {http_server(http.url("/mcp"))}, options);
  EXPECT_THROW(servers.call_tool("test", "work", {}), ConnectionClosed);
  EXPECT_TRUE(lost.wait("the end of the session"));
  EXPECT_TRUE(again.wait("a new session"));
  EXPECT_EQ(servers.tools().size(), 1u);
}

TEST(Servers, FailureIsSaidOnceHoweverOftenItIsTried) {
  const Within limit("a server that is not there");
  Events events;
  Gate ready;
  const int port = free_port();
  ServersOptions options;
  options.first_pause = options.longest_pause = milliseconds(5);
  options.on_event = [&](const ServersEvent& event) {
    events.add(describe(event));
    if (event.kind == ServersEvent::Kind::ready) ready.open();
  };
  const Client client("test", "1");
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/mcp";
  const Servers servers(client, {http_server(url)}, options);
  EXPECT_TRUE(servers.tools().empty());
  EXPECT_EQ(events.list(), (std::vector<std::string>{
                               "test failed: handshake: cannot reach " + url +
                               ": Couldn't connect to server (Connection refused) (tries again)"}));
  const HttpProgram late(hostile("plain"), port);
  ASSERT_TRUE(ready.wait("a server that starts late"));
  EXPECT_EQ(servers.tools().size(), 1u);
  EXPECT_EQ(events.list().size(), 2u);
}

TEST(Filesystem, RealFiles) {
  const Within limit("the server for files");
  namespace fs = std::filesystem;
  const fs::path directory =
      fs::canonical(fs::temp_directory_path()) / ("acp-mcp-test-" + std::to_string(getpid()));
  fs::create_directory(directory);
  std::ofstream(directory / "a.txt") << "hello\n";
  {
    const Server server =
        Client("test", "1").connect(stdio_server(filesystem(directory.string()))).wait();
    const auto call = [&](const char* tool, Json arguments) {
      const CallToolResult result = server.call_tool(tool, std::move(arguments)).wait();
      return (result.isError ? "error: " : "") + v1::text_of(result.content);
    };
    const std::string file = (directory / "a.txt").string();
    const std::string copy = (directory / "b.txt").string();
    EXPECT_EQ(call("read_text_file", Json::object({{"path", file}})), "hello\n");
    call("write_file", Json::object({{"path", copy}, {"content", "written"}}));
    std::string word;
    std::ifstream(copy) >> word;
    EXPECT_EQ(word, "written");
    EXPECT_EQ(call("list_directory", Json::object({{"path", directory.string()}})),
              "[FILE] a.txt\n[FILE] b.txt");
    const std::string outside = call("read_text_file", Json::object({{"path", "/etc/passwd"}}));
    EXPECT_TRUE(outside.starts_with("error: ")) << outside;
  }
  fs::remove_all(directory);
}

}  // namespace
}  // namespace acp::mcp
