// Tool calls that go on after their turn.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/version2_client.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// A turn that leaves a call in the background and says that it is over.
class BackgroundTest : public ::testing::Test {
 protected:
  BackgroundTest() : agent("test", "1") {
    agent.versions({1, 2}).on_prompt([this](Turn turn) -> Task<StopReason> {
      const ToolCall call = turn.tool_call("Watching", ToolKind::execute);
      co_await call.start();
      const auto watch = [this](ToolCall call) { return work(std::move(call)); };
      co_await call.background(watch);
      co_await begun.task();
      co_await turn.say("on its way");
      co_return StopReason::end_turn;
    });
  }
  // Goes on until it is told to stop, or cancelled.
  Task<void> work(ToolCall call) {
    bool cancelled = false;
    const SessionContext context = call.context();
    Task<void> told = go_on.task();
    const std::stop_callback on_stop(context.stop_token(), [this] { go_on.set(); });
    begun.set();
    co_await std::move(told);
    cancelled = call.cancelled();
    events.add(cancelled ? "cancelled" : "told");
    if (cancelled)
      co_await call.fail("stopped");
    else
      co_await call.complete("seen");
  }
  static std::string background_of(const Json& state) {
    return state["background"].absent() ? "none" : std::string(state["background"].text());
  }

  Promise<void> begun;  // the work is there, and can be cancelled
  Promise<void> go_on;
  Events events;
  Agent agent;
};

TEST_F(BackgroundTest, IsListedUntilItEnds) {
  const Within limit("work in the background");
  Version2Client client(agent);
  client.prompt();
  const Json idle = client.idle();
  const std::string id = client.text_of(client.updates("tool_call_update").front()["toolCallId"]);
  EXPECT_EQ(idle["stopReason"].as_string(), "end_turn");
  EXPECT_EQ(background_of(idle), "[{\"type\":\"tool_call\",\"toolCallId\":\"" + id + "\"}]");
  // Every state says it, also the first.
  const std::vector<Json> states = client.updates("state_update");
  ASSERT_EQ(states.size(), 3u);
  EXPECT_EQ(background_of(states[0]), "[]");
  EXPECT_EQ(states[1]["state"].as_string(), "running");
  EXPECT_EQ(background_of(states[1]), background_of(idle));
  go_on.set();
  const Json ends = client.update("tool_call_update", "status");
  EXPECT_EQ(ends["status"].as_string(), "completed");
  const Json after = client.idle();
  EXPECT_EQ(background_of(after), "[]");
  EXPECT_TRUE(after["stopReason"].absent());
}

TEST_F(BackgroundTest, TheTurnsCancellingDoesNotReachIt) {
  const Within limit("session/cancel and tool_call/cancel");
  Version2Client client(agent);
  client.prompt();
  client.idle();
  const std::string id = client.text_of(client.updates("tool_call_update").front()["toolCallId"]);
  client.notify("session/cancel");
  client.ask("session/list", "{}");
  EXPECT_TRUE(events.list().empty());
  const Json accepted = client.ask_about("tool_call/cancel", "toolCallId", id);
  EXPECT_TRUE(accepted["result"].is_object()) << accepted.text();
  EXPECT_EQ(background_of(client.idle()), "[]");
  EXPECT_EQ(client.updates("tool_call_update").back()["status"].as_string(), "cancelled");
  EXPECT_EQ(events.list(), std::vector<std::string>{"cancelled"});
}

TEST_F(BackgroundTest, EndsWithItsSession) {
  const Within limit("session/close");
  Version2Client client(agent);
  client.prompt();
  client.idle();
  const Json closed =
      client.ask("session/close", "{\"sessionId\":" + Json(client.session).text() + "}");
  EXPECT_TRUE(closed["result"].is_object());
  const Json last = client.updates("tool_call_update").back();
  EXPECT_EQ(last["status"].as_string(), "cancelled");
  EXPECT_TRUE(last["capabilities"].is_null());
  client.open("/");
  EXPECT_EQ(client.updates("state_update").size(), 3u);  // a closed session has no state
}

TEST_F(BackgroundTest, EndsWithTheConnection) {
  const Within limit("the client goes");
  {
    Version2Client client(agent);
    client.prompt();
    client.idle();
    client.served.raw.close();
    EXPECT_TRUE(client.served.connection.wait());
  }
  EXPECT_EQ(events.list(), std::vector<std::string>{"cancelled"});
}

// Nothing of version 1 follows a turn's end: it comes when the work has ended.
TEST_F(BackgroundTest, InVersion1TheTurnWaitsForIt) {
  const Within limit("a turn of version 1");
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  served.raw.prompt("6", session, "waits, too");
  served.raw.line(request("7", "session/new", R"({"cwd":"/","mcpServers":[]})"));
  const Json other = served.raw.read_answer("7");
  for (const std::string& line : served.raw.seen())
    EXPECT_EQ(line.find("stopReason"), std::string::npos) << line;
  go_on.set();
  std::string status;
  while (status != "completed" && status != "failed")
    status =
        served.raw.read_call("session/update")["params"]["update"]["status"].as_string().value_or(
            "");
  EXPECT_EQ(status, "completed");
  const Json answer = served.raw.read_answer("5");
  EXPECT_EQ(answer["result"]["stopReason"].as_string(), "end_turn");
  EXPECT_EQ(served.raw.read_answer("6")["result"]["stopReason"].as_string(), "end_turn");
}

TEST_F(BackgroundTest, InVersion1CancellingTheTurnCancelsIt) {
  const Within limit("a turn of version 1 that is cancelled");
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  while (served.raw.read_call("session/update")["params"]["update"]["content"]["text"].absent())
    continue;
  served.raw.line(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":)" +
                  Json(session).text() + "}}");
  const Json answer = served.raw.read_answer("5");
  EXPECT_EQ(answer["result"]["stopReason"].as_string(), "cancelled");
  EXPECT_EQ(events.list(), std::vector<std::string>{"cancelled"});
}

TEST_F(BackgroundTest, InVersion1TheEndOfTheConnectionEndsTheTurn) {
  const Within limit("a client of version 1 that goes");
  {
    Served served(agent);
    served.raw.initialize();
    served.raw.prompt("5", served.raw.new_session(), "go");
    while (served.raw.read_call("session/update")["params"]["update"]["content"]["text"].absent())
      continue;
    served.raw.close();
    EXPECT_TRUE(served.connection.wait());
  }
  EXPECT_EQ(events.list(), std::vector<std::string>{"cancelled"});
}

// ---- calls whose work the program does elsewhere

TEST(Background, ACallThatNobodyHoldsHasFailed) {
  const Within limit("a handle that is dropped");
  std::optional<ToolCall> kept;
  auto there = std::make_unique<Gate>();
  Agent agent("test", "1");
  agent.versions({1, 2}).on_prompt([&](Turn turn) {
    kept = turn.tool_call("Watching", ToolKind::other);
    kept->background().wait();
    there->open();
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  client.idle();
  kept->add_text("still here").wait();
  client.update("tool_call_content_chunk", "content");
  kept.reset();
  const Json ends = client.update("tool_call_update", "status");
  EXPECT_EQ(ends["status"].as_string(), "failed");
  EXPECT_EQ(client.idle()["background"].text(), "[]");
  // In version 1 the turn ends then.
  there = std::make_unique<Gate>();
  Served served(agent);
  served.raw.initialize();
  served.raw.prompt("5", served.raw.new_session(), "go");
  there->wait("the call is in the background");
  kept.reset();
  EXPECT_EQ(served.raw.read_answer("5")["result"]["stopReason"].as_string(), "end_turn");
}

TEST(Background, OnlyWhatIsOpenGoesThere) {
  const Within limit("a call that has ended");
  Agent agent("test", "1");
  agent.versions({2}).on_prompt([](Turn turn) {
    const ToolCall call = turn.tool_call("Quick", ToolKind::other);
    call.complete().wait();
    EXPECT_THROW(call.background().wait(), Refused);
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  EXPECT_EQ(client.idle()["background"].text(), "[]");
}

// One that was announced beside any turn.
TEST(Background, ACallOfNoTurnIsListed) {
  const Within limit("a call of no turn");
  std::optional<ToolCall> call;
  Agent agent("test", "1");
  agent.versions({2}).on_prompt([&](Turn turn) {
    call = turn.background().tool_call("Beside", ToolKind::other);
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  EXPECT_EQ(client.idle()["background"].size(), 1u);
  call->complete().wait();
  EXPECT_EQ(client.idle()["background"].size(), 0u);
}

// A program that stores its sessions sees how the session's end has ended the call.
TEST(Background, TheHookSeesTheEndWithTheSession) {
  const Within limit("a hook");
  Events stored;
  std::optional<ToolCall> kept;
  Agent agent("test", "1");
  agent.versions({2}).on_prompt([&](Turn turn) {
    const auto hook = [&stored](SessionUpdate& update) {
      if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update); change && change->status)
        stored.add(*change->status == ToolCallStatus::failed ? "failed" : "another status");
    };
    kept = turn.before_update(hook).tool_call("Watching", ToolKind::other);
    kept->background().wait();
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  client.idle();
  client.ask("session/close", "{\"sessionId\":" + Json(client.session).text() + "}");
  EXPECT_EQ(stored.list(), std::vector<std::string>{"failed"});
  EXPECT_EQ(client.updates("tool_call_update").back()["status"].as_string(), "cancelled");
  EXPECT_EQ(kept->status(), ToolCallStatus::failed);
}

// A session that is opened again has what went on in it before.
TEST(Background, StaysWhenItsSessionIsResumed) {
  const Within limit("session/resume");
  std::optional<ToolCall> kept;
  Agent agent("test", "1");
  agent.versions({2})
      .on_resume_session([](SessionContext, v1::ResumeSessionRequest) {})
      .on_prompt([&](Turn turn) {
        kept = turn.tool_call("Watching", ToolKind::other);
        kept->background().wait();
        return StopReason::end_turn;
      });
  Version2Client client(agent);
  client.prompt();
  client.idle();
  client.ask("session/resume", "{\"cwd\":\"/\",\"sessionId\":" + Json(client.session).text() + "}");
  EXPECT_EQ(client.updates("state_update").back()["background"].size(), 1u);
  kept->complete().wait();
  EXPECT_EQ(client.idle()["background"].size(), 0u);
}

}  // namespace
}  // namespace acp
