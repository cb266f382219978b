// Defects that other libraries for ACP have, or had, and that ours must not have. Those tested
// elsewhere are listed only:
// clang-format off
//   D01 requestId, -32800      Engine.CancelIsSentAndReadWithRequestId, Regressions.D01_*
//   D02 destructors            Lifetimes.* (lifetimes_test.cc)
//   D03 reader thread          Regressions.D03_*
//   D04 unknown is kept        Regressions.D04_*, schema/roundtrip_test.cc
//   D05 malformed is answered  Engine.WhatIsMalformedIsAnswered…, EngineGuarantee.P5_* (engine_guarantees_test.cc)
//   D06 two connections        Regressions.D06_*
//   D07 nesting, dead peers    Engine.TwoHundredThousandNestedArrays, HostileClient.*, EngineGuarantee.P7_NoSigpipe
//   D08 after close            Engine.ClosingTellsEveryoneWhoWaitsAtOnce, Regressions.D08_*
//   D09 pending on disconnect  Regressions.D09_*
//   D10 quadratic search       Framing.*, HostileClient.LargeMessages
//   D11 CLOEXEC                ProcessDescriptors.*, Regressions.D11_*
//   D12 compile time           bench/compile.py
//   D13 time-out of a prompt   Regressions.D13_*
//   D14 line limit             HostileClient.LargeMessages
// clang-format on
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/testing/agents.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

using Strings = std::vector<std::string>;

std::string text_of(const SessionUpdate& update) {
  const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update);
  return chunk ? std::get<v1::TextContent>(chunk->content).text : "(no text)";
}

TEST(Regressions, D01_ACancelledRequestIsAnsweredWithItsCode) {
  const Within limit("$/cancel_request of an extension method");
  Agent agent = silent_agent();
  Gate begun;
  agent.on_request("_wait", [&](Context context, Json) -> Task<Json> {
    begun.open();
    co_return co_await context.peer().request("_never", Json::object());
  });
  Served served(agent);
  served.raw.initialize();
  served.raw.line(request("1", "_wait"));
  const Json inner = served.raw.read_call("_never");
  ASSERT_TRUE(begun.wait("the handler begins"));
  served.raw.line(
      "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}");
  // What it waited for is cancelled by the same name, then it has its answer.
  const Json cancel = served.raw.read_call("$/cancel_request");
  EXPECT_EQ(cancel["params"]["requestId"].text(), inner["id"].text());
  EXPECT_EQ(served.raw.read_answer("1")["error"]["code"].as_int64(), -32800);
}

TEST(Regressions, D03_HandlersOnTheReaderThreadDoNotDeadlock) {
  const Within limit("a dialog that blocks");
  Gate asked, seen_update;
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    const ToolCall call = turn.tool_call("Deleting", ToolKind::delete_);
    const Permission permission = co_await call.ask_permission();
    co_return permission.allowed ? StopReason::end_turn : StopReason::refusal;
  });
  agent.on_request("_talk", [](Context context, Json) -> Task<Json> {
    const Json params = Json::object();
    co_await context.peer().notify("_talking", params);
    co_return params;
  });
  Client client("test", "1");
  client.on_permission(blocking([&](ClientContext, v1::RequestPermissionRequest) {
    asked.open();
    seen_update.wait("an update while the dialog is open");
    return Decision(PermissionOptionKind::allow_once);
  }));
  client.on_notification("_talking", [&](ClientContext, Json) -> Task<void> {
    seen_update.open();
    co_return;
  });
  auto [left, right] = memory_pair();
  AgentConnection served = agent.start(std::move(right));
  const AgentHandle remote = client.connect(std::move(left)).wait();
  const Session session = remote.new_session("/").wait();
  Prompt prompt = session.prompt("go");
  ASSERT_TRUE(asked.wait("the permission request"));
  remote.peer().request("_talk", Json::object()).wait();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::end_turn);
  remote.close();
}

TEST(Regressions, D03_CancelEndsADialogThatBlocks) {
  const Within limit("session.cancel() with a dialog open");
  Gate asked;
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    const ToolCall call = turn.tool_call("Deleting", ToolKind::delete_);
    co_await call.ask_permission();
    co_return StopReason::end_turn;
  });
  Client client("test", "1");
  client.on_permission(blocking([&](ClientContext context, v1::RequestPermissionRequest) {
    asked.open();
    while (!context.cancelled()) std::this_thread::yield();
    return Decision(PermissionOptionKind::allow_once);
  }));
  auto [left, right] = memory_pair();
  AgentConnection served = agent.start(std::move(right));
  const AgentHandle remote = client.connect(std::move(left)).wait();
  const Session session = remote.new_session("/").wait();
  Prompt prompt = session.prompt("go");
  ASSERT_TRUE(asked.wait("the permission request"));
  session.cancel();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::cancelled);
  remote.close();
}

// More of them than the connection has threads.
TEST(Regressions, D03_AHundredDialogsStopNothing) {
  const Within limit("a hundred dialogs that block");
  constexpr int dialogs = 100;
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    for (int i = 0; i < dialogs; ++i)
      end.line(request(std::to_string(i), "session/request_permission",
                       "{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"t\"},\"options\":[]}"));
    end.line("{\"jsonrpc\":\"2.0\",\"method\":\"_talking\",\"params\":{}}");
    for (int i = 0; i < dialogs; ++i) EXPECT_TRUE(end.read()["result"]["outcome"].is_object());
  });
  Gate heard;
  Client client("test", "1");
  client.on_permission(blocking([&](ClientContext, v1::RequestPermissionRequest) {
    heard.wait("a notification while all threads are taken");
    return Decision::cancelled();
  }));
  client.on_notification("_talking", [&](ClientContext, Json) -> Task<void> {
    heard.open();
    co_return;
  });
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  agent.join();
  remote.close();
}

// A program's own loop: what blocks runs beside it, as many as there are.
TEST(Regressions, D03_WhatBlocksRunsBesideAProgramsOwnLoop) {
  const Within limit("plain handlers under a loop of the program's own");
  Agent agent = silent_agent();
  Gate second;
  std::atomic<int> calls = 0;
  agent.on_request("_first", blocking([&](Context, Json) {
                     ++calls;
                     second.wait("the second call, while the first one blocks");
                     return Json("first");
                   }));
  agent.on_request("_second", blocking([&](Context, Json) {
                     ++calls;
                     second.open();
                     return Json("second");
                   }));
  agent.on_request("_plain", blocking([&](Context, Json) {
                     ++calls;
                     return Json("plain");
                   }));
  auto [left, right] = memory_pair();
  RawEnd raw(std::move(left));
  AgentConnection served = agent.attach(std::move(right));
  std::atomic<bool> stop = false;
  std::thread loop([&] {
    while (!stop) {
      served.dispatch();
      std::this_thread::yield();
    }
  });
  raw.initialize();
  for (int round = 0; round < 3; ++round) {
    raw.line(request("1", "_plain"));
    EXPECT_EQ(raw.read_answer("1")["result"].as_string(), "plain");
  }
  raw.send(request("2", "_first") + "\n" + request("3", "_second") + "\n");
  std::set<std::string> answers;
  for (int i = 0; i < 2; ++i) answers.insert(raw.read()["result"].as_string().value_or("?"));
  EXPECT_EQ(answers, (std::set<std::string>{"first", "second"}));
  EXPECT_EQ(calls, 5);
  stop = true;
  loop.join();
}

TEST(Regressions, D04_WhatIsUnknownIsKept) {
  const Within limit("unknown updates");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    for (const char* update : {"{\"sessionUpdate\":\"hologram\",\"depth\":3}",
                               "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"title\":"
                               "\"T\",\"kind\":\"levitate\"}",
                               "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":"
                               "\"smell\",\"of\":\"tea\"}}"})
      end.line(
          "{\"jsonrpc\":\"2.0\",\"method\":\"session/"
          "update\",\"params\":{\"sessionId\":\"s\",\"update\":" +
          std::string(update) + "}}");
    end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
    end.read_to_end();
  });
  Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  std::vector<SessionUpdate> updates;
  StopReason reason{};
  for (PromptEvent& event : session.prompt("go")) {
    if (const auto* update = std::get_if<SessionUpdate>(&event))
      updates.push_back(*update);
    else
      reason = std::get<StopReason>(event);
  }
  ASSERT_EQ(updates.size(), 3u);
  ASSERT_TRUE(std::holds_alternative<Unknown>(updates[0]));
  EXPECT_EQ(std::get<Unknown>(updates[0]).tag, "hologram");
  EXPECT_EQ(std::get<Unknown>(updates[0]).payload["depth"].as_int64(), 3);
  ASSERT_TRUE(std::holds_alternative<v1::ToolCall>(updates[1]));
  EXPECT_EQ(std::get<v1::ToolCall>(updates[1]).title, "T");
  EXPECT_FALSE(std::get<v1::ToolCall>(updates[1]).kind);  // as the schema wants it
  const auto* chunk = std::get_if<v1::AgentMessageChunk>(&updates[2]);
  ASSERT_NE(chunk, nullptr);
  ASSERT_TRUE(std::holds_alternative<Unknown>(chunk->content));
  EXPECT_EQ(std::get<Unknown>(chunk->content).tag, "smell");
  EXPECT_EQ(reason, StopReason::end_turn);
  remote.close();
}

TEST(Regressions, D06_TwoConnectionsNeverMix) {
  const Within limit("four connections at once");
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    const std::string text = turn.text();
    for (int i = 0; i < 300; ++i) co_await turn.say(text);
    co_return StopReason::end_turn;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      auto [left, right] = memory_pair();
      AgentConnection served = agent.start(std::move(right));
      Client client("test", "1");
      const AgentHandle remote = client.connect(std::move(left)).wait();
      const Session session = remote.new_session("/").wait();
      const std::string mine(static_cast<std::size_t>(100 * i + 1), static_cast<char>('a' + i));
      int count = 0;
      for (PromptEvent& event : session.prompt(mine))
        if (const auto* update = std::get_if<SessionUpdate>(&event)) {
          EXPECT_EQ(text_of(*update), mine);
          ++count;
        }
      EXPECT_EQ(count, 300);
      remote.close();
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Regressions, D08_CallsAfterTheEndFailAtOnce) {
  const Within limit("calls after close");
  Agent agent = silent_agent();
  auto [left, right] = memory_pair();
  AgentConnection served = agent.start(std::move(right));
  Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(left)).wait();
  const Session session = remote.new_session("/").wait();
  remote.close();
  EXPECT_FALSE(remote.connected());
  EXPECT_THROW(remote.peer().request("_x", Json::object()).wait(), ConnectionClosed);
  EXPECT_THROW(session.prompt("go").finish().wait(), ConnectionClosed);
  EXPECT_THROW(remote.new_session("/").wait(), StartFailed);
  EXPECT_THROW(remote.peer().notify("_x", Json::object()).wait(), ConnectionClosed);
  session.cancel();
  EXPECT_TRUE(served.wait());
  EXPECT_THROW(served.peer().request("_x", Json::object()).wait(), ConnectionClosed);
}

TEST(Regressions, D09_PendingCallsFailOnDisconnect) {
  const Within limit("calls that were pending when the connection ended");
  // Ours as a client.
  {
    auto [ours, theirs] = memory_pair();
    Script agent(std::move(theirs), [](RawEnd& end) {
      end.welcome();
      end.read_call("_x");
      end.read_call("session/prompt");
      end.close();
    });
    Client client("test", "1");
    const AgentHandle remote = client.connect(std::move(ours)).wait();
    const Session session = remote.new_session("/").wait();
    Task<Json> call = remote.peer().request("_x", Json::object());
    Prompt prompt = session.prompt("go");
    EXPECT_THROW(prompt.finish().wait(), ConnectionClosed);
    EXPECT_THROW(std::move(call).wait(), ConnectionClosed);
    EXPECT_FALSE(remote.connected());
  }
  // Ours as an agent.
  Events events;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    try {
      co_await turn.peer().request("_x", Json::object());
    } catch (const ConnectionClosed&) {
      events.add("closed");
    }
    co_return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("1", session, "go");
  served.raw.read_call("_x");
  served.raw.close();
  EXPECT_TRUE(served.connection.wait());
  EXPECT_EQ(events.list(), Strings{"closed"});
}

// A login for an agent that is gone already.
TEST(Regressions, D09_ALoginForAnAgentThatIsGoneFails) {
  for (const bool plain : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      const Within limit("a login at an agent that has gone");
      auto [ours, theirs] = memory_pair();
      Script agent(std::move(theirs), [](RawEnd& end) {
        end.answer(end.read_call("initialize"),
                   "{\"protocolVersion\":1,\"authMethods\":[{\"id\":\"m\",\"name\":\"M\"}]}");
        const Json open = end.read_call("session/new");
        end.send("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(open["id"].text()) +
                 ",\"error\":{\"code\":-32000,\"message\":\"log in\"}}\n");
        end.close();
      });
      Client client("test", "1");
      if (plain)
        client.on_auth_required(
            [](ClientContext, std::vector<v1::AuthMethod>) { return std::string("m"); });
      else
        client.on_auth_required(
            [](ClientContext, std::vector<v1::AuthMethod>) -> Task<std::string> { co_return "m"; });
      const AgentHandle remote = client.connect(std::move(ours)).wait();
      EXPECT_ANY_THROW(remote.new_session("/").wait());
    }
  }
}

// Nobody wants the answer any more, and nobody holds the agent: then the connection ends.
TEST(Regressions, D09_DroppingEverythingClosesAlthoughAPromptIsPending) {
  const Within limit("the end of a connection whose handles are gone");
  for (const bool answered : {false, true}) {
    auto [ours, theirs] = memory_pair();
    Gate prompted;
    bool ended = false;
    Script agent(std::move(theirs), [&](RawEnd& end) {
      end.welcome();
      const Json prompt = end.read_call("session/prompt");
      prompted.open();
      if (answered) end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
      ended = end.read_to_end();
    });
    Client client("test", "1");
    {
      const AgentHandle remote = client.connect(std::move(ours)).wait();
      const Session session = remote.new_session("/").wait();
      Prompt prompt = session.prompt("go");
      ASSERT_TRUE(prompted.wait("the prompt"));
    }
    agent.join();
    EXPECT_TRUE(ended);
  }
}

TEST(Regressions, D09_AnAttachedAgentThatIsDroppedCloses) {
  const Within limit("the end of an attached connection whose handle is gone");
  auto [ours, theirs] = memory_pair();
  RawEnd agent(std::move(theirs));
  Client client("test", "1");
  {
    const AgentHandle remote = client.attach(std::move(ours));
    remote.dispatch();
    agent.read_call("initialize");
  }
  EXPECT_TRUE(agent.read_to_end());
}

TEST(Regressions, D11_EveryDescriptorIsClosedOnExec) {
  const Within limit("descriptors");
  std::set<int> before;
  for (int fd = 0; fd < 1024; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) before.insert(fd);
  Agent agent = silent_agent();
  auto [left, right] = memory_pair();
  AgentConnection served = agent.start(std::move(right));
  Client client("test", "1");
  const AgentHandle near = client.connect(std::move(left)).wait();
  const AgentHandle far = client.spawn(program("stray")).wait();
  int opened = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    const int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || before.contains(fd)) continue;
    ++opened;
    EXPECT_NE(flags & FD_CLOEXEC, 0) << "descriptor " << fd;
  }
  EXPECT_GT(opened, 6);
  far.close();
  near.close();
}

// A loop of the program's own would have to wake up for a time-out: there is none.
TEST(Regressions, D13_APromptHasNoTimeOut) {
  const Within limit("a prompt under a loop of the program's own");
  auto [ours, theirs] = memory_pair();
  Gate prompted, go_on;
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    prompted.open();
    go_on.wait("the look at the clock");
    end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
    end.read_to_end();
  });
  Client client("test", "1");
  const AgentHandle remote = client.attach(std::move(ours));
  while (!remote.ready()) remote.dispatch();
  const Session session = remote.new_session("/").wait();
  Prompt prompt = session.prompt("go");
  ASSERT_TRUE(prompted.wait("the prompt"));
  remote.dispatch();
  EXPECT_EQ(remote.timeout(), -1);
  go_on.open();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::end_turn);
  remote.close();
}

}  // namespace
}  // namespace acp
