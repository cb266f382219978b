// The hook of SessionContext::before_update(): it sees what is sent, in that order, and before it
// is sent.
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acp/agent.h"
#include "acp/json/codec.h"
#include "acp/schema/v1.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Both as they are on the wire.
struct Seen {
  std::vector<std::string> by_hook, by_client;
};

// A turn of this handler; the client allows what it is asked.
Seen seen_in(
    const std::function<void(Turn plain, Turn hooked)>& handler,
    const std::function<void(SessionUpdate&)>& change = [](SessionUpdate&) {}) {
  Seen seen;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) {
    const auto hook = [&](SessionUpdate& update) {
      change(update);
      seen.by_hook.push_back(json::encode(update));
    };
    handler(turn, turn.before_update(hook));
    return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  while (true) {
    const Json message = served.raw.read();
    if (message["method"].as_string() == "session/request_permission") {
      seen.by_client.emplace_back(message["params"]["toolCall"].text());
      served.raw.answer(message, R"({"outcome":{"outcome":"selected","optionId":"allow_once"}})");
      continue;
    }
    const JsonView update = message["params"]["update"];
    if (update.absent()) break;
    seen.by_client.emplace_back(update.text());
  }
  return seen;
}

TEST(BeforeUpdate, SeesAllThatIsSent) {
  const Within limit("a turn with a hook");
  const Seen seen = seen_in([](const Turn&, const Turn& hooked) {
    hooked.say("one").wait();
    hooked.think("two").wait();
    const ToolCall call = hooked.tool_call("Three", ToolKind::edit);
    call.start().wait();
    call.add_diff("/a", "old", "new").wait();
    call.complete("four").wait();
    Plan plan = hooked.make_plan();
    plan.add("five").wait();
  });
  ASSERT_EQ(seen.by_client.size(), 7);
  EXPECT_EQ(seen.by_hook, seen.by_client);
}

TEST(BeforeUpdate, IsOfThatCopyAlone) {
  const Within limit("a turn with a hook");
  const Seen seen = seen_in([](const Turn& plain, const Turn& hooked) {
    plain.say("one").wait();
    hooked.say("two").wait();
    plain.tool_call("Three", ToolKind::edit).complete().wait();
  });
  EXPECT_EQ(seen.by_client.size(), 4);
  EXPECT_EQ(seen.by_hook.size(), 1);
}

// Stored as failed, too, and not left open.
TEST(BeforeUpdate, SeesWhatTheEndOfTheTurnCloses) {
  const Within limit("a turn that leaves a call open");
  const Seen seen = seen_in([](const Turn&, const Turn& hooked) {
    hooked.tool_call("Left open", ToolKind::edit).start().wait();
  });
  ASSERT_EQ(seen.by_hook.size(), 3);
  EXPECT_NE(seen.by_hook[2].find(R"("status":"failed")"), std::string::npos) << seen.by_hook[2];
  EXPECT_EQ(seen.by_hook, seen.by_client);
}

TEST(BeforeUpdate, WhatHasEndedWithoutTheHookIsNotEndedAgain) {
  const Within limit("calls that another copy of the turn ends");
  const Seen seen = seen_in([](const Turn& plain, const Turn& hooked) {
    for (const ToolCallStatus status : {ToolCallStatus::failed, ToolCallStatus::completed}) {
      v1::ToolCallUpdate end;
      end.toolCallId = hooked.tool_call("Ends elsewhere", ToolKind::edit).id();
      end.status = status;
      plain.update(end).wait();
    }
  });
  EXPECT_EQ(seen.by_hook.size(), 2);
  EXPECT_EQ(seen.by_client.size(), 4);
}

// A question shows what the client was sent, not what the program had before the hook.
TEST(BeforeUpdate, ChangesWhatIsSentAndAskedAbout) {
  const Within limit("a hook that changes a call");
  const Seen seen = seen_in(
      [](const Turn&, const Turn& hooked) {
        const ToolCall call = hooked.tool_call("Write secret", ToolKind::edit);
        call.add_text("the secret is 1234").wait();
        call.set_raw_input(Json::object({{"text", "secret"}})).wait();
        EXPECT_TRUE(call.ask_permission().wait().allowed);
        call.complete("a secret").wait();
      },
      [](SessionUpdate& update) {
        std::string text = json::encode(update);
        for (std::size_t at = 0; (at = text.find("secret")) != std::string::npos;)
          text.replace(at, 6, "[key]");
        update = json::decode<SessionUpdate>(text).value();
      });
  EXPECT_EQ(seen.by_client.size(), 5);
  for (const std::string& one : seen.by_client) EXPECT_EQ(one.find("secret"), std::string::npos);
}

TEST(BeforeUpdate, WhatItThrowsIsNotSent) {
  const Within limit("a hook that throws");
  bool throws = false;
  const Seen seen = seen_in(
      [&](const Turn&, const Turn& hooked) {
        const ToolCall call = hooked.tool_call("One", ToolKind::edit);
        throws = true;
        EXPECT_THROW(hooked.say("two").wait(), std::runtime_error);
        EXPECT_THROW(call.complete("three").wait(), std::runtime_error);
        throws = false;
        EXPECT_EQ(call.status(), ToolCallStatus::pending);
        call.complete("four").wait();
      },
      [&](SessionUpdate&) {
        if (throws) throw std::runtime_error("the disk is full");
      });
  ASSERT_EQ(seen.by_client.size(), 2);
  EXPECT_EQ(seen.by_client[1].find("three"), std::string::npos) << seen.by_client[1];
  EXPECT_EQ(seen.by_hook, seen.by_client);
}

TEST(BeforeUpdate, KeepsTheOrderBetweenThreads) {
  const Within limit("a hook for four threads");
  const Seen seen = seen_in([](const Turn&, const Turn& hooked) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        for (int k = 0; k < 100; ++k)
          hooked.say(std::to_string(i) + " " + std::to_string(k)).wait();
      });
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(seen.by_client.size(), 400);
  EXPECT_EQ(seen.by_hook, seen.by_client);
}

}  // namespace
}  // namespace acp
