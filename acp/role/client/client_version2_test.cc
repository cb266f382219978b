// A client that speaks version 2: what agents may do in another order, or not at all. The usual is
// tried with the official SDK (interop/version2).
#include <gtest/gtest.h>

#include "acp/client.h"
#include "acp/error.h"
#include "acp/testing/version2_agent.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using ClientVersion2 = WithAgentOfVersion2;

void play_late_answer(RawEnd& end, const Json& prompt, bool echoes) {
  if (echoes) end.line(echo("hello"));
  end.line(state("\"running\""));
  end.line(chunk("said"));
  end.line(state(R"("idle","stopReason":"max_tokens")"));
  end.answer(prompt, R"({"messageId":"u"})");
}

TEST_F(ClientVersion2, ATurnMayEndBeforeItsPromptIsAnswered) {
  const Session session =
      open([](RawEnd& end, const Json& prompt) { play_late_answer(end, prompt, true); });
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::max_tokens);
  EXPECT_FALSE(session.state().turn_running());
}
TEST_F(ClientVersion2, SoMayOneWhoseMessageIsNotSentBack) {
  const Session session =
      open([](RawEnd& end, const Json& prompt) { play_late_answer(end, prompt, false); });
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::max_tokens);
}

TEST_F(ClientVersion2, ATurnNeedsNoRunning) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state(R"("idle","stopReason":"refusal")"));
  });
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::refusal);
}

TEST_F(ClientVersion2, IdleBeforeThePromptEndsNothing) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.line(state("\"idle\""));
    end.line(state(R"("idle","stopReason":"end_turn")"));
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"idle\""));
    end.line(state("\"requires_action\""));
    end.line(chunk("said"));
    end.line(state(R"("idle","stopReason":"max_tokens")"));
  });
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::max_tokens);
}

TEST_F(ClientVersion2, AnIdleWithoutAReasonEndsATurnThatRan) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    end.line(state("\"idle\""));
  });
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn);
}

TEST_F(ClientVersion2, ClosingASessionEndsItsPrompt) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    end.line(chunk("said"));
    const Json closed = end.read_call("session/close");
    end.answer(closed, "{}");
  });
  Prompt prompt = session.prompt("hello");
  ASSERT_TRUE(prompt.next().wait());
  session.close().wait();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::cancelled);
}

TEST_F(ClientVersion2, APromptThatIsRefusedFails) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.line(R"({"jsonrpc":"2.0","id":)" + std::string(prompt["id"].text()) +
             R"(,"error":{"code":-32602,"message":"not this"}})");
  });
  try {
    session.prompt("hello").finish().wait();
    ADD_FAILURE() << "expected an error";
  } catch (const CallFailed& failed) {
    EXPECT_EQ(failed.code(), -32602);
  }
  EXPECT_FALSE(session.state().turn_running());
}

TEST_F(ClientVersion2, WhatAnotherClientSaidIsShown) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    end.line(update(
        R"({"sessionUpdate":"user_message","messageId":"other","content":[{"type":"text","text":"by somebody"}]})"));
    end.line(echo("hello"));
    end.line(state(R"("idle","stopReason":"end_turn")"));
  });
  std::string said;
  for (PromptEvent& event : session.prompt("hello"))
    if (const auto* one = std::get_if<SessionUpdate>(&event))
      if (const auto* user = std::get_if<v1::UserMessageChunk>(one))
        said += std::get<v1::TextContent>(user->content).text;
  EXPECT_EQ(said, "by somebody");
}

// An agent that ends right after its last words: they count.
TEST_F(ClientVersion2, TheLastStateCountsThoughTheAgentHasGone) {
  client.on_update([](ClientContext context, v1::SessionNotification) -> Task<void> {
    const Json none = Json::object({});
    co_await context.peer().request("_slow", none);
  });
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    end.line(chunk("said"));
    end.line(state(R"("idle","stopReason":"max_tokens")"));
    end.read_call("_slow");
    end.shut_output();
  });
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::max_tokens);
}

TEST_F(ClientVersion2, ATurnWithoutAnEndFailsWithTheConnection) {
  const Session session = open([](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    end.shut_output();
  });
  EXPECT_THROW(session.prompt("hello").finish().wait(), ConnectionClosed);
}

// ---- sessions

// What opening a session is refused with, and that nothing of it was sent.
std::string refusal(const std::string& capabilities, const v1::NewSessionRequest& request) {
  auto [ours, theirs] = memory_pair();
  std::atomic<bool> asked = false;
  Script script(std::move(theirs), [&](RawEnd& end) {
    end.answer(end.read(), R"({"protocolVersion":2,"info":{"name":"a","version":"1"},)"
                           R"("capabilities":)" +
                               capabilities + "}");
    end.read_call("_test/last");
    for (const std::string& passed : end.seen())
      asked = asked || passed.find("session/") != passed.npos;
    end.read_to_end();
  });
  Client client("test", "1");
  client.versions({2});
  const AgentHandle agent = client.connect(std::move(ours)).wait();
  std::string why = "opened";
  for (const v1::McpServer& server : request.mcpServers) EXPECT_FALSE(agent.takes(server));
  try {
    agent.new_session(request).wait();
  } catch (const Refused& refused) {
    why = refused.what();
  }
  [[maybe_unused]] const Sent last = agent.peer().notify("_test/last", Json::object());
  EXPECT_FALSE(asked);
  return why;
}

TEST(SessionsOfVersion2, AreAskedForWhereTheyAreAdvertised) {
  const Within limit("an agent without sessions");
  v1::NewSessionRequest request;
  request.cwd = "/";
  EXPECT_NE(refusal("{}", request).find("capabilities.session"), std::string::npos);
  v1::McpServerStdio server;
  server.name = "files";
  server.command = "/bin/cat";
  request.mcpServers.emplace_back(server);
  EXPECT_NE(refusal(R"({"session":{"mcp":{"http":{}}}})", request).find("mcpServers[0]"),
            std::string::npos);
}

// ---- the beginning

std::string start(Client& client, const std::function<void(RawEnd&)>& play) {
  auto [ours, theirs] = memory_pair();
  Script script(std::move(theirs), [&](RawEnd& end) {
    play(end);
    end.read_to_end();
  });
  try {
    const AgentHandle agent = client.connect(std::move(ours)).wait();
    return "version " + std::to_string(agent.info().protocolVersion);
  } catch (const StartFailed& failed) {
    return failed.what();
  }
}

void fail(RawEnd& end, const Json& request, const std::string& error) {
  end.line(R"({"jsonrpc":"2.0","id":)" + std::string(request["id"].text()) + R"(,"error":)" +
           error + "}");
}

TEST(VersionOfAClient, AnAgentOfVersion1IsAskedAgainInItsOwnWords) {
  const Within limit("an agent of version 1");
  Client client("test", "1");
  client.versions({1, 2});
  EXPECT_EQ(start(client,
                  [](RawEnd& end) {
                    const Json first = end.read();
                    EXPECT_EQ(first["params"]["protocolVersion"].as_int64(), 2);
                    EXPECT_EQ(first["params"]["info"]["name"].as_string(), "test");
                    EXPECT_EQ(first["params"]["clientInfo"]["name"].as_string(), "test");
                    end.answer(first, R"({"protocolVersion":1})");
                    const Json second = end.read();
                    EXPECT_EQ(second["params"]["protocolVersion"].as_int64(), 1);
                    EXPECT_TRUE(second["params"]["info"].absent());
                    end.answer(second, R"({"protocolVersion":1})");
                  }),
            "version 1");
}

// One that takes no second `initialize` was asked in the words of both.
TEST(VersionOfAClient, AnAgentMayRefuseToBeAskedAgain) {
  const Within limit("an agent that is asked once");
  Client client("test", "1");
  client.versions({1, 2});
  std::atomic<bool> warned = false;
  client.on_log([&](const LogEntry& entry) {
    if (entry.level == LogEntry::Level::warning) warned = true;
  });
  EXPECT_EQ(start(client,
                  [](RawEnd& end) {
                    end.answer(end.read(), R"({"protocolVersion":1})");
                    fail(end, end.read(), R"({"code":-32600,"message":"once"})");
                  }),
            "version 1");
  EXPECT_TRUE(warned);
}

// On a connection of its own, where there can be another.
TEST(VersionOfAClient, OneThatRefusesToBeAskedAgainIsConnectedToAgain) {
  const Within limit("an agent that is asked once on each connection");
  auto [ours, theirs] = memory_pair();
  auto [second, their_second] = memory_pair();
  Script first(std::move(theirs), [](RawEnd& end) {
    end.answer(end.read(), R"({"protocolVersion":1})");
    fail(end, end.read(), R"({"code":-32600,"message":"once"})");
    end.read_to_end();
  });
  Script other(std::move(their_second), [](RawEnd& end) {
    const Json asked = end.read();
    EXPECT_EQ(asked["params"]["protocolVersion"].as_int64(), 1);
    EXPECT_TRUE(asked["params"]["info"].absent());
    end.answer(asked, R"({"protocolVersion":1,"agentInfo":{"name":"second","version":"1"}})");
    end.read_to_end();
  });
  Client client("test", "1");
  client.versions({1, 2});
  ours.again = [&another = second] { return std::move(another); };
  const AgentHandle agent = client.connect(std::move(ours)).wait();
  EXPECT_EQ(agent.info().agentInfo->name, "second");
  agent.close();
}

TEST(VersionOfAClient, AnErrorForVersion2IsNotTheEnd) {
  const Within limit("an agent that does not know version 2");
  Client client("test", "1");
  client.versions({1, 2});
  EXPECT_EQ(start(client,
                  [](RawEnd& end) {
                    fail(end, end.read(), R"({"code":-32602,"message":"2?"})");
                    end.answer(end.read(), R"({"protocolVersion":1})");
                  }),
            "version 1");
  client.versions({2});
  EXPECT_NE(start(client,
                  [](RawEnd& end) {
                    const Json first = end.read();
                    EXPECT_TRUE(first["params"]["clientInfo"].absent());
                    fail(end, first, R"({"code":-32022,"message":"no"})");
                  })
                .find("-32022 no"),
            std::string::npos);
  EXPECT_NE(start(client, [](RawEnd& end) { end.answer(end.read(), R"({"protocolVersion":1})"); })
                .find("the agent speaks protocol version 1, this client version 2"),
            std::string::npos);
}

TEST(VersionOfAClient, AnInvalidAnswerIsAFailedStart) {
  const Within limit("an agent without a name");
  Client client("test", "1");
  client.versions({1, 2});
  const std::string why =
      start(client, [](RawEnd& end) { end.answer(end.read(), R"({"protocolVersion":2})"); });
  EXPECT_NE(why.find("the answer to initialize is not valid: info"), std::string::npos) << why;
}

TEST(VersionOfAClient, VersionsThatThereAreNot) {
  Client client("test", "1");
  for (const std::vector<int>& versions :
       {std::vector<int>{}, std::vector{3}, std::vector{0, 1}, std::vector{1, 1}})
    EXPECT_THROW(client.versions(versions), std::invalid_argument);
}

}  // namespace
}  // namespace acp
