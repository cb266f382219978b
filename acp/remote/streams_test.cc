#include "acp/remote/streams.h"

#include <gtest/gtest.h>

namespace acp::remote {
namespace {

using Session = std::optional<std::string>;

struct StreamsTest : ::testing::Test {
  // What a POST is refused with; "" if it may pass.
  std::string post(const std::string& text, const Session& session = {}) {
    message.read(text);
    const auto refused = streams.refusal(message, session);
    return refused ? refused->text : "";
  }
  bool agent(const std::string& text) {
    message.read(text);
    return streams.take(message, text);
  }
  static std::string event(const std::string& text) { return "data: " + text + "\n\n"; }

  ServerLimits limits;
  Streams streams{limits};
  Message message;
};

std::string call(const std::string& id, const std::string& method,
                 const std::string& params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params +
         "}";
}
std::string answer(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})";
}

TEST_F(StreamsTest, CountsWhatReadersWillTake) {
  const std::string of_s = R"({"jsonrpc":"2.0","method":"x","params":{"sessionId":"s"}})";
  const std::string of_all = R"({"jsonrpc":"2.0","method":"x","params":{}})";
  agent(of_s);
  agent(of_all);
  EXPECT_EQ(streams.bytes_for_readers(), 0u);
  streams.enter("s", nullptr);
  EXPECT_EQ(streams.bytes_for_readers(), event(of_s).size());
  streams.take_events("s");  // on its way
  EXPECT_EQ(streams.bytes_for_readers(), event(of_s).size());
  streams.sent(event(of_s).size());
  EXPECT_EQ(streams.bytes_for_readers(), 0u);
  streams.enter(std::nullopt, nullptr);
  EXPECT_EQ(streams.bytes_for_readers(), event(of_all).size());
}

TEST_F(StreamsTest, AnswersGoWhereTheirRequestCameFrom) {
  EXPECT_EQ(post(call("1", "session/new")), "");
  EXPECT_EQ(post(call("2", "session/prompt", R"({"sessionId":"s"})"), "s"), "");
  EXPECT_EQ(post(call("3", "session/load", R"({"sessionId":"s"})"), "s"), "");
  EXPECT_EQ(post(call("4", "session/resume", R"({"sessionId":"s"})"), "s"), "");
  EXPECT_EQ(post(call("5", "_own"), "s"), "");
  EXPECT_EQ(streams.waiting(), 5u);
  for (const char* id : {"1", "2", "3", "4", "5"}) agent(answer(id));
  EXPECT_EQ(streams.take_events({}), event(answer("1")) + event(answer("3")));
  EXPECT_EQ(streams.take_events("s"), event(answer("2")) + event(answer("4")) + event(answer("5")));
  EXPECT_EQ(streams.waiting(), 0u);
}

TEST_F(StreamsTest, AnIdMayBeWrittenInTwoWays) {
  post(call("\"\\u0061\"", "session/prompt", R"({"sessionId":"s"})"), "s");
  agent(answer("\"a\""));
  EXPECT_EQ(streams.take_events("s"), event(answer("\"a\"")));
}

TEST_F(StreamsTest, AClientAnswersInTheSessionThatAsked) {
  agent(call("7", "session/request_permission", R"({"sessionId":"s"})"));
  agent(call("8", "_own"));
  EXPECT_EQ(post(answer("7")), "Missing Acp-Session-Id");
  EXPECT_EQ(post(answer("7"), "t"), "Mismatched Acp-Session-Id");
  EXPECT_EQ(post(answer("7"), "s"), "");
  EXPECT_EQ(post(answer("8")), "");
}

TEST_F(StreamsTest, CountsWhatWaits) {
  limits.max_buffered_bytes = 100;
  const std::string update =
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}})";
  EXPECT_FALSE(streams.full());
  agent(update);
  agent(update);
  EXPECT_TRUE(streams.full());
  EXPECT_EQ(streams.buffered_bytes(), 2 * event(update).size());
  // Taken is not sent.
  const std::string taken = streams.take_events("s");
  EXPECT_TRUE(streams.full());
  streams.sent(taken.size());
  EXPECT_EQ(streams.buffered_bytes(), 0u);
}

TEST_F(StreamsTest, AClosedSessionIsOverOnceEverythingIsTaken) {
  const std::string params = R"({"sessionId":"s"})";
  streams.enter("s", nullptr);
  EXPECT_EQ(post(call("1", "session/close", params), "s"), "");
  agent(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}})");
  EXPECT_EQ(post(call("2", "session/close", params), "s"), "");
  streams.take_events("s");
  EXPECT_FALSE(streams.is_over("s"));
  agent(answer("2"));
  EXPECT_FALSE(streams.is_over("s"));
  EXPECT_EQ(streams.take_events("s"), event(answer("2")));
  EXPECT_TRUE(streams.is_over("s"));
  // Opened again, it goes on.
  EXPECT_EQ(post(call("3", "session/load", params), "s"), "");
  EXPECT_FALSE(streams.is_over("s"));
  EXPECT_EQ(post(call("4", "session/delete", params), "s"), "");
  agent(answer("4"));
  streams.take_events("s");
  EXPECT_TRUE(streams.is_over("s"));
  // With another reader, it is a new one.
  streams.leave("s");
  streams.enter("s", nullptr);
  EXPECT_FALSE(streams.is_over("s"));
}

TEST_F(StreamsTest, HasOneReaderForEachStream) {
  int called = 0;
  EXPECT_TRUE(streams.enter("s", [&] { ++called; }));
  EXPECT_FALSE(streams.enter("s", nullptr));
  EXPECT_TRUE(streams.enter({}, nullptr));
  const std::string update = R"({"jsonrpc":"2.0","method":"n","params":{"sessionId":"s"}})";
  agent(update);
  agent(update);
  EXPECT_EQ(called, 1);  // until they are taken
  streams.take_events("s");
  agent(update);
  EXPECT_EQ(called, 2);
  streams.leave("s");
  EXPECT_TRUE(streams.enter("s", nullptr));
}

TEST_F(StreamsTest, TooManySessionsWithoutAReaderAreTheEnd) {
  limits.max_unread_sessions = 2;
  const auto update = [](const std::string& session) {
    return R"({"jsonrpc":"2.0","method":"n","params":{"sessionId":")" + session + "\"}}";
  };
  EXPECT_TRUE(streams.enter("read", nullptr));
  EXPECT_TRUE(agent(update("read")));
  EXPECT_TRUE(agent(update("a")));
  EXPECT_TRUE(agent(update("b")));
  EXPECT_TRUE(agent(update("b")));
  EXPECT_TRUE(streams.enter("a", nullptr));  // now it is read
  EXPECT_TRUE(agent(update("c")));
  EXPECT_FALSE(agent(update("d")));
}

TEST_F(StreamsTest, RequestsThatNobodyAnswersHaveALimit) {
  limits.max_pending = 2;
  const auto request = [](int id) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"_x"})";
  };
  EXPECT_EQ(post(request(1)), "");
  EXPECT_EQ(post(request(2)), "");
  EXPECT_EQ(post(request(3)), "More than 2 requests wait for an answer");
  EXPECT_TRUE(agent(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_EQ(post(request(3)), "");
  // One that does not pass after all leaves its place.
  const std::string third = request(3);  // the message points into it
  message.read(third);
  streams.forget(message);
  EXPECT_EQ(post(request(4)), "");
  // The agent's.
  EXPECT_TRUE(agent(request(1)));
  EXPECT_TRUE(agent(request(2)));
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "");
  EXPECT_TRUE(agent(request(3)));
  EXPECT_FALSE(agent(request(4)));
  EXPECT_EQ(streams.complaint(), "more than 2 of the agent's requests have no answer");
}

}  // namespace
}  // namespace acp::remote
