#include "acp/remote/message.h"

#include <gtest/gtest.h>

#include <string>

#include "acp/remote/update_message.h"

namespace acp::remote {
namespace {

using Kind = Message::Kind;

Message read(std::string_view text) {
  Message message;
  message.read(text);
  return message;
}

TEST(RemoteMessage, TellsWhatItIs) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"m"})").kind, Kind::request);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"m"})").kind, Kind::notification);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"result":null})").kind, Kind::answer);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})").kind, Kind::answer);
  EXPECT_EQ(read("[]").kind, Kind::batch);
  for (const char* text :
       {"5", "null", "\"x\"", "{}", R"({"id":1,"method":"m"})",
        R"({"jsonrpc":"1.0","id":1,"method":"m"})", R"({"jsonrpc":"2.0","id":[],"method":"m"})",
        R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","method":5})"})
    EXPECT_EQ(read(text).kind, Kind::not_a_message) << text;
  for (const char* text : {"", "{", "[", "{}x", "{\"a\":\"\xff\"}", "nul"})
    EXPECT_EQ(read(text).kind, Kind::not_json) << text;
}

TEST(RemoteMessage, FindsTheSession) {
  const Message asked = read(
      R"( {"params": {"a":{"sessionId":"no"},"sessionId" : "s\u0031"},"id": "x", "method":"m","jsonrpc":"2.0"} )");
  EXPECT_EQ(asked.kind, Kind::request);
  EXPECT_TRUE(asked.names_session);
  EXPECT_EQ(asked.session, "s1");
  EXPECT_EQ(asked.id, "\"x\"");
  const Message answer = read(R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"new"}})");
  EXPECT_TRUE(answer.result_names_session);
  EXPECT_EQ(answer.result_session, "new");
  EXPECT_FALSE(answer.names_session);
  EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"m","params":{"sessionId":5}})").names_session);
  EXPECT_FALSE(read(R"({"jsonrpc":"2.0","method":"m","params":["sessionId"]})").names_session);
}

TEST(RemoteMessage, ForgetsTheOneBefore) {
  Message message;
  message.read(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"sessionId":"s"}})");
  message.read(R"({"jsonrpc":"2.0","method":"n"})");
  EXPECT_EQ(message.kind, Kind::notification);
  EXPECT_FALSE(message.names_session);
  EXPECT_TRUE(message.id.empty());
}

// What is recognized by its beginning reads as it does in full; all else is left to that.
TEST(RemoteMessage, RecognizesAnUpdate) {
  const std::string begin = R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":")";
  const std::string update = begin + R"(s1","update":{"sessionUpdate":"plan","entries":[]}}})";
  Message message;
  message.read(R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"new"}})");
  ASSERT_TRUE(read_update(update, message));
  const Message whole = read(update);
  EXPECT_EQ(message.kind, whole.kind);
  EXPECT_EQ(message.method, whole.method);
  EXPECT_EQ(message.session, whole.session);
  EXPECT_TRUE(message.names_session);
  EXPECT_FALSE(message.result_names_session);
  EXPECT_TRUE(message.id.empty());
  const std::string other =
      R"({"jsonrpc":"2.0","id":1,"method":"session/update","params":{"sessionId":"s1","update":{}}})";
  for (const std::string& text :
       {std::string(), begin, begin + "s1", begin + "s1\"", begin + "s1\"}}", begin + "s\\u0031\",",
        begin + std::string(300, 's') + "\",\"update\":{}}}", other})
    EXPECT_FALSE(read_update(text, message)) << text;
}

TEST(RemoteMessage, CountsAsJavaScriptDoes) {
  EXPECT_EQ(utf16_units("abc"), 3u);
  EXPECT_EQ(utf16_units("\xc3\xa9"), 1u);          // é
  EXPECT_EQ(utf16_units("\xf0\x9f\x99\x82"), 2u);  // an emoji
  EXPECT_TRUE(id_is_longer("\"abcd\"", 3));
  EXPECT_FALSE(id_is_longer("\"\\u0061bc\"", 3));
  EXPECT_TRUE(id_is_longer("12345", 3));
}

TEST(RemoteMessage, CutsNoCharacterInTwo) {
  for (const auto& [bytes, left] : {std::pair(9u, "aä€"),
                                    {10u, "aä€😀"},
                                    {8u, "aä€"},
                                    {6u, "aä€"},
                                    {5u, "aä"},
                                    {2u, "a"},
                                    {0u, ""}}) {
    std::string text = "aä€😀";
    cut(text, bytes);
    EXPECT_EQ(text, left) << bytes;
  }
}

}  // namespace
}  // namespace acp::remote
