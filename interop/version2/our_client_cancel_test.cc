// Version 2: our client with an agent on the official SDK's draft: cancelling, in every phase of a
// turn.
#include <acp/error.h>
#include <acp/schema/v2.h>

#include "interop/version2/our_client.h"

namespace interop {
namespace {

class Version2Cancel : public Version2 {
 protected:
  // Prompts, waits until `name` is in the inbox, cancels, and expects the turn to be cancelled.
  void cancel_during(const acp::Session& session, const std::string& words,
                     const std::string& name) {
    acp::Prompt prompt = session.prompt(words);
    inbox.take(name);
    session.cancel();
    EXPECT_EQ(finish(std::move(prompt)).reason, StopReason::cancelled) << words;
    EXPECT_EQ(turn(session, "still there").text, "still there");
  }
  void until_chunk() {
    while (inbox.take("session/update").as_string() != "agent_message_chunk") continue;
  }
};

TEST_F(Version2Cancel, NothingChangesNothing) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  for (const char* text : {"hello", "again"}) {
    session.cancel();
    // The SDK runs the handlers of two messages that come together in any order.
    agent.peer().request("_echo/echo", Json::object({{"sessionId", session.id()}})).wait();
    const Told told = turn(session, text);
    EXPECT_EQ(told.reason, StopReason::end_turn);
    EXPECT_EQ(told.text, text);
  }
}

TEST_F(Version2Cancel, AStream) {
  const acp::Session session = open();
  acp::Prompt prompt = session.prompt("stream");
  until_chunk();
  session.cancel();
  const Told told = finish(std::move(prompt));
  EXPECT_EQ(told.reason, StopReason::cancelled);
  EXPECT_FALSE(told.updates.empty());
  EXPECT_EQ(turn(session, "still there").text, "still there");
}

TEST_F(Version2Cancel, APermissionRequest) {
  const acp::Session session = open();
  permission = [this](const acp::ClientContext& context) -> acp::Decision {
    try {
      until_cancelled(context.stop_token());
    } catch (const acp::Cancelled&) {
      inbox.put("stopped");
    }
    return acp::PermissionOptionKind::allow_once;  // too late to count
  };
  cancel_during(session, "permission-all", "session/request_permission");
  inbox.take("stopped");
  Json answer;
  while (answer.absent()) {
    const Json frame = wire.take("client");
    answer = Json(frame["result"]["outcome"]);
  }
  EXPECT_EQ(answer, Json::object({{"outcome", "cancelled"}})) << answer.text();
}

TEST_F(Version2Cancel, AQuestionAndAnExtension) {
  const acp::Session session = open();
  elicitation = [](const acp::ClientContext& context) -> v1::CreateElicitationResponse {
    until_cancelled(context.stop_token());
    return {};
  };
  cancel_during(session, "elicit-form", "elicitation/create");
  cancel_during(session, "elicit-url", "elicitation/create");
  cancel_during(session, "ext _client/wait {}", "_client/wait");
}

TEST_F(Version2Cancel, APromptThatWaits) {
  const acp::Session session = open();
  acp::Prompt first = session.prompt("wait");
  acp::Prompt second = session.prompt("never said");
  until_chunk();
  session.cancel();
  EXPECT_EQ(finish(std::move(first)).reason, StopReason::cancelled);
  const Told queued = finish(std::move(second));
  EXPECT_EQ(queued.reason, StopReason::cancelled);
  EXPECT_TRUE(queued.updates.empty());
  EXPECT_EQ(turn(session, "third").text, "third");
}

TEST_F(Version2Cancel, AClosedSessionsTurn) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  acp::Prompt prompt = session.prompt("wait");
  until_chunk();
  session.close().wait();
  EXPECT_EQ(finish(std::move(prompt)).reason, StopReason::cancelled);
}

TEST_F(Version2Cancel, ARequestByDroppingIt) {
  const acp::AgentHandle agent = start();
  const Json none = Json::object();
  {
    const acp::Task<Json> dropped = agent.peer().request("_echo/wait", none);
    inbox.take("_echo/waiting");
  }
  inbox.take("_echo/cancelled");
  EXPECT_EQ(agent.peer().request("_echo/echo", none).wait(), none);
}

// By `$/cancel_request`, before it is inserted.
TEST_F(Version2Cancel, APromptThatWaitsByDroppingItsRequest) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  acp::Prompt first = session.prompt("wait");
  until_chunk();
  acp::v2::TextContent text;
  text.text = "never said";
  acp::v2::PromptRequest request;
  request.sessionId = session.id();
  request.prompt.emplace_back(text);
  { const acp::Task<acp::v2::PromptResponse> dropped = agent.peer().request(request); }
  session.cancel();
  EXPECT_EQ(finish(std::move(first)).reason, StopReason::cancelled);
  EXPECT_EQ(turn(session, "third").text, "third");
}

TEST_F(Version2Cancel, IsDoneByTheAgentToo) {
  const acp::Session session = open();
  permission = [](const acp::ClientContext& context) -> acp::Decision {
    until_cancelled(context.stop_token());
    return {};
  };
  for (const char* method : {"_client/wait", "session/request_permission"}) {
    const std::string told = turn(session, std::string("take-back ") + method).text;
    EXPECT_TRUE(told.starts_with("failed -32800 ")) << told;
  }
}

}  // namespace
}  // namespace interop
