// A client that speaks version 2: what becomes of the updates of a session, and of its turns.
#include <gtest/gtest.h>

#include "acp/client.h"
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

}  // namespace
}  // namespace acp
