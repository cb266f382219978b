#include "coder/model/anthropic_messages.h"

#include <gtest/gtest.h>

#include "coder/model/testing/answer.h"

namespace acp::coder {
namespace {

using Role = Message::Role;
using Answer = testing::Answer<AnthropicStream>;
using Kind = ModelError::Kind;

TEST(AnthropicRequest, AConversationWithTools) {
  ModelRequest request;
  request.model = "claude";
  request.system = "Be brief.";
  request.messages = {
      {Role::user, {TextPart{"hello"}, TextPart{""}, MediaPart{"image/png", "AAAA"}}},
      {Role::assistant,
       {ThoughtPart{"hm", "sealed"}, ThoughtPart{"unsealed"}, ThoughtPart{"", "secret"},
        TextPart{"I look."}, ToolCallPart{"c1", "read", R"({"path":"a"})"},
        ToolCallPart{"c2", "list", "[1"}}},
      {Role::assistant, {TextPart{""}}},
      {Role::user,
       {ToolResultPart{"c1", "text"}, ToolResultPart{"c2", "no", true, {{"image/png", "BB"}}}}},
  };
  request.tools = {{"read", "Reads a file", Json::parse(R"({"type":"object"})").value()}};
  EXPECT_EQ(
      Json::parse(anthropic_request(request)).value().text(),
      R"({"model":"claude","max_tokens":16000,"stream":true,)"
      R"("system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],)"
      R"("messages":[{"role":"user","content":[{"type":"text","text":"hello"},)"
      R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},)"
      R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sealed"},)"
      R"({"type":"redacted_thinking","data":"secret"},{"type":"text","text":"I look."},)"
      R"({"type":"tool_use","id":"c1","name":"read","input":{"path":"a"}},)"
      R"({"type":"tool_use","id":"c2","name":"list","input":{}}]},)"
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",)"
      R"("content":[{"type":"text","text":"text"}]},{"type":"tool_result","tool_use_id":"c2",)"
      R"("content":[{"type":"text","text":"no"},{"type":"image","source":{"type":"base64",)"
      R"("media_type":"image/png","data":"BB"}}],"is_error":true,"cache_control":{"type":"ephemeral"}}]}],)"
      R"("tools":[{"name":"read","description":"Reads a file","input_schema":{"type":"object"}}]})");
}

TEST(AnthropicStream, ThoughtsTextAndToolCalls) {
  Answer answer;
  answer.feed(
      {R"({"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":100,)"
       R"("cache_creation_input_tokens":20,"output_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
       R"({"type":"ping"})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}})",
       R"({"type":"content_block_stop","index":0})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I "}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"look."}})",
       R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"read","input":{}}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}})",
       R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t2","name":"list","input":{}}})",
       R"({"type":"something_new","value":1})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}})",
       R"({"type":"message_stop"})"});
  answer.stream.end();
  EXPECT_EQ(answer.thoughts, "hm");
  EXPECT_EQ(answer.signature, "sig");
  EXPECT_EQ(answer.text, "I look.");
  EXPECT_EQ(answer.calls, "[0 t1 read]0:{\"p\":0:1}[1 t2 list]");
  EXPECT_EQ(answer.end, "tool_calls");
  EXPECT_EQ(answer.usage.input_tokens, 125u);
  EXPECT_EQ(answer.usage.output_tokens, 42u);
  EXPECT_EQ(answer.usage.cached_tokens, 100u);
}

TEST(AnthropicStream, EveryEnd) {
  for (const auto& [reason, end] :
       {std::pair("end_turn", "end"), std::pair("stop_sequence", "end"),
        std::pair("max_tokens", "max_tokens"), std::pair("refusal", "refusal"),
        std::pair("model_context_window_exceeded", "max_tokens"), std::pair("new", "unknown")}) {
    Answer answer;
    answer.stream.event(R"({"type":"message_delta","delta":{"stop_reason":")" +
                        std::string(reason) + "\"}}");
    answer.stream.event(R"({"type":"message_stop"})");
    answer.stream.end();
    EXPECT_EQ(answer.end, end);
  }
}

TEST(AnthropicStream, WhatGoesWrong) {
  Answer answer;
  EXPECT_EQ(testing::kind_of([&] { answer.stream.event("x"); }), Kind::broken);
  EXPECT_EQ(testing::kind_of([&] { answer.stream.end(); }), Kind::unreachable);
  EXPECT_EQ(
      testing::kind_of([&] {
        answer.stream.event(
            R"({"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta"}})");
      }),
      Kind::broken);
  EXPECT_EQ(testing::kind_of([&] {
              answer.stream.event(
                  R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})");
            }),
            Kind::overloaded);
  const auto kind = [](int status, const char* type) {
    return anthropic_error(
               status,
               R"({"type":"error","error":{"type":")" + std::string(type) + R"(","message":"m"}})",
               2.0)
        .kind();
  };
  EXPECT_EQ(kind(401, "authentication_error"), Kind::unauthorized);
  EXPECT_EQ(kind(429, "rate_limit_error"), Kind::rate_limited);
  EXPECT_EQ(kind(529, "overloaded_error"), Kind::overloaded);
  EXPECT_EQ(kind(413, "request_too_large"), Kind::too_long);
  EXPECT_EQ(kind(400, "invalid_request_error"), Kind::refused);
  EXPECT_STREQ(anthropic_error(502, "<html>", {}).what(), "the server failed (HTTP 502)");
}

}  // namespace
}  // namespace acp::coder
