// Our client with an agent on the official SDK: the life of sessions.
#include <algorithm>

#include "interop/our_client.h"

namespace interop {
namespace {

class Sessions : public OurClient {};
class SessionsUnstable : public OurClient {};

std::vector<std::string> kinds(const std::vector<acp::SessionUpdate>& updates) {
  std::vector<std::string> result;
  for (const acp::SessionUpdate& update : updates) result.push_back(kind_of(update));
  return result;
}

TEST_P(Sessions, BeginWithModesOptionsAndThenCommands) {
  const acp::AgentHandle agent = start();
  v1::NewSessionRequest request;
  request.cwd = "/project/project";
  request.additionalDirectories = {"/project/other"};
  v1::HttpHeader header;
  header.name = "a";
  v1::McpServerStdio local;
  local.name = "local";
  local.command = "/bin/true";
  v1::McpServerHttp web;
  web.name = "web";
  web.url = "https://example.com/mcp";
  web.headers = {header};
  v1::McpServerSse old;
  old.name = "old";
  old.url = "https://example.com/sse";
  request.mcpServers = {local, web, old};
  v1::McpServerAcp ours;
  ours.name = "ours";
  ours.serverId = "srv";
  if (unstable()) request.mcpServers.push_back(ours);
  const acp::Session session = agent.new_session(request).wait();
  EXPECT_EQ(inbox.take("session/update").as_string(), "available_commands_update");
  // It came between turns; a prompt's events do not have it.
  const Told told = turn(session, "hello");
  EXPECT_EQ(kinds(told.updates), std::vector<std::string>{"agent_message_chunk"});
  EXPECT_EQ(kinds(session.take_updates()), std::vector<std::string>{"available_commands_update"});
  failure(-32602, [&] { agent.new_session("relative").wait(); });
}

TEST_P(Sessions, AreListedOverAllPages) {
  const acp::AgentHandle agent = start();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(agent.new_session("/project/project").wait().id());
  agent.new_session("/project/elsewhere").wait();
  EXPECT_EQ(agent.list_sessions().wait().size(), 6u);
  v1::ListSessionsRequest filter;
  filter.cwd = std::string("/project/project");
  std::vector<std::string> listed;
  for (const v1::SessionInfo& info : agent.list_sessions(filter).wait())
    listed.push_back(info.sessionId);
  EXPECT_EQ(listed, ids);
}

TEST_P(Sessions, AreReplayedWhenLoadedAndNotWhenResumed) {
  const acp::AgentHandle agent = start();
  std::string id;
  {
    const acp::Session session = agent.new_session("/project").wait();
    id = session.id();
    turn(session, "first of all");
    turn(session, "and then");
    session.close().wait();
  }
  {
    const acp::Session session = agent.load_session(id, "/project").wait();
    const std::vector<acp::SessionUpdate> replayed = session.take_updates();
    EXPECT_EQ(text_of(replayed), "first of alland then");
    const std::vector<std::string> expected = {"user_message_chunk", "agent_message_chunk",
                                               "user_message_chunk", "agent_message_chunk"};
    EXPECT_EQ(kinds(replayed), expected);
    EXPECT_EQ(turn(session, "again").text, "again");
    EXPECT_TRUE(session.take_updates().empty());
    session.close().wait();
  }
  v1::ResumeSessionRequest resume;
  resume.sessionId = id;
  resume.cwd = "/project";
  const acp::Session session = agent.resume_session(resume).wait();
  EXPECT_EQ(turn(session, "resumed").text, "resumed");
  EXPECT_TRUE(session.take_updates().empty());
}

TEST_P(Sessions, AreClosedWithTheirTurnAndDeleted) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  acp::Prompt prompt = session.prompt("wait");
  while (inbox.take("session/update").as_string() != "agent_message_chunk") continue;
  session.close().wait();
  EXPECT_EQ(finish(std::move(prompt)).reason, acp::StopReason::cancelled);
  EXPECT_EQ(agent.list_sessions().wait().size(), 1u);
  agent.delete_session(session.id()).wait();
  EXPECT_TRUE(agent.list_sessions().wait().empty());
}

TEST_P(SessionsUnstable, AreForkedArchivedAndNamed) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  turn(session, "the past");
  v1::ForkSessionRequest request;
  request.sessionId = session.id();
  request.cwd = "/project";
  const acp::Session fork = agent.fork_session(request).wait();
  EXPECT_NE(fork.id(), session.id());
  EXPECT_EQ(turn(fork, "in the fork").text, "in the fork");
  EXPECT_EQ(text_of(agent.load_session(fork.id(), "/project").wait().take_updates()),
            "the pastin the fork");

  EXPECT_EQ(agent.set_title(session.id(), "  A title ").wait(), "A title");
  agent.archive_session(session.id()).wait();
  const auto list = [&](v1::SessionArchiveFilter which) {
    v1::ListSessionsRequest filter;
    filter.archived = which;
    return agent.list_sessions(filter).wait();
  };
  const std::vector<v1::SessionInfo> archived = list(v1::SessionArchiveFilter::only);
  ASSERT_EQ(archived.size(), 1u);
  EXPECT_EQ(archived[0].sessionId, session.id());
  EXPECT_EQ(*archived[0].title, "A title");
  EXPECT_EQ(list(v1::SessionArchiveFilter::include).size(), 2u);
  agent.unarchive_session(session.id()).wait();
  EXPECT_TRUE(list(v1::SessionArchiveFilter::only).empty());

  EXPECT_EQ(agent.session_status(session.id()).wait(), v1::SessionStatus::open);
  session.close().wait();
  EXPECT_EQ(agent.session_status(session.id()).wait(), v1::SessionStatus::saved);
}

TEST_P(Sessions, TakeTheModesAndOptionsThatAreListed) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  session.set_mode("code").wait();
  failure(-32602, [&] { session.set_mode("fly").wait(); });
  v1::SetSessionModeRequest fly;
  fly.sessionId = session.id();
  fly.modeId = "fly";
  failure(-32602, [&] { agent.peer().request(fly).wait(); });
  session.set_config_option("model", std::string("large")).wait();
  session.set_config_option("verbose", true).wait();
  failure(-32602, [&] { session.set_config_option("colour", std::string("red")).wait(); });
  failure(-32602, [&] { session.set_config_option("model", std::string("huge")).wait(); });
  // What the agent refused has changed nothing.
  const Json options = [&] {
    v1::SetSessionConfigOptionRequest request;
    request.sessionId = session.id();
    request.configId = "verbose";
    v1::SetSessionConfigBoolean value;
    value.value = true;
    request.value = value;
    return as_json(agent.peer().request(request).wait());
  }();
  EXPECT_EQ(options["configOptions"][0]["currentValue"].as_string(), "large");
  EXPECT_EQ(options["configOptions"][1]["currentValue"].as_bool(), true);
}

TEST_P(SessionsUnstable, TakeASystemPrompt) {
  const acp::AgentHandle agent = start();
  v1::NewSessionRequest request;
  request.cwd = "/project";
  v1::SystemPrompt prompt;
  prompt.content = {acp::ContentBlock("Be brief.")};
  request.systemPrompt = prompt;
  EXPECT_EQ(turn(agent.new_session(request).wait(), "hello").text, "hello");
}

TEST_P(SessionsUnstable, ComeFromProviders) {
  const acp::AgentHandle agent = start();
  const auto list = [&] { return agent.list_providers().wait(); };
  ASSERT_EQ(list().size(), 2u);
  EXPECT_TRUE(list()[0].required);
  v1::SetProviderRequest request;
  request.providerId = "spare";
  request.apiType = v1::LlmProtocol::openai;
  request.baseUrl = "http://127.0.0.1:1/v1";
  request.headers["authorization"] = "x";
  agent.set_provider(request).wait();
  ASSERT_TRUE(list()[1].current.has_value());
  EXPECT_EQ(list()[1].current->baseUrl, request.baseUrl);
  agent.disable_provider("spare").wait();
  EXPECT_FALSE(list()[1].current.has_value());
  failure(-32602, [&] { agent.disable_provider("main").wait(); });
  request.providerId = "none";
  failure(-32602, [&] { agent.set_provider(request).wait(); });
}

const auto entry_point = [](const auto& info) -> std::string {
  return info.param ? "unstable" : "stable";
};
INSTANTIATE_TEST_SUITE_P(EntryPoint, Sessions, testing::Bool(), entry_point);
INSTANTIATE_TEST_SUITE_P(EntryPoint, SessionsUnstable, testing::Values(true), entry_point);

}  // namespace
}  // namespace interop
