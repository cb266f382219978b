// Tool calls that a client cancels alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/version2_client.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using Work = std::function<void(const Turn& turn, const ToolCall& call)>;

// An agent whose turn makes one call.
Agent agent_with(Work work) {
  Agent agent("test", "1");
  agent.versions({1, 2}).on_prompt([work = std::move(work)](Turn turn) {
    const ToolCall call = turn.tool_call("Working", ToolKind::execute);
    work(turn, call);
    return StopReason::end_turn;
  });
  return agent;
}

constexpr auto long_time = std::chrono::hours(1);

// The call's id, as soon as it can be cancelled.
std::string cancellable(Version2Client& client) {
  const Json offer =
      client.update([](JsonView update) { return update["capabilities"]["cancel"].is_object(); });
  return client.text_of(offer["toolCallId"]);
}

TEST(CancelOneCall, TheTurnGoesOn) {
  const Within limit("tool_call/cancel");
  Agent agent = agent_with([](const Turn& turn, const ToolCall& call) {
    call.start().wait();
    EXPECT_THROW(call.context().sleep(long_time).wait(), Cancelled);
    EXPECT_TRUE(call.cancelled());
    EXPECT_FALSE(turn.cancelled());
    call.fail("stopped").wait();
    turn.say("went on").wait();
  });
  Version2Client client(agent);
  client.prompt();
  const std::string id = cancellable(client);
  const std::string other = std::exchange(client.session, client.open("/"));
  EXPECT_EQ(client.code_of(client.ask_about("tool_call/cancel", "toolCallId", id)), -32602);
  client.session = "nowhere";
  EXPECT_EQ(client.code_of(client.ask_about("tool_call/cancel", "toolCallId", id)), -32002);
  client.session = other;
  EXPECT_EQ(client.code_of(client.ask_about("tool_call/cancel", "toolCallId", "x")), -32602);
  const Json accepted = client.ask_about("tool_call/cancel", "toolCallId", id);
  EXPECT_EQ(accepted["result"].text(), "{}");
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "end_turn");
  const Json last = client.updates("tool_call_update").back();
  EXPECT_EQ(last["status"].as_string(), "cancelled");
  EXPECT_TRUE(last["capabilities"].is_null());
  EXPECT_EQ(client.updates("agent_message_chunk").size(), 1u);
  EXPECT_EQ(client.code_of(client.ask_about("tool_call/cancel", "toolCallId", id)), -32602);
}

TEST(CancelOneCall, OnlyWhereSomebodyListens) {
  const Within limit("a call that nobody can cancel");
  Gate go;
  Agent agent = agent_with([&](const Turn&, const ToolCall& call) {
    call.start().wait();
    go.wait("the client has tried");
    call.complete().wait();
  });
  Version2Client client(agent);
  client.prompt();
  const Json begins = client.update("tool_call_update", "status");
  const std::string id = client.text_of(begins["toolCallId"]);
  EXPECT_EQ(client.code_of(client.ask_about("tool_call/cancel", "toolCallId", id)), -32602);
  go.open();
  client.idle();
  for (const Json& update : client.updates("tool_call_update"))
    EXPECT_TRUE(update["capabilities"].absent()) << update.text();
}

TEST(CancelOneCall, WhatIsDoneFirstIsDone) {
  const Within limit("a call that completes though it is cancelled");
  Gate go;
  Agent agent = agent_with([&](const Turn&, const ToolCall& call) {
    const std::stop_token offered = call.stop_token();  // the client may use it at once
    go.wait("the client has cancelled");
    EXPECT_TRUE(call.cancelled());
    call.complete().wait();
  });
  Version2Client client(agent);
  client.prompt();
  client.ask_about("tool_call/cancel", "toolCallId", cancellable(client));
  go.open();
  client.idle();
  EXPECT_EQ(client.updates("tool_call_update").back()["status"].as_string(), "completed");
}

TEST(CancelOneCall, TakesItsQuestionBack) {
  const Within limit("a question of a call that is cancelled");
  Agent agent = agent_with([](const Turn&, const ToolCall& call) {
    EXPECT_FALSE(call.cancelled());
    EXPECT_THROW(call.ask_permission().wait(), Cancelled);
    call.fail("never mind").wait();
  });
  Version2Client client(agent);
  client.prompt();
  const std::string id = cancellable(client);
  const Json asked = client.until([](const Json& message) {
    return message["method"].as_string() == "session/request_permission";
  });
  client.ask_about("tool_call/cancel", "toolCallId", id);
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "end_turn");
  bool taken_back = false;
  for (const Json& message : client.seen)
    taken_back |= message["method"].as_string() == "$/cancel_request" &&
                  message["params"]["requestId"].text() == asked["id"].text();
  EXPECT_TRUE(taken_back);
}

TEST(CancelOneCall, ACancelledThatIsNotCaughtEndsTheTurn) {
  const Within limit("an exception that passes");
  Agent agent =
      agent_with([](const Turn&, const ToolCall& call) { call.context().sleep(long_time).wait(); });
  Version2Client client(agent);
  client.prompt();
  client.ask_about("tool_call/cancel", "toolCallId", cancellable(client));
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "cancelled");
  EXPECT_EQ(client.updates("tool_call_update").back()["status"].as_string(), "cancelled");
}

TEST(CancelOneCall, TheTurnsCancellingReachesIt) {
  const Within limit("a turn that is cancelled");
  Events seen;
  Agent agent = agent_with([&](const Turn& turn, const ToolCall& call) {
    const SessionContext context = call.context();
    call.start().wait();
    try {
      context.sleep(long_time).wait();
    } catch (const Cancelled&) {
      seen.add(turn.cancelled() && call.cancelled() ? "both" : "one");
    }
    // It makes no difference when the token is asked for.
    seen.add(turn.tool_call("Late", ToolKind::other).cancelled() ? "late" : "not late");
  });
  Version2Client client(agent);
  client.prompt();
  client.update([](JsonView update) { return update["status"].as_string() == "in_progress"; });
  client.notify("session/cancel");
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "cancelled");

  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  served.raw.read_call("session/update");
  served.raw.read_call("session/update");
  served.raw.line(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":)" +
                  Json(session).text() + "}}");
  const Json answer = served.raw.read_answer("5");
  EXPECT_EQ(answer["result"]["stopReason"].as_string(), "cancelled");
  EXPECT_EQ(seen.list(), (std::vector<std::string>{"both", "late", "both", "late"}));
  for (const std::string& line : served.raw.seen())
    EXPECT_EQ(line.find("capabilities\":{\"cancel"), std::string::npos) << line;
}

// Many calls: those that have ended are forgotten.
TEST(CancelOneCall, EachOfMany) {
  const Within limit("many calls");
  Agent agent("test", "1");
  agent.versions({2}).on_prompt([](Turn turn) {
    for (int i = 0; i < 100; ++i) {
      const ToolCall call = turn.tool_call("Quick", ToolKind::other);
      EXPECT_FALSE(call.cancelled());
      call.complete().wait();
    }
    const ToolCall last = turn.tool_call("Slow", ToolKind::other);
    last.start().wait();
    EXPECT_THROW(last.context().sleep(long_time).wait(), Cancelled);
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  client.update([](JsonView update) { return update["status"].as_string() == "in_progress"; });
  client.notify("session/cancel");
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "cancelled");
}

// ---- content

// What a client of version 2 has is not sent again; version 1 has no pieces.
TEST(ContentOfCalls, IsSentInPieces) {
  const Within limit("content in pieces");
  Agent agent = agent_with([](const Turn&, const ToolCall& call) {
    call.add_text("one").wait();
    call.add_diff("/a", "x\n", "y\n").wait();
    call.complete("two").wait();
    call.add_text("three").wait();
  });
  Version2Client client(agent);
  client.prompt();
  client.idle();
  std::string sent;
  for (const Json& message : client.seen) {
    const JsonView update = message["params"]["update"];
    if (update["toolCallId"].absent()) continue;
    const JsonView content = update["content"];
    sent += client.text_of(update["sessionUpdate"]) + " " + client.text_of(update["status"]) +
            client.text_of(content["type"]) + client.text_of(content["content"]["text"]) + ",";
  }
  EXPECT_EQ(sent,
            "tool_call_update pending,tool_call_content_chunk contentone,"
            "tool_call_content_chunk diff,tool_call_content_chunk contenttwo,"
            "tool_call_update completed,tool_call_content_chunk contentthree,");
  Served served(agent);
  served.raw.initialize();
  served.raw.prompt("5", served.raw.new_session(), "go");
  served.raw.read_answer("5");
  std::size_t most = 0;
  for (const std::string& line : served.raw.seen()) {
    const Json message = Json::parse(line).value();
    most = std::max(most, message["params"]["update"]["content"].size());
  }
  EXPECT_EQ(most, 4u);
}

// The hook of a program sees the call as it is.
TEST(ContentOfCalls, AHookSeesAllOfItAndMayChangeIt) {
  const Within limit("content that a hook changes");
  Agent agent("test", "1");
  agent.versions({2}).on_prompt([](Turn turn) {
    const auto hook = [](SessionUpdate& update) {
      auto* const change = std::get_if<v1::ToolCallUpdate>(&update);
      if (change == nullptr || !change->content || change->content->size() != 2) return;
      v1::Content other;
      other.content = ContentBlock("changed");
      change->content->front() = other;
    };
    const ToolCall call = turn.before_update(hook).tool_call("Working", ToolKind::execute);
    call.add_text("one").wait();
    call.add_text("two").wait();
    call.add_text("three").wait();
    call.complete().wait();
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  client.idle();
  EXPECT_EQ(client.updates("tool_call_content_chunk").size(), 2u);
  std::size_t whole = 0;
  for (const Json& update : client.updates("tool_call_update")) whole += update["content"].size();
  EXPECT_EQ(whole, 2u);
}

// A question shows its reason with the content: what follows replaces that.
TEST(ContentOfCalls, FollowsAQuestionAsAWhole) {
  const Within limit("content after a question");
  Agent agent = agent_with([](const Turn&, const ToolCall& call) {
    call.add_text("one").wait();
    PermissionQuestion question;
    question.reason = "because";
    EXPECT_TRUE(call.ask_permission(std::move(question)).wait().allowed);
    call.add_text("two").wait();
    call.complete("three").wait();
  });
  Version2Client client(agent);
  client.prompt();
  const Json asked = client.until([](const Json& message) {
    return message["method"].as_string() == "session/request_permission";
  });
  client.served.raw.answer(asked, R"({"outcome":{"outcome":"selected","optionId":"allow_once"}})");
  client.idle();
  EXPECT_EQ(client.updates("tool_call_content_chunk").size(), 2u);
  EXPECT_EQ(client.updates("tool_call_update").at(1)["content"].size(), 2u);
}

}  // namespace
}  // namespace acp
