// Tools of MCP servers that do not answer, or tell too much.
#include "coder/session/mcp_tools.h"

#include <gtest/gtest.h>

#include "acp/testing/gate.h"
#include "coder/testing/text.h"
#include "coder/tools/testing/local_tool_host.h"

namespace acp::coder {
namespace {

using acp::testing::Within;
using testing::contains;

class SessionServersTest : public ::testing::Test {
 protected:
  static v1::McpServerStdio server(const std::string& behaviour) {
    v1::McpServerStdio config;
    config.name = "strange";
    config.command = "python3";
    config.args = {std::filesystem::absolute("acp/mcp/testing/hostile_server.py"), behaviour};
    return config;
  }
  // Runs the tool of a server that behaves so. What went wrong, or what the tool said.
  std::string call(const std::string& behaviour, const std::string& more = {}) {
    v1::McpServerStdio config = server(behaviour);
    if (!more.empty()) config.args.push_back(more);
    McpTools servers({config}, {scratch.path()});
    servers.await({});
    const auto tools = servers.tools({}, limits);
    if (tools.empty()) return "no tools: " + servers.take_events().front();
    testing::LocalToolHost host({scratch.path()});
    try {
      return tools.front()
          ->prepare(Json::object(), host)
          .run([this](std::vector<v1::ToolCallContent> content) {
            shown.push_back(json::encode(content.front()));
          })
          .text;
    } catch (const ToolFailed& failed) {
      return failed.what();
    }
  }

  workspace::testing::Scratch scratch;
  ToolLimits limits;
  std::vector<std::string> shown;
};

TEST(McpToolName, NoTwoToolsShareOne) {
  EXPECT_EQ(mcp_tool_name("github", "create_issue"), "mcp__github__create_issue");
  const std::vector<std::pair<std::string, std::string>> tools = {{"x__y", "z"},
                                                                  {"x", "y__z"},
                                                                  {"x_", "y"},
                                                                  {"x", "_y"},
                                                                  {"a b", "c"},
                                                                  {"a_b", "c"},
                                                                  {"a.b", "c"},
                                                                  {"s", std::string(100, 'n')},
                                                                  {"s", std::string(101, 'n')}};
  std::set<std::string> names;
  for (const auto& [server, tool] : tools) {
    const std::string name = mcp_tool_name(server, tool);
    EXPECT_LE(name.size(), 64u);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST_F(SessionServersTest, ATitleDoesNotHideServerAndTool) {
  McpTools servers({server("poses")}, {scratch.path()});
  servers.await({});
  const auto tools = servers.tools({}, limits);
  ASSERT_EQ(tools.size(), 1u);
  testing::LocalToolHost host({scratch.path()});
  EXPECT_EQ(tools.front()->prepare(Json::object(), host).title, "strange/work: trusted/read␊␛[2J");
}

TEST_F(SessionServersTest, ACallThatIsNotAnsweredEndsAndTheServerIsTold) {
  const Within time("a server that hangs");
  limits.mcp_seconds = 1;
  const std::string told = scratch / "told";
  EXPECT_EQ(call("hangs", told),
            "the MCP server strange did not answer within 1 s (limits.mcp_seconds). The call was "
            "cancelled; what it has done until then is not known.");
  // The server wrote it before it ended, and it has ended.
  EXPECT_PRED2(contains, scratch.get("told"), "notifications/cancelled");
}

TEST_F(SessionServersTest, ProgressWithoutEndDoesNotHelp) {
  const Within time("a server that reports and does not answer");
  limits.mcp_seconds = 1;
  EXPECT_PRED2(contains, call("endless-progress"), "limits.mcp_seconds");
}

TEST_F(SessionServersTest, AHundredThousandMessagesAreShownAFewTimes) {
  const Within time("a server that reports much");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(call("progress"), "\"done\"");
  const auto tenths = (std::chrono::steady_clock::now() - begin) / std::chrono::milliseconds(100);
  EXPECT_GE(shown.size(), 1u);
  EXPECT_LE(shown.size(), static_cast<std::size_t>(tenths) + 2);
  for (const std::string& one : shown) EXPECT_LT(one.size(), 10'000u) << "and not whole";
}

}  // namespace
}  // namespace acp::coder
