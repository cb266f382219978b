// A client that speaks version 2: what becomes of the updates of a session, and of its turns.
#include <gtest/gtest.h>

#include "acp/client.h"
#include "acp/testing/sanitized.h"
#include "acp/testing/version2_agent.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using UpdatesOfVersion2 = WithAgentOfVersion2;

std::string text_of(const PromptEvent& event) {
  const auto* const update = std::get_if<SessionUpdate>(&event);
  const auto* const said = update ? std::get_if<v1::AgentMessageChunk>(update) : nullptr;
  const auto* const text = said ? std::get_if<v1::TextContent>(&said->content) : nullptr;
  return text != nullptr ? text->text : std::string();
}

// ---- whose turn it is

Session resumed(const AgentHandle& agent) {
  v1::ResumeSessionRequest request;
  request.sessionId = "s";
  request.cwd = "/";
  return agent.resume_session(request).wait();
}

TEST_F(UpdatesOfVersion2, ThePromptOfASessionAtWorkIsNotEndedByWhatRanBefore) {
  connect([](RawEnd& end) {
    const Json request = end.read_call("session/resume");
    end.line(state("\"running\""));
    end.answer(request, "{}");
    const Json prompt = end.read_call("session/prompt");
    end.line(state(R"("running","background":[{"type":"tool_call","toolCallId":"b"}])"));
    end.line(state("\"requires_action\""));
    end.line(state(R"("idle","stopReason":"max_tokens")"));
    end.line(state("\"running\""));
    end.line(echo("hello"));
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(chunk("said"));
    end.line(state(R"("idle","stopReason":"end_turn")"));
  });
  const Session session = resumed(*agent);
  std::string said;
  std::optional<StopReason> reason;
  for (PromptEvent& event : session.prompt("hello")) {
    said += text_of(event);
    if (const auto* end = std::get_if<StopReason>(&event)) reason = *end;
  }
  EXPECT_EQ(said, "said");
  EXPECT_EQ(reason, StopReason::end_turn);
  EXPECT_TRUE(session.take_updates().empty());
}

// The answer is the first that is heard of it, and it comes before the turn.
TEST_F(UpdatesOfVersion2, NorIfItsAnswerComesBetweenTheTurns) {
  connect([](RawEnd& end) {
    const Json request = end.read_call("session/resume");
    end.line(state("\"running\""));
    end.answer(request, "{}");
    const Json prompt = end.read_call("session/prompt");
    end.line(state("\"requires_action\""));
    end.line(state(R"("idle","stopReason":"max_tokens")"));
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    end.line(chunk("said"));
    end.line(state(R"("idle","stopReason":"end_turn")"));
  });
  const Session session = resumed(*agent);
  EXPECT_EQ(session.ask("hello").wait().text, "said");
}

// The second is answered when its turn is over; it began when that of the first had ended.
TEST_F(UpdatesOfVersion2, ATurnMayEndBeforeTheAnswerAlsoAfterAnother) {
  connect([](RawEnd& end) {
    const Json request = end.read_call("session/resume");
    end.line(state("\"running\""));
    end.answer(request, "{}");
    const Json prompt = end.read_call("session/prompt");
    end.line(state(R"("idle","stopReason":"max_tokens")"));
    end.line(state("\"running\""));
    end.line(chunk("said"));
    end.line(state(R"("idle","stopReason":"refusal")"));
    end.answer(prompt, R"({"messageId":"u"})");
  });
  const Session session = resumed(*agent);
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::refusal);
}

// ---- messages

// Most pieces of text are read where they are taken from, without a translation; what comes between
// is not. Nothing is lost or said twice.
TEST_F(UpdatesOfVersion2, PiecesAndWholeMessagesArriveOnceAndInOrder) {
  const std::string annotated =
      update(R"({"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text",)"
             R"("text":" [for you]","annotations":{"audience":["user"]}}})");
  const Session session = open([&](RawEnd& end, const Json& prompt) {
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state("\"running\""));
    for (const char* piece : {"one", " two", " three"}) end.line(chunk(piece));
    end.line(annotated);
    for (const char* piece : {" four", " five"}) end.line(chunk(piece));
    // What is new of it is a piece, too.
    end.line(
        update(R"({"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text",)"
               R"("text":"one two three [for you] four five"},{"type":"text","text":" six"}]})"));
    end.line(chunk(" seven"));
    // No news.
    end.line(update(R"({"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text",)"
                    R"("text":"one two three [for you] four five six seven"}]})"));
    end.line(state(R"("idle","stopReason":"end_turn")"));
  });
  std::vector<std::string> pieces;
  bool for_the_user = false;
  for (PromptEvent& event : session.prompt("hello")) {
    if (std::holds_alternative<StopReason>(event)) continue;
    pieces.push_back(text_of(event));
    const auto& said = std::get<v1::AgentMessageChunk>(std::get<SessionUpdate>(event));
    EXPECT_EQ(said.messageId, "m");
    const auto& text = std::get<v1::TextContent>(said.content);
    if (text.annotations.has_value()) {
      EXPECT_EQ(pieces.back(), " [for you]");
      for_the_user = text.annotations->audience.has_value();
    }
  }
  EXPECT_EQ(pieces, (std::vector<std::string>{"one", " two", " three", " [for you]", " four",
                                              " five", " six", " seven"}));
  EXPECT_TRUE(for_the_user);
  std::string shown;
  const SessionState state = session.state();
  for (const auto& entry : state.timeline())
    if (const auto* message = std::get_if<SessionState::Message>(&entry.content))
      if (message->kind == SessionState::Message::Kind::agent)
        shown += v1::text_of(message->content);
  EXPECT_EQ(shown, "one two three [for you] four five six seven");
}

// ---- what the state has of version 2

std::string call_update(const std::string& id, const std::string& rest) {
  return update(R"({"sessionUpdate":"tool_call_update","toolCallId":")" + id + "\"" + rest + "}");
}

// A session, once the agent has said all this.
Session told(AgentHandle& agent) {
  const Session session = agent.new_session("/").wait();
  agent.peer().request("_sync", Json::object()).wait();
  return session;
}

TEST_F(UpdatesOfVersion2, NullClearsAndMetaIsPatched) {
  connect([](RawEnd& end) {
    end.answer(end.read_call("session/new"), R"({"sessionId":"s"})");
    end.line(call_update("t", R"(,"title":"T","rawInput":{"a":1},"rawOutput":[2],)"
                              R"("_meta":{"k":1,"l":2})"));
    end.line(call_update("t", R"(,"status":"paused","rawOutput":null)"));
    end.line(call_update("t", R"(,"_meta":{"l":null,"m":3})"));
    end.line(call_update("u", R"(,"rawInput":{"a":1},"_meta":{"k":1})"));
    end.line(call_update("u", R"(,"rawInput":null,"_meta":null)"));
    end.answer(end.read_call("_sync"), "{}");
  });
  const SessionState state = told(*agent).state();
  const ToolCallState* const call = state.tool_call("t");
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->raw_input.text(), R"({"a":1})");
  EXPECT_TRUE(call->raw_output.absent());
  EXPECT_EQ(call->meta["k"].as_int64(), 1);
  EXPECT_TRUE(call->meta["l"].absent());
  EXPECT_EQ(call->meta["m"].as_int64(), 3);
  ASSERT_NE(state.tool_call("u"), nullptr);
  EXPECT_TRUE(state.tool_call("u")->raw_input.absent());
  EXPECT_TRUE(state.tool_call("u")->meta["k"].absent());
}

TEST_F(UpdatesOfVersion2, WhatOnlyVersion2SaysOfCallsTerminalsAndPlans) {
  connect([](RawEnd& end) {
    end.answer(end.read_call("session/new"), R"({"sessionId":"s"})");
    end.line(call_update("p", R"(,"status":"paused","capabilities":{"cancel":{}})"));
    end.line(call_update("c", R"(,"status":"cancelled","capabilities":{"cancel":{}})"));
    end.line(call_update("c", R"(,"title":"later","capabilities":null)"));
    end.line(call_update("r", R"(,"status":"paused")"));
    end.line(call_update("r", R"(,"status":"in_progress")"));
    end.line(update(
        R"({"sessionUpdate":"terminal_update","terminalId":"t","command":"make","cwd":"/src",)"
        R"("size":{"cols":80,"rows":24},"capabilities":{"cancel":{}}})"));
    end.line(update(R"({"sessionUpdate":"terminal_update","terminalId":"t","cwd":null})"));
    end.line(update(
        R"({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"plan","entries":[)"
        R"({"content":"a","priority":"low","status":"cancelled"},)"
        R"({"content":"b","priority":"low","status":"completed"}]}})"));
    end.answer(end.read_call("_sync"), "{}");
  });
  const SessionState state = told(*agent).state();
  using Status = ToolCallState::Status;
  EXPECT_EQ(state.tool_call("p")->status, Status::paused);
  EXPECT_EQ(to_string(state.tool_call("p")->status), "paused");
  EXPECT_FALSE(state.tool_call("p")->finished());
  EXPECT_TRUE(state.tool_call("p")->can_cancel);
  EXPECT_EQ(state.tool_call("c")->status, Status::cancelled);
  EXPECT_TRUE(state.tool_call("c")->finished());
  EXPECT_FALSE(state.tool_call("c")->can_cancel);
  EXPECT_EQ(state.tool_call("r")->status, Status::in_progress);
  EXPECT_TRUE(state.tool_call("r")->meta["libacp/v2"]["status"].absent());
  const TerminalView* const terminal = state.terminal("t");
  ASSERT_NE(terminal, nullptr);
  EXPECT_EQ(terminal->command, "make");
  EXPECT_EQ(terminal->cwd, "");
  EXPECT_TRUE(terminal->can_cancel);
  ASSERT_TRUE(terminal->size.has_value());
  EXPECT_EQ(terminal->size->columns, 80);
  EXPECT_EQ(terminal->size->rows, 24);
  ASSERT_EQ(state.plan().size(), 2u);
  EXPECT_TRUE(is_cancelled(state.plan()[0]));
  EXPECT_FALSE(is_cancelled(state.plan()[1]));
}

// ---- cancelling

std::string question(const std::string& id, const std::string& call) {
  return request(id, "session/request_permission",
                 R"({"sessionId":"s","title":"T","subject":{"type":"tool_call","toolCall":)"
                 R"({"toolCallId":")" +
                     call +
                     R"("}},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]})");
}

TEST_F(UpdatesOfVersion2, CancellingATurnLeavesTheBackgroundAlone) {
  Gate turn_asks, background_asks, decide;
  client.on_permission(blocking([&](ClientContext, v1::RequestPermissionRequest request) {
    (request.toolCall.toolCallId == "turn" ? turn_asks : background_asks).open();
    decide.wait("the decision");
    return Decision(PermissionOptionKind::allow_once);
  }));
  std::vector<std::string> outcomes;
  Gate answered;
  const Session session = open([&](RawEnd& end, const Json& prompt) {
    const auto outcome = [&](const char* id) {
      outcomes.push_back(std::string(
          end.read_answer(id)["result"]["outcome"]["outcome"].as_string().value_or("")));
    };
    const std::string background =
        R"("running","background":[{"type":"tool_call","toolCallId":"background"}])";
    end.answer(prompt, R"({"messageId":"u"})");
    end.line(state(background));
    end.line(call_update("background", R"(,"status":"in_progress")"));
    end.line(call_update("turn", R"(,"status":"in_progress")"));
    end.line(question("7", "background"));
    end.line(question("8", "turn"));
    outcome("8");
    // Asked while the cancelled turn has not ended.
    end.line(question("9", "background"));
    end.line(state(
        R"("idle","stopReason":"cancelled","background":[{"type":"tool_call","toolCallId":"background"}])"));
    end.read_call("_decide");
    for (int i = 0; i < 2; ++i) {
      const Json answer = end.read();
      outcomes.push_back(
          std::string(answer["result"]["outcome"]["outcome"].as_string().value_or("")));
    }
    answered.open();
  });
  Prompt prompt = session.prompt("hello");
  turn_asks.wait("the question of the turn");
  background_asks.wait("the question of the background");
  session.cancel();
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::cancelled);
  const SessionState state = session.state();
  EXPECT_EQ(state.tool_call("turn")->status, ToolCallState::Status::cancelled);
  EXPECT_EQ(state.tool_call("background")->status, ToolCallState::Status::in_progress);
  EXPECT_EQ(state.questions().size(), 2u);
  [[maybe_unused]] const Sent sent = agent->peer().notify("_decide", Json::object());
  decide.open();
  answered.wait("all answers");
  EXPECT_EQ(outcomes, (std::vector<std::string>{"cancelled", "selected", "selected"}));
}

// ---- memory

std::string piece(const std::string& session, const std::string& call, const std::string& text) {
  return R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":")" + session +
         R"(","update":{"sessionUpdate":"tool_call_content_chunk","toolCallId":")" + call +
         R"(","content":{"type":"content","content":{"type":"text","text":")" + text + R"("}}}}})";
}

std::size_t text_size(const std::vector<v1::ToolCallContent>& content) {
  std::size_t size = 0;
  for (const v1::ToolCallContent& one : content)
    size += std::get<v1::TextContent>(std::get<v1::Content>(one).content).text.size();
  return size;
}

// Work in the background prints, and the program looks at its state alone.
TEST_F(UpdatesOfVersion2, WhatACallShowsIsKeptOnceThoughNobodyTakesIt) {
  constexpr std::size_t pieces = 400, size = 4096;
  connect([](RawEnd& end) {
    end.answer(end.read_call("session/new"), R"({"sessionId":"s"})");
    for (std::size_t i = 0; i < pieces; ++i) end.line(piece("s", "b", std::string(size, 'x')));
    end.answer(end.read_call("_sync"), "{}");
  });
  const Session session = told(*agent);
  std::size_t kept = 0, last = 0;
  const auto note = [&](const std::vector<v1::ToolCallContent>& content) {
    last = text_size(content);
    kept += last;
  };
  for (const SessionUpdate& update : session.take_updates()) {
    if (const auto* call = std::get_if<v1::ToolCall>(&update)) note(call->content);
    if (const auto* change = std::get_if<v1::ToolCallUpdate>(&update); change && change->content)
      note(*change->content);
  }
  EXPECT_EQ(last, pieces * size);
  EXPECT_EQ(kept, pieces * size);
  EXPECT_EQ(text_size(session.state().tool_call("b")->content), pieces * size);
}

// They come on a thread of the connection's, perhaps after the test.
struct Warnings {
  Gate one;
  std::atomic<int> count = 0;
};
std::shared_ptr<Warnings> warnings_of(Client& client, std::string words) {
  const auto warnings = std::make_shared<Warnings>();
  client.on_log([warnings, words = std::move(words)](const LogEntry& entry) {
    if (entry.level != LogEntry::Level::warning || entry.message.find(words) == std::string::npos)
      return;
    ++warnings->count;
    warnings->one.open();
  });
  return warnings;
}

TEST_F(UpdatesOfVersion2, UpdatesThatNobodyTakesHaveALimit) {
  const auto warnings = warnings_of(client, "nobody took them");
  client.keep_state(false);
  constexpr std::size_t megabyte = 1024 * 1024, count = 80;
  connect([](RawEnd& end) {
    end.answer(end.read_call("session/new"), R"({"sessionId":"s"})");
    const std::string text(megabyte, 'x');
    for (std::size_t i = 0; i < count; ++i) end.line(chunk(text));
    end.answer(end.read_call("_sync"), "{}");
  });
  const Session session = told(*agent);
  const std::size_t left = session.take_updates().size();
  EXPECT_LT(left, 65u);
  EXPECT_GT(left, 60u);
  warnings->one.wait("a warning");
  EXPECT_EQ(warnings->count, 1);
}

TEST_F(UpdatesOfVersion2, OfSessionsThatAreNotOursLittleIsKept) {
  const auto warnings = warnings_of(client, "unknown session");
  connect([](RawEnd& end) {
    const Json opening = end.read_call("session/new");
    const std::string text(1024 * 1024, 'x');
    for (int i = 0; i < 64; ++i) end.line(piece("other" + std::to_string(i), "b", text));
    end.answer(opening, R"({"sessionId":"s"})");
    end.answer(end.read_call("_sync"), "{}");
  });
  const long before = memory_of("VmRSS");
  const Session session = told(*agent);
  warnings->one.wait("a warning");
#ifndef ACP_SANITIZED
  EXPECT_LT(memory_of("VmRSS") - before, 32 * 1024);
#else
  static_cast<void>(before);
#endif
}

}  // namespace
}  // namespace acp
