// A whole conversation over a network that fails at one byte of it: it ends, the server goes on,
// and nothing is left. 20 points of a fixed seed, 200 where ACP_LONG is set.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "acp/client.h"
#include "acp/remote/testing/faulty_proxy.h"
#include "acp/remote/testing/serving.h"

namespace acp::remote {
namespace {

using testing::Fault;
using testing::FaultyProxy;

struct FaultyNetworkTest : testing::Serving {
  FaultyNetworkTest() {
    options.limits.keep_alive = std::chrono::milliseconds(50);
    options.limits.vanish_time = std::chrono::milliseconds(500);
    agent.on_prompt([](Turn turn) -> Task<StopReason> {
      for (int i = 0; i < 10; ++i) co_await turn.say("word ");
      const ToolCall call = turn.tool_call("Ask", ToolKind::other);
      const Permission permission = co_await call.ask_permission();
      if (permission.allowed) co_await turn.say("thank you");
      co_return StopReason::end_turn;
    });
    agent.on_load_session([](SessionContext session, v1::LoadSessionRequest) -> Task<void> {
      for (int i = 0; i < 5; ++i) co_await session.say("before ");
    });
  }

  // Empty: everything went well. Otherwise the error that the client got.
  std::string converse(const std::string& scheme, std::uint16_t port) {
    UrlOptions how;
    how.connect_time = how.answer_time = std::chrono::milliseconds(1'000);
    how.vanish_time = std::chrono::milliseconds(500);
    Client client("test", "1");
    client.on_permission([](ClientContext, v1::RequestPermissionRequest) {
      return acp::Decision(v1::PermissionOptionKind::allow_once);
    });
    try {
      const AgentHandle handle =
          client.connect(remote::url(scheme + "://127.0.0.1:" + std::to_string(port) + "/acp", how))
              .wait();
      const Session session = handle.new_session("/").wait();
      if (session.prompt("hello").finish().wait().stopReason != StopReason::end_turn)
        return "another stop reason";
      handle.load_session("old", "/").wait();
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }
};

TEST_F(FaultyNetworkTest, EveryConversationEnds) {
  start();
  // How many bytes a conversation has.
  const int points = std::getenv("ACP_LONG") != nullptr ? 200 : 20;
  std::mt19937 random(20);
  const auto any = [&](std::size_t below) { return std::size_t{random()} % below; };
  int broken = 0, reached = 0;
  for (int i = 0; i < points; ++i) {
    const char* const scheme = i % 2 == 0 ? "http" : "ws";
    Fault fault;
    fault.kind = static_cast<Fault::Kind>(i / 2 % Fault::kinds);
    fault.to_client = any(2) == 0;
    fault.at = 1 + any(i % 2 == 0 ? 5'000 : 2'000);
    SCOPED_TRACE(std::string(scheme) + ": " + fault.text());
    const auto began = std::chrono::steady_clock::now();
    {
      FaultyProxy proxy(server->port(), fault);
      const std::string said = converse(scheme, proxy.port());
      const bool breaks =
          fault.kind == Fault::cut || fault.kind == Fault::reset || fault.kind == Fault::stall;
      if (!said.empty()) {
        EXPECT_TRUE(breaks && proxy.reached()) << said;
        ++broken;
      }
      if (proxy.reached()) ++reached;
    }
    wait_until_idle();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
  }
  EXPECT_EQ(converse("http", server->port()), "");
  EXPECT_EQ(converse("ws", server->port()), "");
  // The points are where something is.
  EXPECT_GT(reached, points / 2);
  EXPECT_GT(broken, points / 4);
}

}  // namespace
}  // namespace acp::remote
