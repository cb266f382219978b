#include "coder/model/chat_completions.h"

#include <gtest/gtest.h>

#include "coder/model/testing/answer.h"

namespace acp::coder {
namespace {

using Role = Message::Role;

using Answer = testing::Answer<ChatCompletionsStream>;
using testing::kind_of;

Json parsed(const ModelRequest& request, const ChatCompletionsDialect& dialect = {}) {
  return Json::parse(chat_completions_request(request, dialect)).value();
}

TEST(ChatCompletionsRequest, AConversationWithTools) {
  ModelRequest request;
  request.model = "gpt";
  request.system = "Be \"brief\".";
  request.max_tokens = 100;
  request.messages = {
      {Role::user, {TextPart{"hello"}, TextPart{"there"}}},
      {Role::assistant,
       {ThoughtPart{"hm"}, TextPart{"I look."}, ToolCallPart{"c1", "read", R"({"path":"a"})"},
        ToolCallPart{"c2", "list", "not json"}}},
      {Role::user, {ToolResultPart{"c1", "text"}, ToolResultPart{"c2", "no", true}}},
  };
  request.tools = {{"read", "Reads a file", Json::parse(R"({"type":"object"})").value()}};
  EXPECT_EQ(
      parsed(request).text(),
      R"({"model":"gpt","stream":true,"stream_options":{"include_usage":true},)"
      R"("max_tokens":100,"messages":[{"role":"system","content":"Be \"brief\"."},)"
      R"({"role":"user","content":"hello\nthere"},)"
      R"({"role":"assistant","content":"I look.","tool_calls":[)"
      R"({"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},)"
      R"({"id":"c2","type":"function","function":{"name":"list","arguments":"{}"}}]},)"
      R"({"role":"tool","tool_call_id":"c1","content":"text"},)"
      R"({"role":"tool","tool_call_id":"c2","content":"Error: no"}],)"
      R"("tools":[{"type":"function","function":{"name":"read","description":"Reads a file",)"
      R"("parameters":{"type":"object"}}}]})");
  ChatCompletionsDialect newer;
  newer.max_completion_tokens = true;
  const Json newest = parsed(request, newer);
  EXPECT_EQ(newest["max_completion_tokens"].as_int64(), 100);
  EXPECT_TRUE(newest["max_tokens"].absent());
}

// After a turn that was cancelled or refused the user speaks twice: templates of local models take
// no two messages of one side.
TEST(ChatCompletionsRequest, TheUserSpeaksOnceAtATime) {
  ModelRequest request;
  request.messages = {{Role::user, {TextPart{"one"}}},
                      {Role::user, {TextPart{"two"}}},
                      {Role::assistant, {ToolCallPart{"c", "list", "{}"}}},
                      {Role::user, {ToolResultPart{"c", "fine", false, {{"image/png", "AA"}}}}},
                      {Role::user, {TextPart{"three"}}},
                      {Role::assistant, {TextPart{"yes"}}},
                      {Role::user, {TextPart{"four"}}}};
  const Json body = parsed(request);
  std::string told;
  for (const JsonView message : body["messages"].elements())
    told += *message["role"].as_string() + " " + std::string(message["content"].text()) + "\n";
  EXPECT_EQ(told,
            "user \"one\\ntwo\"\nassistant null\ntool \"fine\"\nuser "
            "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA\"}},"
            "{\"type\":\"text\",\"text\":\"three\"}]\nassistant \"yes\"\nuser \"four\"\n");
}

TEST(ChatCompletionsRequest, PicturesSoundAndDocuments) {
  ModelRequest request;
  request.messages = {
      {Role::user,
       {TextPart{"see"}, MediaPart{"image/png", "AAAA"}, MediaPart{"audio/mpeg", "BBBB"},
        MediaPart{"application/pdf", "CC", "a.pdf"}}},
      {Role::user, {ToolResultPart{"c", "a picture", false, {{"image/png", "DD"}}}}}};
  const Json body = parsed(request);
  EXPECT_EQ(
      body["messages"].text(),
      R"([{"role":"user","content":[{"type":"text","text":"see"},)"
      R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},)"
      R"({"type":"input_audio","input_audio":{"data":"BBBB","format":"mp3"}},)"
      R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,CC"}}]},)"
      R"({"role":"tool","tool_call_id":"c","content":"a picture"},)"
      R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,DD"}}]}])");
}

TEST(ChatCompletionsStream, TextThoughtsAndUsage) {
  Answer answer;
  answer.feed({R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})",
               R"({"choices":[{"index":0,"delta":{"reasoning_content":"Let me "}}]})",
               R"({"choices":[{"index":0,"delta":{"reasoning":"think."}}]})",
               R"({"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]})",
               R"({"choices":[{"index":1,"delta":{"content":"another choice"}}]})",
               R"({"choices":[{"index":0,"delta":{"content":", world"}}],"usage":null})",
               R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
               R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":7,)"
               R"("prompt_tokens_details":{"cached_tokens":4},)"
               R"("completion_tokens_details":{"reasoning_tokens":3}}})",
               "[DONE]"});
  answer.stream.end();
  EXPECT_EQ(answer.thoughts, "Let me think.");
  EXPECT_EQ(answer.text, "Hello, world");
  EXPECT_EQ(answer.end, "end");
  EXPECT_EQ(answer.usage.input_tokens, 10u);
  EXPECT_EQ(answer.usage.output_tokens, 7u);
  EXPECT_EQ(answer.usage.cached_tokens, 4u);
  EXPECT_EQ(answer.usage.thought_tokens, 3u);
}

TEST(ChatCompletionsStream, ToolCallsSideBySide) {
  Answer answer;
  answer.feed(
      {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":""}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"list","arguments":"{}"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]})",
       R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})"});
  answer.stream.end();
  EXPECT_EQ(answer.calls, "[0 a read]0:{\"p\":[1 b list]1:{}0:1}");
  EXPECT_EQ(answer.end, "tool_calls");
}

TEST(ChatCompletionsStream, WhatOtherServersDo) {
  Answer whole;  // calls without index and id, arguments as an object, and "stop"
  whole.feed(
      {R"({"choices":[{"delta":{"tool_calls":[{"function":{"name":"a","arguments":{"x":1}}},)"
       R"({"function":{"name":"b","arguments":"{}"}}]}}]})",
       R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"});
  whole.stream.end();
  EXPECT_EQ(whole.calls, "[0 call_0 a]0:{\"x\":1}[1 call_1 b]1:{}");
  EXPECT_EQ(whole.end, "tool_calls");
  for (const auto& [reason, end] :
       {std::pair("length", "max_tokens"), std::pair("content_filter", "refusal"),
        std::pair("weird", "unknown")}) {
    Answer answer;
    answer.stream.event(std::string(R"({"choices":[{"delta":{},"finish_reason":")") + reason +
                        "\"}]}");
    answer.stream.end();
    EXPECT_EQ(answer.end, end);
  }
  Answer refusing;
  refusing.feed({R"({"choices":[{"delta":{"refusal":"I cannot"}}]})",
                 R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"});
  refusing.stream.end();
  EXPECT_EQ(refusing.text, "I cannot");
  EXPECT_EQ(refusing.end, "refusal");
}

TEST(ChatCompletionsStream, WhatGoesWrong) {
  using Kind = ModelError::Kind;
  Answer answer;
  EXPECT_EQ(kind_of([&] { answer.stream.event("{\"choices\":["); }), Kind::broken);
  EXPECT_EQ(kind_of([&] { answer.stream.event("[]"); }), Kind::broken);
  EXPECT_EQ(kind_of([&] { answer.stream.event(R"({"error":{"message":"busy","code":503}})"); }),
            Kind::overloaded);
  EXPECT_EQ(kind_of([&] { answer.stream.end(); }), Kind::unreachable) << "it broke off";
  const auto error = [](int status, const char* body) {
    return chat_completions_error(status, body, 1.5);
  };
  EXPECT_EQ(error(401, R"({"error":{"message":"bad key"}})").kind(), Kind::unauthorized);
  EXPECT_STREQ(error(401, R"({"error":{"message":"bad key"}})").what(),
               "the key was rejected (HTTP 401)");
  EXPECT_EQ(error(401, R"({"error":{"message":"bad key"}})").details(),
            R"({"error":{"message":"bad key"}})");
  EXPECT_STREQ(error(400, R"({"error":{"message":"m","code":"bad_thing"}})").what(),
               "the request was refused (HTTP 400, bad_thing)");
  EXPECT_STREQ(error(400, R"({"error":{"code":"File \"/srv/app.py\", line 3"}})").what(),
               "the request was refused (HTTP 400)")
      << "what is no name is not shown";
  EXPECT_STREQ(error(404, "").what(), "there is no such model, or no such address (HTTP 404)");
  EXPECT_EQ(error(429, "").kind(), Kind::rate_limited);
  EXPECT_EQ(error(429, "").retry_after(), 1.5);
  for (const char* name : {"code", "type"})
    EXPECT_EQ(error(429, (std::string(R"({"error":{"message":"m",")") + name +
                          R"(":"insufficient_quota"}})")
                             .c_str())
                  .kind(),
              Kind::refused)
        << "no money comes by waiting";
  EXPECT_STREQ(error(500, "<html>").what(), "the server failed (HTTP 500)");
  EXPECT_EQ(error(400, R"({"error":{"code":"context_length_exceeded","message":"m"}})").kind(),
            Kind::too_long);
  EXPECT_EQ(error(400, R"({"error":"text"})").kind(), Kind::refused);
  EXPECT_STREQ(error(400, R"({"error":"text"})").what(), "the request was refused (HTTP 400)");
}

}  // namespace
}  // namespace acp::coder
