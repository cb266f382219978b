// Version 2: our client with an agent on the official SDK's draft: what a turn shows and asks,
// errors, and requests of version 2's own types.
#include <acp/error.h>
#include <acp/schema/v2.h>

#include <optional>
#include <set>

#include "interop/version2/our_client.h"

namespace interop {
namespace {

namespace v2 = acp::v2;

v1::CreateElicitationResponse with(const v1::ElicitationAction& action) {
  v1::CreateElicitationResponse response;
  response.action = action;
  return response;
}

v1::ElicitationAcceptAction named_ada() {
  v1::ElicitationAcceptAction action;
  action.content.emplace();
  (*action.content)["name"] = std::string("Ada");
  return action;
}

// Over every transport.
TEST_F(Version2, WholeTurn) {
  elicitation = [](const acp::ClientContext&) { return with(named_ada()); };
  const acp::AgentHandle agent = start();
  EXPECT_EQ(agent.info().protocolVersion, 2);
  const acp::Session session = agent.new_session("/project").wait();
  EXPECT_EQ(turn(session, "hello there").text, "hello there");
  EXPECT_EQ(turn(session, "permission-all").text, "allow_once");
  EXPECT_EQ(turn(session, "elicit-form").text, "accept Ada");
  session.set_mode("code").wait();
  EXPECT_FALSE(turn(session, "updates").updates.empty());
  EXPECT_FALSE(session.state().modes());  // the last of these left no option for them
  EXPECT_THROW(session.set_mode("ask").wait(), acp::Refused);
  acp::Prompt prompt = session.prompt("stream");
  ASSERT_TRUE(prompt.next().wait());
  session.cancel();
  EXPECT_EQ(finish(std::move(prompt)).reason, StopReason::cancelled);
  session.close().wait();
  const acp::Session loaded = agent.load_session(session.id(), "/project").wait();
  EXPECT_FALSE(all<v1::UserMessageChunk>(loaded.take_updates()).empty());
  EXPECT_EQ(turn(loaded, "goes on").text, "goes on");
}

TEST_F(Version2, EveryKindOfContentThereAndBack) {
  const acp::Session session = open();
  v1::ImageContent image;
  image.data = "iVBORw0KGgo=";
  image.mimeType = "image/png";
  v1::AudioContent audio;
  audio.data = "UklGRg==";
  audio.mimeType = "audio/wav";
  v1::ResourceLink link;
  link.name = "a.txt";
  link.uri = "file:///project/a.txt";
  v1::TextResourceContents text;
  text.uri = link.uri;
  text.text = "inside";
  v1::EmbeddedResource resource;
  resource.resource = text;
  v1::BlobResourceContents blob;
  blob.uri = "file:///project/a.bin";
  blob.blob = "AAEC";
  v1::EmbeddedResource binary;
  binary.resource = blob;
  const std::vector<acp::ContentBlock> blocks = {
      "look at ", image, audio, link, resource, binary, "these, ünd 🦊 that"};
  const Told told = turn(session, blocks);
  EXPECT_EQ(told.text, "look at these, ünd 🦊 that");
  EXPECT_TRUE(all<v1::UserMessageChunk>(told.updates).empty());
  std::vector<std::size_t> kinds;
  for (const auto& chunk : all<v1::AgentMessageChunk>(turn(session, "content").updates))
    kinds.push_back(chunk.content.index());
  std::vector<std::size_t> expected;
  for (const acp::ContentBlock& block :
       {acp::ContentBlock("text"), acp::ContentBlock(image), acp::ContentBlock(audio),
        acp::ContentBlock(link), acp::ContentBlock(resource), acp::ContentBlock(binary)})
    expected.push_back(block.index());
  EXPECT_EQ(kinds, expected);
}

// What version 1 has no update for is in the state.
TEST_F(Version2, EveryUpdateArrives) {
  const acp::Session session = open();
  std::set<std::size_t> kinds;
  for (const SessionUpdate& update : turn(session, "updates").updates) {
    EXPECT_FALSE(std::holds_alternative<acp::Unknown>(update));
    kinds.insert(update.index());
  }
  for (const SessionUpdate& expected :
       {SessionUpdate(v1::UserMessageChunk()), SessionUpdate(v1::AgentMessageChunk()),
        SessionUpdate(v1::AgentThoughtChunk()), SessionUpdate(v1::ToolCall()),
        SessionUpdate(v1::ToolCallUpdate()), SessionUpdate(v1::AvailableCommandsUpdate()),
        SessionUpdate(v1::ConfigOptionUpdate()), SessionUpdate(v1::SessionInfoUpdate()),
        SessionUpdate(v1::UsageUpdate()), SessionUpdate(v1::Notice()),
        SessionUpdate(v1::CompactionUpdate()), SessionUpdate(v1::CompactionSummaryChunk())})
    EXPECT_TRUE(kinds.contains(expected.index())) << expected.index();
  const acp::SessionState state = session.state();
  EXPECT_EQ(state.info().title, "A title");
  EXPECT_EQ(state.usage()->used, 12u);
  ASSERT_NE(state.terminal("shown"), nullptr);
  EXPECT_EQ(state.terminal("shown")->output, "one\n");
  EXPECT_EQ(state.terminal("shown")->exit_status->exitCode, 0u);
  ASSERT_NE(state.tool_call("paused"), nullptr);
  EXPECT_FALSE(state.tool_call("paused")->finished());
}

TEST_F(Version2, StatesAndBackgroundWorkAreOnView) {
  using Activity = acp::SessionState::Activity;
  std::optional<acp::Session> session;
  std::vector<Activity> seen;
  // The agent asks for it after each state.
  client.on_request("_client/look", acp::blocking([&](acp::ClientContext, Json) {
                      seen.push_back(session->state().activity());
                      return Json::object();
                    }));
  session.emplace(open());
  EXPECT_EQ(turn(*session, "states").reason, StopReason::end_turn);
  EXPECT_EQ(seen, (std::vector{Activity::running, Activity::requires_action}));
  const acp::SessionState state = session->state();
  EXPECT_EQ(state.activity(), Activity::idle);
  ASSERT_TRUE(state.background());
  using Kind = acp::SessionState::BackgroundWork::Kind;
  ASSERT_EQ(state.background()->size(), 2u);
  EXPECT_EQ(state.background()->front().kind, Kind::tool_call);
  EXPECT_EQ(state.background()->back().kind, Kind::terminal);
  EXPECT_EQ(state.background()->back().id, "t");
}

TEST_F(Version2, EveryPermissionIsAsked) {
  using Kind = acp::PermissionOptionKind;
  const acp::Session session = open();
  for (const Kind kind :
       {Kind::allow_once, Kind::allow_always, Kind::reject_once, Kind::reject_always}) {
    decision = kind;
    EXPECT_EQ(turn(session, "permission-all").text, v1::to_string(kind));
  }
  EXPECT_EQ(*asked.back().toolCall.title, "Deleting");
  EXPECT_EQ(*asked.back().toolCall.kind, acp::ToolKind::delete_);
  for (const auto& no : {acp::Decision::cancelled(), acp::Decision("no such option")}) {
    decision = no;
    EXPECT_EQ(turn(session, "permission-all").text, "cancelled");
  }
  permission = [](const acp::ClientContext&) -> acp::Decision {
    throw std::runtime_error("a secret of the client's");
  };
  const std::string told = turn(session, "permission-all").text;
  EXPECT_TRUE(told.starts_with("failed -32603 ")) << told;
  EXPECT_EQ(told.find("secret"), std::string::npos) << told;
}

TEST_F(Version2, TheUserIsAsked) {
  const acp::Session session = open();
  v1::ElicitationAction action;
  elicitation = [&](const acp::ClientContext&) { return with(action); };
  action = named_ada();
  EXPECT_EQ(turn(session, "elicit-form").text, "accept Ada");
  action = v1::ElicitationAcceptAction();
  EXPECT_EQ(turn(session, "elicit-url").text, "accept");
  EXPECT_EQ(inbox.take("elicitation/complete"), Json::object({{"elicitationId", "e1"}}));
  for (const char* word : {"elicit-form", "elicit-url"}) {
    action = v1::ElicitationDeclineAction();
    EXPECT_EQ(turn(session, word).text, "decline");
    action = v1::ElicitationCancelAction();
    EXPECT_EQ(turn(session, word).text, "cancel");
  }
  EXPECT_TRUE(inbox.empty("elicitation/complete"));
}

TEST_F(Version2, ErrorsArriveWholeAndSecretsDoNot) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  const Json none = Json::object();
  const acp::Error deep = failure(-31007, [&] { agent.peer().request("_echo/fail", none).wait(); });
  EXPECT_EQ(deep.data()["deep"][2].as_string(), "x");
  failure(-32603, [&] { agent.peer().request("_echo/throw", none).wait(); });
  failure(-32603, [&] { turn(session, "throw"); });
  EXPECT_EQ(turn(session, "ext _client/fail {}").text,
            R"(failed -31007 a custom error {"deep":[1,null,"x"]})");
  const std::string thrown = turn(session, "ext _client/throw {}").text;
  EXPECT_TRUE(thrown.starts_with("failed -32603 ")) << thrown;
  EXPECT_EQ(thrown.find("secret"), std::string::npos) << thrown;
  for (const char* unknown : {"ext _no/such {}", "ext session/no_such {}"}) {
    const std::string told = turn(session, unknown).text;
    EXPECT_TRUE(told.starts_with("failed -32601 ")) << told;
  }
}

TEST_F(Version2, UnknownSessionsAreNamed) {
  const acp::AgentHandle agent = start();
  const auto unknown = [&](auto request) {
    request.sessionId = "nowhere";
    const acp::Error error = failure(-32002, [&] { agent.peer().request(request).wait(); });
    EXPECT_EQ(error.data()["sessionId"].as_string(), "nowhere");
  };
  v2::PromptRequest prompt;
  prompt.prompt.emplace_back(v2::TextContent());
  v2::ResumeSessionRequest resume;
  resume.cwd = "/project";
  v2::SetSessionConfigOptionRequest option;
  option.configId = "how";
  option.value = v2::SetSessionConfigValueId();
  unknown(prompt);
  unknown(resume);
  unknown(option);
  // What is not there is closed and deleted.
  agent.delete_session("nowhere").wait();
  v2::CloseSessionRequest close;
  close.sessionId = "nowhere";
  failure(-32002, [&] { agent.peer().request(close).wait(); });
  // And the other way round: the agent names a session that this client does not have.
  const acp::Session session = agent.new_session("/project").wait();
  const std::string told = turn(session, "permission-nowhere").text;
  EXPECT_TRUE(told.starts_with("failed -32002 ")) << told;
}

TEST_F(Version2, ExtensionsGoBothWays) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  const Json params = Json::parse(R"({"deep":[{"x":1.5},null,"ü"]})").value();
  EXPECT_EQ(agent.peer().request("_echo/echo", params).wait(), params);
  agent.peer().notify("_echo/note", params).wait();
  EXPECT_EQ(inbox.take("_echo/noted"), params);
  failure(-32601, [&] { agent.peer().request("_no/such", params).wait(); });
  const Json of_session = Json::object({{"sessionId", session.id()}, {"cwd", "/project"}});
  failure(-32601, [&] { agent.peer().request("session/load", of_session).wait(); });
  agent.peer().notify("_no/such", params).wait();
  EXPECT_EQ(turn(session, R"(ext _client/echo {"a":[1]})").text, R"({"a":[1]})");
  turn(session, R"(ext-notify _client/note {"n":1})");
  EXPECT_EQ(inbox.take("_client/note"), Json::object({{"n", 1}}));
  EXPECT_EQ(turn(session, "ext-notify _no/such {}").reason, StopReason::end_turn);
}

TEST_F(Version2, ACallAndATerminalAreCancelledByTheirNames) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  acp::Prompt prompt = session.prompt("cancellable");
  inbox.take("_client/note");
  v2::CancelToolCallRequest call;
  call.sessionId = session.id();
  call.toolCallId = "can be";
  agent.peer().request(call).wait();
  v2::CancelTerminalRequest terminal;
  terminal.sessionId = session.id();
  terminal.terminalId = "can be";
  agent.peer().request(terminal).wait();
  finish(std::move(prompt));
  EXPECT_EQ(session.state().terminal("can be")->exit_status->signal, "SIGTERM");
  call.toolCallId = "can not be";
  failure(-32602, [&] { agent.peer().request(call).wait(); });
  terminal.terminalId = "can not be";
  failure(-32602, [&] { agent.peer().request(terminal).wait(); });
}

TEST_F(Version2, McpServersHaveTypesAndNames) {
  const acp::AgentHandle agent = start();
  v1::McpServerStdio local;
  local.name = "local";
  local.command = "/bin/true";
  v1::McpServerHttp web;
  web.name = "web";
  web.url = "https://example.com/mcp";
  v1::NewSessionRequest request;
  request.cwd = "/project";
  request.mcpServers = {local, web};
  agent.new_session(request).wait();
  request.mcpServers = {local, local};
  failure(-32602, [&] { agent.new_session(request).wait(); });
  v1::McpServerSse old;
  old.name = "old";
  old.url = "https://example.com/sse";
  request.mcpServers = {old};
  EXPECT_THROW(agent.new_session(request).wait(), acp::Error);
}

TEST_F(Version2, SessionsAreListedOverAllPages) {
  const acp::AgentHandle agent = start();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(agent.new_session("/project").wait().id());
  agent.new_session("/elsewhere").wait();
  EXPECT_EQ(agent.list_sessions().wait().size(), 6u);
  v1::ListSessionsRequest filter;
  filter.cwd = std::string("/project");
  std::vector<std::string> listed;
  for (const v1::SessionInfo& info : agent.list_sessions(filter).wait())
    listed.push_back(info.sessionId);
  EXPECT_EQ(listed, ids);
}

TEST_F(Version2, OptionsAreRefusedWhereTheyAreNotListed) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  session.set_config_option("model", "large").wait();
  EXPECT_THROW(session.set_config_option("colour", "red").wait(), acp::Error);
  v2::SetSessionConfigOptionRequest option;
  option.sessionId = session.id();
  option.configId = "colour";
  option.value = v2::SetSessionConfigValueId();
  failure(-32602, [&] { agent.peer().request(option).wait(); });
}

TEST_F(Version2, LoginIsRequiredAndNamed) {
  const acp::AgentHandle agent = start({"login"});
  failure(-32000, [&] { agent.new_session("/project").wait(); });
  v2::LoginAuthRequest unlisted;
  unlisted.methodId = "magic";
  failure(-32602, [&] { agent.peer().request(unlisted).wait(); });
  agent.authenticate("password").wait();
  EXPECT_EQ(turn(agent.new_session("/project").wait(), "hello").text, "hello");
  agent.logout().wait();
  failure(-32000, [&] { agent.new_session("/project").wait(); });
}

// Lines that no client answers with silence.
TEST_F(Version2, WhatIsNoMessageIsAnswered) {
  if (remote()) return;  // it has no lines
  const acp::Session session = open();
  EXPECT_EQ(turn(session, "raw").text, "written");
  std::vector<std::int64_t> codes;
  while (codes.size() < 3) {
    const Json frame = wire.take("client");
    if (!frame["id"].is_null()) continue;
    codes.push_back(frame["error"]["code"].as_int64().value_or(0));
  }
  EXPECT_EQ(codes, (std::vector<std::int64_t>{-32700, -32600, -32600}));
}

}  // namespace
}  // namespace interop
