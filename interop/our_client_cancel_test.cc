// Our client with an agent on the official SDK: cancelling, in every phase of a turn.
#include "interop/our_client.h"

namespace interop {
namespace {

class Cancelling : public OurClient {
 protected:
  // Prompts, waits until `name` is in the inbox, cancels, and expects the turn to be cancelled.
  void cancel_during(const acp::Session& session, const std::string& words,
                     const std::string& name) {
    acp::Prompt prompt = session.prompt(words);
    inbox.take(name);
    session.cancel();
    EXPECT_EQ(finish(std::move(prompt)).reason, acp::StopReason::cancelled) << words;
    EXPECT_EQ(turn(session, "still there").text, "still there");
  }
  void until_chunk() {
    while (inbox.take("session/update").as_string() != "agent_message_chunk") continue;
  }
  // Until the agent has answered this request of ours, which nobody waits for.
  Json answer_of(const std::string& method, const std::string& since_text) {
    Json id;
    while (id.absent()) {
      const Json frame = wire.take("client");
      if (frame["method"].as_string() == method &&
          frame.text().find(since_text) != std::string::npos)
        id = Json(frame["id"]);
    }
    while (true) {
      const Json frame = wire.take("agent");
      if (frame["method"].absent() && frame["id"] == id.view()) return frame;
    }
  }
};

TEST_P(Cancelling, NothingChangesNothing) {
  const acp::Session session = open_session();
  session.cancel();
  EXPECT_EQ(turn(session, "hello").reason, acp::StopReason::end_turn);
  session.cancel();
  EXPECT_EQ(turn(session, "again").text, "again");
}

TEST_P(Cancelling, AStream) {
  const acp::Session session = open_session();
  acp::Prompt prompt = session.prompt("stream");
  until_chunk();
  session.cancel();
  const Told told = finish(std::move(prompt));
  EXPECT_EQ(told.reason, acp::StopReason::cancelled);
  EXPECT_FALSE(told.updates.empty());
  EXPECT_EQ(turn(session, "still there").text, "still there");
}

TEST_P(Cancelling, APermissionRequest) {
  const acp::Session session = open_session();
  permission = [this](const acp::ClientContext& context, const auto&) -> acp::Decision {
    try {
      until_cancelled(context.stop_token());
    } catch (const acp::Cancelled&) {
      inbox.put("stopped");
    }
    return acp::PermissionOptionKind::allow_once;  // too late to count
  };
  cancel_during(session, "permission", "session/request_permission");
  inbox.take("stopped");
  Json answer;
  while (answer.absent()) {
    const Json frame = wire.take("client");
    answer = Json(frame["result"]["outcome"]);
  }
  EXPECT_EQ(answer, Json::object({{"outcome", "cancelled"}})) << answer.text();
}

TEST_P(Cancelling, AFileAndAQuestion) {
  const acp::Session session = open_session();
  read = [](const acp::ClientContext& context, const auto&) -> v1::ReadTextFileResponse {
    until_cancelled(context.stop_token());
    return {};
  };
  elicitation = [](const acp::ClientContext& context) -> v1::CreateElicitationResponse {
    until_cancelled(context.stop_token());
    return {};
  };
  cancel_during(session, "read /project/a", "fs/read_text_file");
  cancel_during(session, "elicit", "elicitation/create");
  cancel_during(session, "elicit-url", "elicitation/create");
  cancel_during(session, "ext _client/wait {}", "_client/wait");
}

TEST_P(Cancelling, ATerminal) {
  const acp::Session session = open_session();
  cancel_during(session, "terminal sleep", "terminal/wait_for_exit");
  EXPECT_EQ(terminals.open(), 0u);
}

TEST_P(Cancelling, APromptInTheQueue) {
  const acp::Session session = open_session();
  acp::Prompt first = session.prompt("wait");
  acp::Prompt second = session.prompt("never said");
  until_chunk();
  session.cancel();
  EXPECT_EQ(finish(std::move(first)).reason, acp::StopReason::cancelled);
  const Told queued = finish(std::move(second));
  EXPECT_EQ(queued.reason, acp::StopReason::cancelled);
  EXPECT_TRUE(queued.updates.empty());
  EXPECT_EQ(turn(session, "third").text, "third");
}

TEST_P(Cancelling, ARequestByDroppingIt) {
  const acp::AgentHandle agent = start();
  const Json none = Json::object();
  {
    const acp::Task<Json> dropped = agent.peer().request("_agent/wait", none);
    inbox.take("_agent/waiting");
  }
  inbox.take("_agent/cancelled");
  const Json answer = answer_of("_agent/wait", "_agent/wait");
  EXPECT_EQ(answer["error"]["code"].as_int64(), -32800);
  EXPECT_EQ(agent.peer().request("_agent/echo", none).wait(), none);
}

TEST_P(Cancelling, APromptByDroppingIt) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  v1::PromptRequest request;
  request.sessionId = session.id();
  request.prompt = {acp::ContentBlock("wait")};
  {
    const acp::Task<v1::PromptResponse> dropped = agent.peer().request(request);
    until_chunk();
  }
  const Json answer = answer_of("session/prompt", "wait");
  EXPECT_EQ(answer["result"]["stopReason"].as_string(), "cancelled");
  EXPECT_EQ(turn(session, "still there").text, "still there");
}

TEST_P(Cancelling, IsDoneByTheAgentToo) {
  const acp::Session session = open_session();
  const std::string told = turn(session, "take-back _client/wait").text;
  EXPECT_TRUE(told.starts_with("failed -32800 ")) << told;
}

INSTANTIATE_TEST_SUITE_P(EntryPoint, Cancelling, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "unstable" : "stable");
});

}  // namespace
}  // namespace interop
