// Our client with an agent on the official SDK: the handshake, authentication, errors, extensions.
#include "interop/our_client.h"

namespace interop {
namespace {

TEST_P(OurClient, ShakesHands) {
  const acp::AgentHandle agent = start();
  EXPECT_EQ(agent.info().protocolVersion, 1);
  ASSERT_TRUE(agent.info().agentInfo.has_value());
  EXPECT_EQ(agent.info().agentInfo->name, "sdk-agent");
  EXPECT_TRUE(agent.capabilities().loadSession);
  EXPECT_TRUE(agent.capabilities().sessionCapabilities.resume.has_value());
  EXPECT_EQ(agent.capabilities().sessionCapabilities.fork.has_value(), unstable());
  EXPECT_EQ(agent.auth_methods().size(), 1u);
  if (remote()) return;  // it has one attempt
  // The SDK lets a v1 client ask again; what it does not take is a version that is no number.
  const Json text = Json::object({{"protocolVersion", "1"}});
  failure(-32602, [&] { agent.peer().request("initialize", text).wait(); });
  v1::InitializeRequest again;
  for (const v1::ProtocolVersion version : {65535, 0}) {
    again.protocolVersion = version;
    EXPECT_EQ(agent.peer().request(again).wait().protocolVersion, 1);
  }
}

TEST_P(OurClient, GivesUpOnAnotherVersion) {
  try {
    start({"version=2"});
    FAIL() << "expected StartFailed";
  } catch (const acp::StartFailed& failed) {
    EXPECT_EQ(failed.diagnosis().phase, acp::StartFailed::Phase::handshake);
    EXPECT_NE(failed.diagnosis().reason.find("version 2"), std::string::npos) << failed.what();
  }
}

TEST_P(OurClient, EndsAnAgentByClosingItsInput) {
  const acp::AgentHandle agent = start();
  agent.close();
  EXPECT_FALSE(agent.connected());
  ASSERT_EQ(agent.exit_status().has_value(), !remote());
  if (const auto status = agent.exit_status()) {
    EXPECT_TRUE(status->success()) << status->describe();
  }
  EXPECT_THROW(agent.new_session("/project").wait(), std::exception);
}

TEST_P(OurClient, IsAskedToLogInAndTellsHow) {
  const acp::AgentHandle agent = start({"require-login"});
  const acp::Error required = failure(-32000, [&] { agent.new_session("/project").wait(); });
  EXPECT_EQ(required.data()["authMethods"][0]["id"].as_string(), "password");
  failure(-32602, [&] { agent.authenticate("magic").wait(); });
  v1::AuthenticateRequest unlisted;
  unlisted.methodId = "magic";
  failure(-32602, [&] { agent.peer().request(unlisted).wait(); });
  agent.authenticate("password").wait();
  EXPECT_EQ(turn(agent.new_session("/project").wait(), "hello").text, "hello");
  agent.logout().wait();
  failure(-32000, [&] { agent.new_session("/project").wait(); });
}

TEST_P(OurClient, LogsInByItselfWhenItHasAChooser) {
  client.on_auth_required([this](acp::ClientContext, std::vector<v1::AuthMethod> methods) {
    inbox.put("chooser", static_cast<int>(methods.size()));
    return std::string("password");
  });
  const acp::AgentHandle agent = start({"require-login"});
  EXPECT_EQ(turn(agent.new_session("/project").wait(), "hello").text, "hello");
  EXPECT_EQ(inbox.take("chooser").as_int64(), 1);
}

TEST_P(OurClientUnstable, IsToldHowItIsLoggedIn) {
  const acp::AgentHandle agent = start({"require-login"});
  const auto state = [&] { return agent.auth_status().wait().state; };
  const auto told = [&] {
    const Json status = inbox.take("auth/status_update");
    return status["state"].as_string();
  };
  EXPECT_EQ(state(), v1::AuthState::unauthenticated);
  agent.authenticate("password").wait();
  EXPECT_EQ(told(), "authenticated");
  EXPECT_EQ(state(), v1::AuthState::authenticated);
  agent.logout().wait();
  EXPECT_EQ(told(), "unauthenticated");
}

TEST_P(OurClient, GetsErrorsWhole) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  failure(-32603, [&] { turn(session, "throw"); });
  const acp::Error custom = failure(-31999, [&] { turn(session, "error -31999"); });
  EXPECT_STREQ(custom.what(), "as you wish");
  EXPECT_EQ(custom.data(), Json::object({{"asked", true}}));
  const Json none = Json::object();
  const acp::Error deep =
      failure(-31007, [&] { agent.peer().request("_agent/fail", none).wait(); });
  EXPECT_EQ(deep.data()["deep"]["list"][2].as_string(), "x");
}

TEST_P(OurClient, SendsErrorsWholeAndKeepsItsSecrets) {
  const acp::Session session = open_session();
  EXPECT_EQ(turn(session, "ext _client/fail {}").text,
            R"(failed -31007 a custom error {"deep":[1,null,"x"]})");
  const std::string thrown = turn(session, "ext _client/throw {}").text;
  EXPECT_TRUE(thrown.starts_with("failed -32603 ")) << thrown;
  EXPECT_EQ(thrown.find("secret"), std::string::npos) << thrown;
}

TEST_P(OurClient, HearsOfUnknownSessions) {
  const acp::AgentHandle agent = start();
  const auto unknown = [&](auto request) {
    request.sessionId = "nowhere";
    const acp::Error error = failure(-32002, [&] { agent.peer().request(request).wait(); });
    EXPECT_EQ(error.data()["sessionId"].as_string(), "nowhere");
  };
  v1::LoadSessionRequest load;
  load.cwd = "/project";
  v1::ResumeSessionRequest resume;
  resume.cwd = "/project";
  v1::SetSessionConfigOptionRequest option;
  option.value = v1::SetSessionConfigValueId();
  unknown(v1::PromptRequest());
  unknown(load);
  unknown(resume);
  unknown(v1::SetSessionModeRequest());
  unknown(option);
  unknown(v1::CloseSessionRequest());
  unknown(v1::DeleteSessionRequest());
  if (unstable()) {
    v1::ForkSessionRequest fork;
    fork.cwd = "/project";
    unknown(fork);
    unknown(v1::ArchiveSessionRequest());
    unknown(v1::UnarchiveSessionRequest());
    unknown(v1::SessionStatusRequest());
    unknown(v1::SetSessionTitleRequest());
  }
  agent.delete_session("nowhere").wait();  // what is not there is deleted
  // And the other way round: the agent names a session that this client does not have.
  const acp::Session session = agent.new_session("/project").wait();
  const std::string told =
      turn(session, R"(ext fs/read_text_file {"sessionId":"nowhere","path":"/a"})").text;
  EXPECT_TRUE(told.starts_with("failed -32002 ")) << told;
  EXPECT_TRUE(told.ends_with(R"({"sessionId":"nowhere"})")) << told;
}

TEST_P(OurClient, SpeaksExtensionsBothWays) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  const Json params = Json::parse(R"({"deep":[{"x":1.5},null,"ü"]})").value();
  EXPECT_EQ(agent.peer().request("_agent/echo", params).wait(), params);
  agent.peer().notify("_agent/note", params).wait();
  EXPECT_EQ(inbox.take("_agent/noted"), params);
  failure(-32601, [&] { agent.peer().request("_no/such", params).wait(); });
  failure(-32601, [&] { agent.peer().request("session/no_such", params).wait(); });
  agent.peer().notify("_no/such", params).wait();
  EXPECT_EQ(turn(session, R"(ext _client/echo {"a":[1]})").text, R"({"a":[1]})");
  turn(session, R"(ext-notify _client/note {"n":1})");
  EXPECT_EQ(inbox.take("_client/note"), Json::object({{"n", 1}}));
  for (const char* unknown : {"ext _no/such {}", "ext session/no_such {}"}) {
    const std::string told = turn(session, unknown).text;
    EXPECT_TRUE(told.starts_with("failed -32601 ")) << told;
  }
  EXPECT_EQ(turn(session, "ext-notify _no/such {}").reason, acp::StopReason::end_turn);
}

TEST_P(OurClient, SpeaksProxyMethodsByRawHandlers) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  const Json start = Json::parse(R"({"protocolVersion":1,"clientCapabilities":{}})").value();
  EXPECT_EQ(agent.peer().request("proxy/initialize", start).wait(), start);
  const Json inner = Json::parse(R"({"method":"session/list","params":{}})").value();
  EXPECT_EQ(agent.peer().request("proxy/successor", inner).wait(), inner);
  agent.peer().notify("proxy/successor", inner).wait();
  EXPECT_EQ(inbox.take("_agent/noted"), inner);
  EXPECT_EQ(turn(session, "ext proxy/successor " + inner.text()).text, inner.text());
  turn(session, "ext-notify proxy/successor " + inner.text());
  EXPECT_EQ(inbox.take("proxy/successor"), inner);
}

const auto entry_point = [](const auto& info) -> std::string {
  return info.param ? "unstable" : "stable";
};
INSTANTIATE_TEST_SUITE_P(Start, OurClient, testing::Bool(), entry_point);
INSTANTIATE_TEST_SUITE_P(Start, OurClientUnstable, testing::Values(true), entry_point);

}  // namespace
}  // namespace interop
