// A client's view of a version 2 session, and every update there and back.
#include "acp/role/versions/updates_to_v1.h"

#include "acp/role/versions/testing/strict.h"
#include "acp/role/versions/updates_to_v2.h"

namespace acp::detail::versions {
namespace {

struct Client {
  std::vector<UpdatesToV1::Update> convert(std::string_view text) {
    return updates.convert(from<v2::SessionUpdate>(text));
  }
  // Version 1's updates, with a line end between them; what is none by its place in the variant.
  std::string update(std::string_view text) {
    std::string out;
    for (const UpdatesToV1::Update& one : convert(text)) {
      const auto* said = std::get_if<v1::SessionUpdate>(&one);
      (out += out.empty() ? "" : "\n") +=
          said != nullptr ? strict(*said) : std::to_string(one.index());
    }
    return out;
  }
  template <class T>
  T only(std::string_view text) {
    const auto out = convert(text);
    EXPECT_EQ(out.size(), 1u) << text;
    const T* value = out.empty() ? nullptr : std::get_if<T>(&out[0]);
    EXPECT_NE(value, nullptr) << text;
    return value != nullptr ? *value : T();
  }
  UpdatesToV1 updates{true};
};

TEST(UpdatesToV1, AWholeMessageBecomesChunks) {
  Client client;
  EXPECT_EQ(client.update(R"({"sessionUpdate":"agent_message","messageId":"a","_meta":{"k":1},)"
                          R"("content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]})"),
            R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},)"
            R"("messageId":"a","_meta":{"k":1}})"
            "\n"
            R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"y"},)"
            R"("messageId":"a"})");
  EXPECT_EQ(client.update(R"({"sessionUpdate":"user_message","messageId":"u",)"
                          R"("content":[{"type":"text","text":"x"}]})"),
            R"({"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"},)"
            R"("messageId":"u"})");
  EXPECT_EQ(client.update(R"({"sessionUpdate":"agent_thought","messageId":"t"})"), "");
}

TEST(UpdatesToV1, AMessageThatIsKnown) {
  Client client;
  const std::string chunk =
      R"({"sessionUpdate":"agent_message_chunk","messageId":"a","content":{"type":"text","text":"ab"}})";
  EXPECT_NE(client.update(chunk), "");
  EXPECT_NE(client.update(chunk), "");
  const auto whole = [](const std::string& text) {
    return R"({"sessionUpdate":"agent_message","messageId":"a","content":[{"type":"text","text":")" +
           text + R"("}]})";
  };
  // The same text is no news, and more of it is a chunk.
  EXPECT_EQ(client.update(whole("abab")), "");
  EXPECT_EQ(client.update(whole("ababc")),
            R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"},)"
            R"("messageId":"a"})");
  EXPECT_EQ(client.update(whole("ababc")), "");
  for (const char* other : {"abax", "ab", "xbabc"}) {
    const auto replaced = client.only<MessageReplaced>(whole(other));
    EXPECT_EQ(replaced.kind, MessageReplaced::Kind::agent);
    EXPECT_EQ(replaced.id, "a");
    ASSERT_TRUE(replaced.content.has_value());
    EXPECT_EQ(v1::text_of(*replaced.content), other);
    EXPECT_EQ(client.update(whole(other)), "");
  }
  const auto cleared = client.only<MessageReplaced>(
      R"({"sessionUpdate":"agent_message","messageId":"a","content":null})");
  ASSERT_TRUE(cleared.content.has_value());
  EXPECT_TRUE(cleared.content->empty());
  EXPECT_EQ(client.update(R"({"sessionUpdate":"agent_message","messageId":"a"})"), "");
  const auto meta = client.only<MessageReplaced>(
      R"({"sessionUpdate":"agent_message","messageId":"a","_meta":{"k":1}})");
  EXPECT_FALSE(meta.content.has_value());
  EXPECT_EQ(meta.meta.text(), R"({"k":1})");
}

TEST(UpdatesToV1, AToolCallIsAnnouncedOnce) {
  Client client;
  expect_json(client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","name":"n",
                                "kind":"future","status":"paused","rawInput":{"a":1}})"),
              R"({"sessionUpdate":"tool_call","toolCallId":"t","title":"n","name":"n",
                  "kind":"other","status":"in_progress","rawInput":{"a":1},
                  "_meta":{"libacp/v2":{"status":"paused","kind":"future"}}})");
  expect_json(client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","title":null,
                                "kind":null,"status":null,"content":null,"locations":null,
                                "name":null,"rawInput":null,"capabilities":{"cancel":{}}})"),
              R"({"sessionUpdate":"tool_call_update","toolCallId":"t","title":"","name":"",
                  "kind":"other","status":"pending","content":[],"locations":[],"rawInput":null,
                  "_meta":{"libacp/v2":{"rawInput":null,"capabilities":{"cancel":{}}}}})");
  expect_json(client.update(
                  R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"cancelled"})"),
              R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed",
          "_meta":{"libacp/v2":{"status":"cancelled"}}})");
  expect_json(
      client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"_own"})"),
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress",
          "_meta":{"libacp/v2":{"status":"_own"}}})");
}

// Version 1 replaces all of it.
TEST(UpdatesToV1, TheMetaOfACallIsSentWhole) {
  Client client;
  const auto meta = [&](const std::string& rest) {
    const std::string update =
        client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t")" + rest + "}");
    return std::string(JsonView::of_valid(update)["_meta"].text());
  };
  EXPECT_EQ(meta(R"(,"_meta":{"a":1,"b":2,"gone":null})"), R"({"a":1,"b":2})");
  EXPECT_EQ(meta(R"(,"title":"T")"), "");
  EXPECT_EQ(meta(R"(,"_meta":{"b":null,"c":{"d":null}})"), R"({"a":1,"c":{"d":null}})");
  EXPECT_EQ(meta(R"(,"status":"paused")"), R"({"libacp/v2":{"status":"paused"}})");
  EXPECT_EQ(meta(R"(,"_meta":{"e":5})"), R"({"a":1,"c":{"d":null},"e":5})");
  EXPECT_EQ(meta(R"(,"_meta":null)"), "{}");
  EXPECT_EQ(meta(R"(,"_meta":{"f":6})"), R"({"f":6})");
}

std::string content_chunk(const std::string& id, const std::string& text) {
  return R"({"sessionUpdate":"tool_call_content_chunk","toolCallId":")" + id +
         R"(","content":{"type":"content","content":{"type":"text","text":")" + text + R"("}}})";
}

std::size_t content_size(const std::string& update) {
  return JsonView::of_valid(update)["content"].size();
}

TEST(UpdatesToV1, ContentInAdditionComesWithAllBefore) {
  Client client;
  EXPECT_TRUE(
      client.update(content_chunk("t", "1")).starts_with(R"({"sessionUpdate":"tool_call",)"));
  EXPECT_EQ(content_size(client.update(content_chunk("t", "2"))), 2u);
  client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]})");
  EXPECT_EQ(content_size(client.update(content_chunk("t", "3"))), 1u);
  ASSERT_NE(client.updates.content_of("t"), nullptr);
  EXPECT_EQ(client.updates.content_of("t")->size(), 1u);
  EXPECT_EQ(client.updates.content_of("other"), nullptr);
}

TEST(UpdatesToV1, FinishedCallsAreForgotten) {
  UpdatesToV1 updates(true, {.finished_calls = 3, .finished_contents = 1});
  Client client{updates};
  const auto finish = [&](const std::string& id) {
    return client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":")" + id +
                         R"(","status":"completed"})");
  };
  for (const char* id : {"a", "b", "c"}) {
    client.update(content_chunk(id, "1"));
    finish(id);
  }
  EXPECT_EQ(client.updates.content_of("a"), nullptr);
  EXPECT_EQ(client.updates.content_of("b"), nullptr);
  EXPECT_NE(client.updates.content_of("c"), nullptr);
  EXPECT_TRUE(finish("a").starts_with(R"({"sessionUpdate":"tool_call_update")"));
  client.update(content_chunk("d", "1"));
  finish("d");
  // A call that goes on is not forgotten.
  EXPECT_TRUE(finish("b").starts_with(R"({"sessionUpdate":"tool_call_update")"));
  EXPECT_TRUE(finish("a").starts_with(R"({"sessionUpdate":"tool_call",)"));
}

TEST(UpdatesToV1, CallsThatShowTooMuchAreForgotten) {
  UpdatesToV1 updates(true, {.calls = 8192});
  Client client{updates};
  const std::string piece(3000, 'x');
  client.update(content_chunk("a", piece));
  client.update(content_chunk("b", piece));
  EXPECT_FALSE(client.updates.take_warning().has_value());
  client.update(content_chunk("c", piece));
  const auto warning = client.updates.take_warning();
  ASSERT_TRUE(warning.has_value());
  EXPECT_NE(warning->find("more than 8192 bytes"), std::string::npos) << *warning;
  EXPECT_EQ(client.updates.content_of("a"), nullptr);
  EXPECT_NE(client.updates.content_of("c"), nullptr);
  EXPECT_TRUE(
      client.update(content_chunk("a", "1")).starts_with(R"({"sessionUpdate":"tool_call",)"));
  // The end of what one call alone shows; what has just come is sent in any
  // case.
  for (int i = 0; i < 20; ++i)
    EXPECT_LE(content_size(client.update(content_chunk("long", piece))), 3u);
  ASSERT_NE(client.updates.content_of("long"), nullptr);
  EXPECT_FALSE(client.updates.content_of("long")->empty());
  // However many there are, and whatever ends.
  for (int i = 0; i < 1000; ++i) client.update(content_chunk(std::to_string(i), "1"));
  EXPECT_EQ(client.updates.content_of("0"), nullptr);
  EXPECT_NE(client.updates.content_of("999"), nullptr);
  client.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"999","status":"completed"})");
  EXPECT_FALSE(client.updates.take_warning().has_value());
}

TEST(UpdatesToV1, Terminals) {
  UpdatesToV1 updates(true, {.terminal_output = 8});
  Client client{updates};
  auto change = client.only<TerminalChanged>(
      R"({"sessionUpdate":"terminal_update","terminalId":"t","command":"ls","cwd":"/",)"
      R"("output":{"data":"aGVsbG8="},"exitStatus":{"exitCode":-1},"size":{"cols":80,"rows":24}})");
  EXPECT_EQ(change.id, "t");
  EXPECT_EQ(change.command, "ls");
  EXPECT_TRUE(change.replaces_output);
  EXPECT_EQ(change.output, "hello");
  EXPECT_FALSE(change.truncated);
  EXPECT_EQ(change.exit_status->exitCode, -1);
  EXPECT_EQ(change.size->rows, 24);
  const auto chunk = [&](const std::string& data) {
    return client.only<TerminalChanged>(
        R"({"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":")" + data + "\"}");
  };
  EXPECT_FALSE(chunk("aGk").replaces_output);
  EXPECT_EQ(chunk("aGk").output, "hi");
  // The last bytes within the limit.
  EXPECT_EQ(chunk("MDEyMzQ1Njc4OWFiY2RlZg==").output, "89abcdef");
  EXPECT_TRUE(chunk("MDEyMzQ1Njc4OWFiY2RlZg==").truncated);
  EXPECT_EQ(chunk("aGVs*bG8=").output, "hel");
  EXPECT_TRUE(chunk("aGVs*bG8=").truncated);
  EXPECT_TRUE(chunk("a").truncated);
  EXPECT_TRUE(client
                  .only<TerminalChanged>(
                      R"({"sessionUpdate":"terminal_update","terminalId":"t","output":null})")
                  .replaces_output);
}

TEST(UpdatesToV1, States) {
  Client client;
  using State = SessionActivity::State;
  const auto state = [&](const std::string& rest) {
    return client.only<SessionActivity>(R"({"sessionUpdate":"state_update",)" + rest + "}");
  };
  auto running = state(R"("state":"running","background":[{"type":"terminal","terminalId":"t"}])");
  EXPECT_EQ(running.state, State::running);
  ASSERT_TRUE(running.background.has_value());
  EXPECT_EQ(running.background->size(), 1u);
  EXPECT_FALSE(running.answer.has_value());
  EXPECT_EQ(state(R"("state":"requires_action")").state, State::requires_action);
  EXPECT_FALSE(state(R"("state":"idle")").answer.has_value());
  for (const v1::StopReason reason :
       {v1::StopReason::end_turn, v1::StopReason::max_tokens, v1::StopReason::max_turn_requests,
        v1::StopReason::refusal, v1::StopReason::cancelled}) {
    v1::PromptResponse response;
    response.stopReason = reason;
    response.usage.emplace().totalTokens = 7;
    const v2::StateUpdate idle = idle_state(response);
    strict(idle);
    const SessionActivity back = to_v1(idle);
    EXPECT_EQ(back.state, State::idle);
    ASSERT_TRUE(back.answer.has_value());
    EXPECT_EQ(*back.answer, response);
  }
  const auto failed =
      state(R"("state":"idle","stopReason":"error","error":{"code":-5,"message":"m"})");
  ASSERT_TRUE(failed.error.has_value());
  EXPECT_EQ(failed.error->code, -5);
  EXPECT_FALSE(failed.answer.has_value());
  EXPECT_TRUE(state(R"("state":"idle","stopReason":"error")").error.has_value());
  const auto odd = state(R"("state":"idle","stopReason":"_tired")");
  ASSERT_TRUE(odd.answer.has_value());
  EXPECT_EQ(odd.answer->stopReason, v1::StopReason::end_turn);
  EXPECT_EQ(odd.stop_reason, "_tired");
  const auto unlisted = state(R"("state":"_asleep")");
  EXPECT_EQ(unlisted.state, State::unknown);
  EXPECT_EQ(unlisted.unlisted, "_asleep");
  v1::Error error{.code = -32002, .message = "m", .data = Json::object({{"sessionId", "s"}})};
  strict(failed_state(error));
  EXPECT_EQ(to_v1(failed_state(error)).error, error);
  strict(running_state());
  strict(v2::StateUpdate(v2::RequiresActionStateUpdate()));
  strict(idle_state());
}

// A piece of text that was read as one of version 1 is noted as if it had been converted.
TEST(UpdatesToV1, TextIsTheSameInBoth) {
  const auto chunk = [](const std::string& more) {
    return from<v1::SessionUpdate>(R"({"sessionUpdate":"agent_message_chunk",)" + more + "}");
  };
  const std::string hello = R"("messageId":"m","content":{"type":"text","text":"Hello"})";
  Client client;
  EXPECT_TRUE(client.updates.take_text(chunk(hello)));
  // What goes on after it is added; had it not been noted, all of it would come.
  const std::string whole = R"({"sessionUpdate":"agent_message","messageId":"m",)"
                            R"("content":[{"type":"text","text":"Hello you"}]})";
  EXPECT_NE(client.update(whole).find(R"("text":" you")"), std::string::npos);
  for (const char* other :
       {R"("content":{"type":"text","text":"no id"})",
        R"("messageId":"m","content":{"type":"text","text":"x","annotations":{"priority":1}})",
        R"("messageId":"m","content":{"type":"image","data":"","mimeType":"image/png"})"})
    EXPECT_FALSE(client.updates.take_text(chunk(other))) << other;
}

TEST(UpdatesToV1, TheModesOptionIsTheMode) {
  const std::string update =
      R"({"sessionUpdate":"config_option_update","configOptions":[
        {"type":"select","configId":"m","name":"Mode","category":"mode","currentValue":"code",
         "options":[{"groupId":"g","name":"G","options":[{"value":"code","name":"Code"}]}]},
        {"type":"boolean","configId":"fast","name":"Fast","currentValue":true}]})";
  Client client;
  const std::string said = R"({"sessionUpdate":"current_mode_update","currentModeId":"code"})"
                           "\n"
                           R"({"sessionUpdate":"config_option_update","configOptions":[)"
                           R"({"id":"fast","name":"Fast","type":"boolean","currentValue":true}]})";
  EXPECT_EQ(client.update(update), "4\n" + said);  // the modes on offer are new
  EXPECT_EQ(client.update(update), said);
  EXPECT_EQ(client.updates.mode_id(), "m");
  const std::string without = R"({"sessionUpdate":"config_option_update","configOptions":[]})";
  EXPECT_EQ(client.update(without), "4\n" + without);  // nor are there any more
  EXPECT_EQ(client.update(without), without);
  EXPECT_EQ(client.updates.mode_id(), "");
  Client plain{UpdatesToV1(false)};
  const std::string whole = plain.update(update);
  EXPECT_EQ(JsonView::of_valid(whole)["configOptions"].size(), 2u);
}

TEST(UpdatesToV1, PlansWithoutEqualInVersion1) {
  Client client;
  const std::string update =
      R"({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"plan","entries":[)"
      R"({"content":"a","priority":"_soon","status":"cancelled"},)"
      R"({"content":"b","priority":"high","status":"_asleep"}]}})";
  const std::string plan = client.update(update);
  expect_json(plan, R"({"sessionUpdate":"plan","entries":[
      {"content":"a","priority":"medium","status":"completed",
       "_meta":{"libacp/v2":{"priority":"_soon","status":"cancelled"}}},
      {"content":"b","priority":"high","status":"pending",
       "_meta":{"libacp/v2":{"status":"_asleep"}}}]})");
  const auto back = UpdatesToV2(counted_ids()).convert(from<v1::SessionUpdate>(plan));
  ASSERT_EQ(back.size(), 1u);
  expect_json(strict(back[0]), update);
  expect_json(client.update(R"({"sessionUpdate":"plan_removed","planId":"plan"})"),
              R"({"sessionUpdate":"plan","entries":[]})");
}

// What both versions can say comes back as it was.
TEST(UpdatesToV1, EveryUpdateThereAndBack) {
  const char* all[] = {
      R"({"sessionUpdate":"user_message_chunk","messageId":"a","content":{"type":"text","text":"x","annotations":{"audience":["user"],"priority":0.5}}})",
      R"({"sessionUpdate":"agent_message_chunk","messageId":"b","_meta":{"k":[1]},"content":{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///x"}})",
      R"({"sessionUpdate":"agent_thought_chunk","messageId":"c","content":{"type":"audio","data":"AA==","mimeType":"audio/wav"}})",
      R"({"sessionUpdate":"agent_message_chunk","messageId":"d","content":{"type":"resource_link","uri":"file:///a","name":"n","title":"t","description":"d","mimeType":"m","size":5}})",
      R"({"sessionUpdate":"agent_message_chunk","messageId":"d","content":{"type":"resource","resource":{"uri":"file:///a","text":"t"}}})",
      R"({"sessionUpdate":"agent_message_chunk","messageId":"d","content":{"type":"resource","resource":{"uri":"file:///a","blob":"AA==","mimeType":"m"}}})",
      R"({"sessionUpdate":"tool_call","toolCallId":"t","title":"T","name":"n","kind":"switch_mode","status":"pending","content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"terminal","terminalId":"x"}],"locations":[{"path":"/a","line":3}],"rawInput":{"a":1},"rawOutput":[2],"_meta":{"k":1}})",
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","title":"U","kind":"delete","status":"completed","content":[],"locations":[],"rawOutput":{"b":2}})",
      R"({"sessionUpdate":"plan","entries":[{"content":"c","priority":"medium","status":"completed"}],"_meta":{"k":1}})",
      R"({"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"c","priority":"low","status":"pending"}]}})",
      R"({"sessionUpdate":"plan_update","plan":{"type":"file","planId":"p","uri":"file:///p"}})",
      R"({"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"m"}})",
      R"({"sessionUpdate":"plan_removed","planId":"p"})",
      R"({"sessionUpdate":"available_commands_update","availableCommands":[{"name":"n","description":"d","input":{"hint":"h"}},{"name":"o","description":"e"}]})",
      R"({"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","description":"d","category":"model","type":"select","currentValue":"x","options":[{"value":"x","name":"X"}]},{"id":"b","name":"B","type":"select","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]}]},{"id":"c","name":"C","type":"boolean","currentValue":false}]})",
      R"({"sessionUpdate":"session_info_update","title":null,"updatedAt":"2026-11-15T10:45:00Z"})",
      R"({"sessionUpdate":"usage_update","used":1,"size":18446744073709551615,"cost":{"amount":0.5,"currency":"USD"}})",
      R"({"sessionUpdate":"usage_update","used":1,"size":2,"cost":null})",
      R"({"sessionUpdate":"notice","severity":"warning","title":"N","description":"d"})",
      R"({"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":[{"type":"text","text":"s"}],"error":null})",
      R"({"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"s"}})",
      R"({"sessionUpdate":"subagent_update","sessionId":"s","title":"T","state":{"state":"idle","stopReason":"end_turn"},"cwd":"/"})",
      R"({"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s","content":[{"type":"text","text":"x"}]})",
      R"({"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"x"}})"};
  UpdatesToV2 agent(counted_ids());
  UpdatesToV1 client(true);
  for (const char* text : all) {
    const auto update = from<v1::SessionUpdate>(text);
    const auto there = agent.convert(update);
    ASSERT_EQ(there.size(), 1u) << text;
    strict(there[0]);
    const auto back = client.convert(there[0]);
    ASSERT_EQ(back.size(), 1u) << text;
    ASSERT_TRUE(std::holds_alternative<v1::SessionUpdate>(back[0])) << text;
    EXPECT_EQ(json::encode(std::get<v1::SessionUpdate>(back[0])), json::encode(update));
  }
}

}  // namespace
}  // namespace acp::detail::versions
