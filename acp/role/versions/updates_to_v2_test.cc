// An agent's updates in version 2.
#include "acp/role/versions/updates_to_v2.h"

#include "acp/role/versions/testing/strict.h"

namespace acp::detail::versions {
namespace {

struct Agent {
  // What the update becomes, as JSON; several with a line end between them.
  std::string update(std::string_view text) {
    std::string out;
    for (const v2::SessionUpdate& one : updates.convert(from<v1::SessionUpdate>(text)))
      (out += out.empty() ? "" : "\n") += strict(one);
    return out;
  }
  // The message id that a chunk gets.
  std::string chunk(const std::string& kind, const std::string& more = "") {
    const std::string out = update(R"({"sessionUpdate":")" + kind +
                                   R"(_chunk","content":{"type":"text","text":"x"})" + more + "}");
    const Json json = Json::from_valid(out);
    EXPECT_EQ(json["sessionUpdate"].as_string(), kind + "_chunk");
    EXPECT_EQ(json["content"]["text"].as_string(), "x");
    return json["messageId"].as_string().value_or("");
  }
  UpdatesToV2 updates{counted_ids()};
};

TEST(UpdatesToV2, ChunksOfAMessageHaveOneId) {
  Agent agent;
  EXPECT_EQ(agent.chunk("agent_message"), "m1");
  EXPECT_EQ(agent.chunk("agent_message"), "m1");
  EXPECT_EQ(agent.chunk("agent_message", R"(,"messageId":null)"), "m1");
  EXPECT_EQ(agent.chunk("agent_thought"), "m2");
  EXPECT_EQ(agent.chunk("agent_message"), "m3");
  EXPECT_EQ(agent.chunk("user_message"), "m4");
  EXPECT_EQ(agent.updates.agent_message_id(), "m3");
  EXPECT_EQ(agent.updates.thought_id(), "m2");
  EXPECT_EQ(agent.updates.user_message_id(), "m4");
}

TEST(UpdatesToV2, AChunksOwnIdCounts) {
  Agent agent;
  EXPECT_EQ(agent.chunk("agent_message", R"(,"messageId":"own")"), "own");
  EXPECT_EQ(agent.chunk("agent_message"), "own");
  EXPECT_EQ(agent.chunk("agent_message", R"(,"messageId":"other")"), "other");
  EXPECT_EQ(agent.chunk("agent_thought"), "m1");
}

TEST(UpdatesToV2, WhatStandsBetweenEndsAMessage) {
  const char* between[] = {
      R"({"sessionUpdate":"tool_call","toolCallId":"t","title":"T"})",
      R"({"sessionUpdate":"plan","entries":[]})",
      R"({"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}})",
      R"({"sessionUpdate":"notice","severity":"info","title":"N"})",
      R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"})",
      R"({"sessionUpdate":"compaction_summary_chunk","compactionId":"d","content":{"type":"text","text":"s"}})",
      R"({"sessionUpdate":"subagent_update","sessionId":"s"})",
      R"({"sessionUpdate":"session_message","messageId":"x"})",
      R"({"sessionUpdate":"session_message_chunk","messageId":"y","content":{"type":"text","text":"s"}})"};
  Agent agent;
  std::string last = agent.chunk("agent_message");
  for (const char* update : between) {
    EXPECT_EQ(agent.chunk("agent_message"), last) << update;
    EXPECT_NE(agent.update(update), "") << update;
    const std::string next = agent.chunk("agent_message");
    EXPECT_NE(next, last) << update;
    last = next;
  }
}

TEST(UpdatesToV2, OtherUpdatesDoNot) {
  const char* beside[] = {
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"})",
      R"({"sessionUpdate":"usage_update","used":1,"size":2})",
      R"({"sessionUpdate":"session_info_update","title":"T"})",
      R"({"sessionUpdate":"available_commands_update","availableCommands":[]})",
      R"({"sessionUpdate":"current_mode_update","currentModeId":"m"})",
      R"({"sessionUpdate":"config_option_update","configOptions":[]})",
      R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"})"};
  Agent agent;
  agent.update(
      R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"})");
  EXPECT_EQ(agent.chunk("agent_message"), "m1");
  for (const char* update : beside) {
    EXPECT_NE(agent.update(update), "") << update;
    EXPECT_EQ(agent.chunk("agent_message"), "m1") << update;
  }
  agent.updates.end_message();
  EXPECT_EQ(agent.chunk("agent_message"), "m2");
}

TEST(UpdatesToV2, TextWithoutValues) {
  Agent agent;
  agent.chunk("agent_thought");
  const std::string prefix = agent.updates.agent_text_prefix();
  EXPECT_EQ(agent.updates.agent_text_prefix(), prefix);
  const std::string whole = prefix + Json("a \"text\"").text() + "}}";
  EXPECT_EQ(agent.chunk("agent_message"), "m2");
  v1::AgentMessageChunk chunk;
  chunk.content = "a \"text\"";
  const auto same = agent.updates.convert(chunk);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(json::encode(same[0]), whole);
  agent.update(R"({"sessionUpdate":"plan","entries":[]})");
  EXPECT_NE(agent.updates.agent_text_prefix(), prefix);
  EXPECT_EQ(agent.chunk("agent_message"), "m3");
}

TEST(UpdatesToV2, APromptsMessage) {
  Agent agent;
  EXPECT_EQ(agent.chunk("agent_message"), "m1");
  agent.updates.begin_user_message("prompt");
  EXPECT_EQ(agent.updates.user_message_id(), "prompt");
  EXPECT_EQ(agent.chunk("agent_message"), "m2");
}

TEST(UpdatesToV2, ModesAndOptionsAreOneCompleteList) {
  Agent agent;
  agent.updates.options() =
      OptionsToV2(from<v1::SessionModeState>(
                      R"({"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},)"
                      R"({"id":"code","name":"Code","description":"D"}]})"),
                  from<std::vector<v1::SessionConfigOption>>(
                      R"([{"type":"boolean","id":"fast","name":"Fast","currentValue":true}])"));
  expect_json(agent.update(R"({"sessionUpdate":"current_mode_update","currentModeId":"code"})"),
              R"({"sessionUpdate":"config_option_update","configOptions":[
        {"type":"select","configId":"mode","name":"Mode","category":"mode","currentValue":"code",
         "options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code","description":"D"}]},
        {"type":"boolean","configId":"fast","name":"Fast","currentValue":true}]})");
  expect_json(
      agent.update(R"({"sessionUpdate":"config_option_update","_meta":{"k":1},"configOptions":[
        {"type":"boolean","id":"mode","name":"Odd","currentValue":false}]})"),
      R"({"sessionUpdate":"config_option_update","_meta":{"k":1},"configOptions":[
        {"type":"select","configId":"mode2","name":"Mode","category":"mode","currentValue":"code",
         "options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code","description":"D"}]},
        {"type":"boolean","configId":"mode","name":"Odd","currentValue":false}]})");
}

TEST(UpdatesToV2, TheOtherUpdates) {
  Agent agent;
  expect_json(agent.update(R"({"sessionUpdate":"plan","_meta":{"k":1},"entries":[)"
                           R"({"content":"c","priority":"low","status":"in_progress"}]})"),
              R"({"sessionUpdate":"plan_update","_meta":{"k":1},"plan":{"type":"items",
                  "planId":"plan",
                  "entries":[{"content":"c","priority":"low","status":"in_progress"}]}})");
  expect_json(agent.update(R"({"sessionUpdate":"available_commands_update","availableCommands":[)"
                           R"({"name":"n","description":"d","input":{"hint":"h"}}]})"),
              R"({"sessionUpdate":"available_commands_update","availableCommands":[
                  {"type":"command","name":"n","description":"d",
                   "input":{"type":"text","hint":"h"}}]})");
  expect_json(
      agent.update(R"({"sessionUpdate":"tool_call","toolCallId":"t","title":"","content":[]})"),
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t"})");
  expect_json(agent.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","title":null,
                               "status":"failed","content":null,"rawInput":null})"),
              R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"})");
  expect_json(agent.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","content":[
                               {"type":"terminal","terminalId":"x"}]})"),
              R"({"sessionUpdate":"tool_call_update","toolCallId":"t",
                  "content":[{"type":"terminal","terminalId":"x"}]})");
  expect_json(agent.update(R"({"sessionUpdate":"session_info_update","title":"T",
                               "updatedAt":"yesterday"})"),
              R"({"sessionUpdate":"session_info_update","title":"T"})");
  // What only version 2 has comes through, if it fits.
  expect_json(agent.update(R"({"sessionUpdate":"state_update","state":"running"})"),
              R"({"sessionUpdate":"state_update","state":"running"})");
  EXPECT_EQ(agent.update(R"({"sessionUpdate":"agent_message","content":[]})"), "");
  EXPECT_EQ(agent.update(R"({"sessionUpdate":"_mine","x":1})"),
            R"({"sessionUpdate":"_mine","x":1})");
}

// What the client has is not sent again.
TEST(UpdatesToV2, ContentInAdditionIsAPiece) {
  const auto text = [](const std::string& words) {
    return R"({"type":"content","content":{"type":"text","text":")" + words + "\"}}";
  };
  const auto with = [&](const std::string& content, const std::string& shown,
                        const std::string& more = "") {
    Agent agent;
    const auto known = from<std::vector<v1::ToolCallContent>>("[" + shown + "]");
    std::string out;
    for (const v2::SessionUpdate& one : agent.updates.convert(
             from<v1::SessionUpdate>(
                 R"({"sessionUpdate":"tool_call_update","toolCallId":"t","content":[)" + content +
                 "]" + more + "}"),
             &known))
      out += strict(one) + "\n";
    return out;
  };
  const std::string piece_of_a =
      R"({"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":)" + text("a") +
      "}\n";
  const std::string ends =
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"})"
      "\n";
  EXPECT_EQ(with(text("a"), ""), piece_of_a);
  EXPECT_EQ(with(text("b") + "," + text("a"), text("b")), piece_of_a);
  EXPECT_EQ(with(text("a") + "," + text("a"), ""), piece_of_a + piece_of_a);
  EXPECT_EQ(with(text("a"), "", R"(,"status":"completed")"), piece_of_a + ends);
  // What is the same is not said again, unless it is all.
  EXPECT_EQ(with(text("a"), text("a"), R"(,"status":"completed")"), ends);
  const std::string all = R"({"sessionUpdate":"tool_call_update","toolCallId":"t","content":[)";
  EXPECT_EQ(with(text("a"), text("b")), all + text("a") + "]}\n");
  EXPECT_EQ(with("", text("b")), all + "]}\n");
}

}  // namespace
}  // namespace acp::detail::versions
