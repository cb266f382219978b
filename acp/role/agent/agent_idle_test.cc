// An agent of version 2 whose session is idle: what may be sent of it, and what may not.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"
#include "acp/testing/gate.h"
#include "acp/testing/version2_client.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

SessionUpdate plan_of_one_step() {
  v1::PlanItems items;
  items.planId = "p";
  items.entries.emplace_back().content = "a step";
  v1::PlanUpdate update;
  update.plan = std::move(items);
  return update;
}

SessionUpdate call_of(const std::string& id) {
  v1::ToolCall call;
  call.toolCallId = id;
  call.title = "A call";
  return call;
}

void send_title(const Peer& peer, const std::string& session) {
  v2::SessionInfoUpdate info;
  info.title = "a title";
  v2::UpdateSessionNotification notification;
  notification.sessionId = session;
  notification.update = std::move(info);
  peer.notify(notification).wait();
}

struct Idle : ::testing::Test {
  Idle() : agent("test", "1") {
    agent.versions({1, 2}).on_prompt([this](Turn turn) {
      kept = turn.background();
      if (at_work) at_work(turn);
      return StopReason::end_turn;
    });
  }
  Agent agent;
  std::optional<SessionContext> kept;
  std::function<void(const Turn&)> at_work;
};

TEST_F(Idle, NothingOfATurnIsSent) {
  const Within limit("a context that is kept");
  at_work = [this](const Turn& turn) {
    kept->say("in time").wait();
    const SessionUpdate call = call_of("of the turn");
    turn.update(call).wait();
  };
  Version2Client client(agent);
  client.prompt();
  client.idle();
  EXPECT_EQ(client.updates("agent_message_chunk").size(), 1u);
  EXPECT_THROW(kept->say("late").wait(), Refused);
  EXPECT_THROW(kept->say(ContentBlock("late")).wait(), Refused);
  EXPECT_THROW(kept->think("late").wait(), Refused);
  EXPECT_THROW(kept->set_plan({}).wait(), Refused);
  const SessionUpdate plan = plan_of_one_step(), call = call_of("raw");
  EXPECT_THROW(kept->update(plan).wait(), Refused);
  EXPECT_THROW(kept->update(call).wait(), Refused);
  v1::ToolCallUpdate late;
  late.toolCallId = "of the turn";
  late.title = "late";
  EXPECT_THROW(kept->update(late).wait(), Refused);
  const SessionContext hooked = kept->before_update([](SessionUpdate& update) {
    EXPECT_TRUE(std::holds_alternative<v1::SessionInfoUpdate>(update)) << "refused before";
  });
  EXPECT_THROW(hooked.say("late").wait(), Refused);
  hooked.set_title("may change").wait();
  client.update("session_info_update", "title");
  kept.reset();
}

// The reason names what to do instead.
TEST_F(Idle, TheSentenceSaysWhatIsPossible) {
  const Within limit("a sentence");
  Version2Client client(agent);
  client.prompt();
  client.idle();
  try {
    kept->say("late").wait();
    FAIL() << "it was sent";
  } catch (const Refused& refused) {
    EXPECT_NE(std::string(refused.what()).find("tool_call()"), std::string::npos) << refused.what();
  }
  kept.reset();
}

TEST_F(Idle, ToolCallsGoOnInTheBackground) {
  const Within limit("a call in the background");
  Version2Client client(agent);
  client.prompt();
  client.idle();
  const ToolCall call = kept->tool_call("Beside", ToolKind::other);
  call.start().wait();
  v1::ToolCallUpdate titled;
  titled.toolCallId = call.id();
  titled.title = "Beside all";
  kept->update(titled).wait();
  call.complete("done").wait();
  EXPECT_EQ(client.idle()["background"].size(), 1u);
  EXPECT_EQ(client.idle()["background"].size(), 0u);
  // It is no background work any more.
  EXPECT_THROW(call.add_text("late").wait(), Refused);
  kept.reset();
}

TEST_F(Idle, Version1AsBefore) {
  const Within limit("version 1");
  Served served(agent);
  served.raw.initialize();
  served.raw.prompt("5", served.raw.new_session(), "go");
  served.raw.read_answer("5");
  kept->say("late").wait();
  EXPECT_EQ(served.raw.read()["params"]["update"]["sessionUpdate"].as_string(),
            "agent_message_chunk");
  kept.reset();
}

// Only a replay is a conversation that no turn has.
TEST_F(Idle, WhatChangesASessionSaysNothing) {
  const Within limit("handlers of sessions");
  Events events;
  const auto say = [&](const SessionContext& session, const char* where) {
    try {
      session.say("text").wait();
      events.add(std::string(where) + ": sent");
    } catch (const Refused&) {
      events.add(std::string(where) + ": refused");
    }
  };
  agent.on_new_session([&](SessionContext session, v1::NewSessionRequest) { say(session, "new"); })
      .on_load_session(
          [&](SessionContext session, v1::LoadSessionRequest) { say(session, "load"); })
      .on_resume_session(
          [&](SessionContext session, v1::ResumeSessionRequest) { say(session, "resume"); });
  Version2Client client(agent);
  client.ask_about("session/resume", "cwd", "/");
  client.ask("session/resume", "{\"sessionId\":" + Json(client.session).text() +
                                   R"(,"cwd":"/","replayFrom":{"type":"start"}})");
  EXPECT_EQ(events.list(),
            (std::vector<std::string>{"new: refused", "resume: refused", "load: sent"}));
}

TEST_F(Idle, APlanInsertsItsPrompt) {
  const Within limit("a plan before all else");
  const SessionUpdate plan = plan_of_one_step();
  at_work = [&](const Turn& turn) { turn.update(plan).wait(); };
  agent.prompt_insertion(PromptInsertion::by_handler);
  Version2Client client(agent);
  client.prompt();
  client.idle();
  std::string order;
  for (const Json& message : client.seen) {
    const JsonView update = message["params"]["update"];
    if (!update.absent()) order += update["sessionUpdate"].as_string().value_or("?") + " ";
  }
  EXPECT_EQ(order, "user_message state_update plan_update state_update ");
}

TEST_F(Idle, MessagesOfVersion2AreOfAnOpenSession) {
  const Within limit("typed messages of version 2");
  Version2Client client(agent);
  client.prompt();
  client.idle();
  const Peer peer = kept->peer();
  send_title(peer, client.session);
  client.update("session_info_update", "title");
  EXPECT_THROW(send_title(peer, "unknown"), Refused);
  client.ask("session/close", "{\"sessionId\":" + Json(client.session).text() + "}");
  EXPECT_THROW(send_title(peer, client.session), Refused);
  kept.reset();
}

}  // namespace
}  // namespace acp
