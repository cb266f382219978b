// The order of tool calls, when several threads of a program change one. interop/library_test.py
// shows the rules one by one.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "acp/agent.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Of one turn, in their order.
std::vector<Json> updates_of_a_turn(Agent& agent) {
  Served served(agent);
  served.raw.initialize();
  served.raw.prompt("5", served.raw.new_session(), "go");
  std::vector<Json> updates;
  while (true) {
    const Json message = served.raw.read();
    const JsonView update = message["params"]["update"];
    if (update.absent()) return updates;
    updates.emplace_back(update);
  }
}

// One thread starts it again and again, another one completes it.
TEST(ToolCallOrder, IsKeptBetweenThreads) {
  const Within limit("calls that two threads change");
  constexpr int calls = 200;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) {
    for (int i = 0; i < calls; ++i) {
      const ToolCall call = turn.tool_call("Racing", ToolKind::other);
      std::thread starts([&] {
        try {
          while (true) call.start().wait();
        } catch (const Refused&) {
        }
      });
      call.complete().wait();
      starts.join();
      EXPECT_EQ(call.status(), ToolCallStatus::completed);
    }
    return StopReason::end_turn;
  });
  std::string open;
  int ended = 0;
  for (const Json& update : updates_of_a_turn(agent)) {
    const std::string id = update["toolCallId"].as_string().value_or("?");
    const std::string status = update["status"].as_string().value_or("?");
    if (update["sessionUpdate"].as_string() == "tool_call") open = id;
    EXPECT_EQ(id, open) << "of a call that has ended: " << update.text();
    if (status == "completed") open = "", ++ended;
  }
  EXPECT_EQ(ended, calls);
}

// What is announced in one session is unknown in another; what one turn announced, a later one may
// go on with.
TEST(ToolCallOrder, CountsForTheSession) {
  const Within limit("updates across turns and sessions");
  std::string id, told;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) {
    if (turn.text() == "announce") {
      v1::ToolCall call;
      call.toolCallId = id = "a";
      call.title = "Long work";
      turn.update(call).wait();
      return StopReason::end_turn;
    }
    v1::ToolCallUpdate update;
    update.toolCallId = id;
    update.status = ToolCallStatus::completed;
    try {
      turn.update(update).wait();
    } catch (const Refused& refused) {
      told = refused.what();
    }
    return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.initialize();
  const std::string one = served.raw.new_session(), two = served.raw.new_session();
  const auto turn = [&](const std::string& session, const char* text) {
    served.raw.prompt("5", session, text);
    served.raw.read_answer("5");
  };
  turn(one, "announce");
  turn(two, "go on");
  EXPECT_EQ(told, "toolCallId: no tool call \"a\" was announced in this session");
  told.clear();
  turn(one, "go on");
  EXPECT_EQ(told, "");
  const std::string& last = served.raw.seen().at(served.raw.seen().size() - 2);
  EXPECT_NE(last.find("\"status\":\"completed\""), std::string::npos) << last;
}

// The program catches the exception, and the turn goes on: the call has failed by then.
TEST(ToolCallScope, LeftByAnExceptionTheCallHasFailed) {
  const Within limit("calls that exceptions leave");
  const auto work = [](Turn turn, bool fails) -> Task<void> {
    const ToolCall call = turn.tool_call("Fragile", ToolKind::other);
    co_await call.start();
    if (fails) throw std::runtime_error("broken");
    co_await call.complete();
  };
  std::optional<ToolCall> kept;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    for (const bool fails : {true, false}) {
      try {
        co_await work(turn, fails);
      } catch (const std::runtime_error&) {
      }
      co_await turn.say("went on");
    }
    try {
      kept = turn.tool_call("Kept elsewhere", ToolKind::other);
      const ToolCall copy = *kept;
      throw std::runtime_error("broken");
    } catch (const std::runtime_error&) {
    }
    co_await kept->complete();
    kept.reset();
    co_return StopReason::end_turn;
  });
  std::string seen;
  for (const Json& update : updates_of_a_turn(agent))
    seen += update["status"].as_string().value_or("-") + " ";
  EXPECT_EQ(seen,
            "pending in_progress failed - pending in_progress completed - pending completed ");
}

}  // namespace
}  // namespace acp
