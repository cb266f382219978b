// Version 2: our client with an agent on the official SDK's draft.
#include "interop/version2/our_client.h"

#include <acp/error.h>

namespace interop {
namespace {

TEST_F(Version2, IsChosenWhereBothSpeakIt) {
  const acp::AgentHandle agent = start();
  EXPECT_EQ(agent.info().protocolVersion, 2);
  EXPECT_EQ(agent.info().agentInfo->name, "sdk-agent");
  EXPECT_TRUE(agent.info().agentCapabilities.loadSession);
  EXPECT_TRUE(agent.info().agentCapabilities.promptCapabilities.image);
  EXPECT_FALSE(agent.info().agentCapabilities.mcpCapabilities.sse);
}

TEST_F(Version2, OpensASessionWithModesOptionsAndCommands) {
  const acp::Session session = open();
  const acp::SessionState state = session.state();
  ASSERT_TRUE(state.modes());
  EXPECT_EQ(state.modes()->currentModeId, "ask");
  EXPECT_EQ(state.modes()->availableModes.size(), 2u);
  ASSERT_EQ(state.config_options().size(), 2u);
  EXPECT_EQ(state.config_options().front().id, "verbose");
  ASSERT_EQ(state.commands().size(), 1u);
  EXPECT_EQ(state.commands().front().name, "help");
  session.set_mode("code").wait();
  session.set_config_option("verbose", true).wait();
  EXPECT_EQ(session.state().modes()->currentModeId, "code");
  EXPECT_THROW(session.set_mode("none").wait(), acp::Refused);
  EXPECT_EQ(all<v1::CurrentModeUpdate>(turn(session, "mode ask").updates).size(), 1u);
  EXPECT_EQ(session.state().modes()->currentModeId, "ask");
}

TEST_F(Version2, ATurnEndsWithItsReason) {
  const acp::Session session = open();
  const Told told = turn(session, "hello there");
  EXPECT_EQ(told.text, "hello there");
  EXPECT_EQ(told.reason, StopReason::end_turn);
  for (const char* word : {"refusal", "max_tokens", "max_turn_requests", "cancelled"}) {
    const v1::PromptResponse response = session.prompt(std::string("stop ") + word).finish().wait();
    EXPECT_EQ(v1::to_string(response.stopReason), word);
  }
  try {
    turn(session, "fail");
    ADD_FAILURE() << "expected an error";
  } catch (const acp::CallFailed& failed) {
    EXPECT_EQ(failed.code(), -31999);
    EXPECT_STREQ(failed.what(), "broken");
  }
  EXPECT_EQ(session.state().activity(), acp::SessionState::Activity::idle);
}

// What the agent repeats of a prompt is not shown twice, in whatever form and order it comes.
TEST_F(Version2, APromptIsThereOnce) {
  const acp::Session session = open();
  for (const char* text : {"usual", "early bird", "pieces of it"}) {
    const Told told = turn(session, text);
    EXPECT_EQ(told.text, text);
    EXPECT_TRUE(all<v1::UserMessageChunk>(told.updates).empty()) << text;
  }
  int prompts = 0, messages = 0;
  const acp::SessionState state = session.state();
  for (const auto& entry : state.timeline()) {
    prompts += std::holds_alternative<acp::SessionState::Prompt>(entry.content);
    messages += std::holds_alternative<acp::SessionState::Message>(entry.content);
  }
  EXPECT_EQ(prompts, 3);
  EXPECT_EQ(messages, 3);
}

TEST_F(Version2, ToolCallsGrowByPieces) {
  const acp::Session session = open();
  const Told told = turn(session, "tool");
  EXPECT_EQ(all<v1::ToolCall>(told.updates).size(), 1u);
  const auto updates = all<v1::ToolCallUpdate>(told.updates);
  ASSERT_GE(updates.size(), 3u);
  EXPECT_EQ(updates[1].content->size(), 2u);
  const acp::SessionState state = session.state();
  const acp::ToolCallState* const call = state.tool_call("call");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->status, acp::ToolCallState::Status::completed);
  EXPECT_EQ(call->content.size(), 2u);
  EXPECT_EQ(all<v1::ToolCall>(turn(session, "cancelled_call").updates).front().status,
            acp::ToolCallStatus::failed);
  const auto edits = all<v1::ToolCall>(turn(session, "diff").updates);
  ASSERT_EQ(edits.size(), 1u);
  const auto* const diff = std::get_if<v1::Diff>(&edits.front().content.front());
  ASSERT_NE(diff, nullptr);
  EXPECT_EQ(diff->path, "/project/a.txt");
  EXPECT_EQ(*diff->oldText, "old\n");
  EXPECT_EQ(diff->newText, "new\n");
}

TEST_F(Version2, TheStateHasWhatVersion1CannotSay) {
  const acp::Session session = open();
  turn(session, "replace");
  const acp::SessionState replaced = session.state();
  const auto& message = std::get<acp::SessionState::Message>(replaced.timeline().back().content);
  EXPECT_EQ(v1::text_of(message.content), "final");
  turn(session, "terminal");
  const acp::SessionState state = session.state();
  const acp::TerminalView* const terminal = state.terminal("t");
  ASSERT_NE(terminal, nullptr);
  EXPECT_EQ(terminal->output, "ab");
  EXPECT_EQ(terminal->exit_status->exitCode, 3u);
  std::optional<std::vector<acp::SessionState::BackgroundWork>> background;
  acp::Prompt prompt = session.prompt("background");
  prompt.finish().wait();
  EXPECT_EQ(session.state().background(), std::nullopt);  // its last state does not report any
  EXPECT_FALSE(all<v1::UsageUpdate>(turn(session, "usage").updates).empty());
  EXPECT_EQ(turn(session, "unknown").reason, StopReason::end_turn);
}

TEST_F(Version2, AsksForPermissionAboutACommand) {
  const acp::Session session = open();
  EXPECT_EQ(turn(session, "permission").text, R"({"optionId":"yes","outcome":"selected"})");
  ASSERT_EQ(asked.size(), 1u);
  const v1::ToolCallUpdate& call = asked.front().toolCall;
  EXPECT_EQ(*call.title, "Run it?");
  EXPECT_EQ(*call.kind, acp::ToolKind::execute);
  EXPECT_EQ(call.rawInput["command"].as_string(), "make");
  decision = acp::PermissionOptionKind::reject_once;
  EXPECT_EQ(turn(session, "permission").text, R"({"optionId":"no","outcome":"selected"})");
  EXPECT_EQ(turn(session, "elicit").text, R"({"action":"decline"})");
  EXPECT_NE(turn(session, "read-file").text.find("fs/read_text_file"), std::string::npos);
}

TEST_F(Version2, CancelReachesThePromptAtWorkAndThoseThatWait) {
  const acp::Session session = open();
  acp::Prompt first = session.prompt("wait");
  ASSERT_TRUE(first.next().wait());
  acp::Prompt second = session.prompt("never said");
  session.cancel();
  EXPECT_EQ(first.finish().wait().stopReason, StopReason::cancelled);
  EXPECT_EQ(second.finish().wait().stopReason, StopReason::cancelled);
  EXPECT_EQ(turn(session, "third").text, "third");
}

TEST_F(Version2, PromptsTakeTurns) {
  const acp::Session session = open();
  acp::Prompt first = session.prompt("one");
  acp::Prompt second = session.prompt("two");
  EXPECT_EQ(finish(std::move(first)).text, "one");
  EXPECT_EQ(finish(std::move(second)).text, "two");
}

TEST_F(Version2, SessionsAreListedLoadedResumedAndDeleted) {
  const acp::AgentHandle agent = start();
  std::string id;
  {
    const acp::Session session = agent.new_session("/project").wait();
    id = session.id();
    turn(session, "something to remember");
    session.close().wait();
  }
  EXPECT_EQ(agent.list_sessions().wait().size(), 1u);
  {
    const acp::Session loaded = agent.load_session(id, "/project").wait();
    const auto replayed = all<v1::UserMessageChunk>(loaded.take_updates());
    ASSERT_EQ(replayed.size(), 1u);
    EXPECT_EQ(turn(loaded, "goes on").text, "goes on");
    loaded.close().wait();
  }
  v1::ResumeSessionRequest resume;
  resume.sessionId = id;
  resume.cwd = "/project";
  const acp::Session resumed = agent.resume_session(resume).wait();
  EXPECT_EQ(resumed.state().modes()->currentModeId, "ask");
  EXPECT_EQ(turn(resumed, "again").text, "again");
  agent.delete_session(id).wait();
  EXPECT_TRUE(agent.list_sessions().wait().empty());
}

TEST_F(Version2, LogsInWhereItMust) {
  client.on_auth_required([](acp::ClientContext, std::vector<v1::AuthMethod> methods) {
    return std::get<v1::AuthMethodAgent>(methods.front()).id;
  });
  const acp::AgentHandle agent = start({"login"});
  EXPECT_EQ(turn(agent.new_session("/project").wait(), "hello").text, "hello");
  agent.logout().wait();
}

TEST_F(Version2, AnAgentThatDiesEndsItsPrompts) {
  const acp::AgentHandle agent = start();
  const acp::Session session = agent.new_session("/project").wait();
  acp::Prompt prompt = session.prompt("wait");
  ASSERT_TRUE(prompt.next().wait());
  agent.close();
  EXPECT_THROW(prompt.finish().wait(), acp::ConnectionClosed);
}

// ---- agents of version 1

TEST_F(Version2, AnAgentOfVersion1UsesOurFilesWhateverStandsBeforeIt) {
  client.on_read_text_file(
      [](acp::ClientContext, v1::ReadTextFileRequest) { return v1::ReadTextFileResponse(); });
  const acp::AgentHandle agent = start({"router"});
  EXPECT_EQ(agent.info().protocolVersion, 1);
  const std::string seen = turn(agent.new_session("/project").wait(), "hello").text;
  EXPECT_NE(seen.find(R"("readTextFile":true)"), std::string::npos) << seen;
}

TEST_F(Version2, TheRouterChoosesWhatTheClientSpeaks) {
  EXPECT_EQ(start({"router", "both"}).info().protocolVersion, 2);
  client.versions({1});
  EXPECT_EQ(start({"router", "both"}).info().protocolVersion, 1);
  client.versions({2});
  EXPECT_EQ(start({"router", "both"}).info().protocolVersion, 2);
  EXPECT_THROW(start({"router"}), acp::StartFailed);
}

TEST_F(Version2, OneThatSpeaksVersion2AloneIsRefusedBeforeItMatters) {
  client.versions({1});
  try {
    start();
    ADD_FAILURE() << "expected StartFailed";
  } catch (const acp::StartFailed& failed) {
    EXPECT_NE(std::string(failed.what()).find("-32022"), std::string::npos) << failed.what();
  }
}

TEST_F(Version2, MessagesOfTheOtherVersionHaveAClearError) {
  const acp::AgentHandle agent = start();
  v1::PromptRequest prompt;
  EXPECT_THROW(agent.peer().request(prompt).wait(), acp::Refused);
  client.versions({1});
  const acp::AgentHandle old = start({"router"});
  EXPECT_EQ(old.info().protocolVersion, 1);
}

}  // namespace
}  // namespace interop
