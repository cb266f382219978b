// Where handlers run: coroutines and plain functions one at a time, what blocks beside them.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// Shared without a lock: the thread sanitizer sees a race, this sees two at a time.
struct Shared {
  std::map<std::string, int> counts;
  bool inside = false;

  void touch(const std::string& key) {
    EXPECT_FALSE(std::exchange(inside, true));
    for (int i = 0; i < 100; ++i) ++counts[key];
    inside = false;
  }
};

TEST(Handlers, ShareWithoutALock) {
  const Within limit("handlers that share a map");
  Shared shared;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    for (int i = 0; i < 50; ++i) {
      shared.touch("prompt");
      co_await turn.sleep(std::chrono::milliseconds(0));
    }
    co_return StopReason::end_turn;
  });
  agent.on_request("_plain", [&](Context, Json) {
    shared.touch("plain");
    return Json::object();
  });
  const auto waiting = [&](Context context) -> Task<void> {
    shared.touch("driven");
    co_await context.peer().request("_ask", Json::object());
    shared.touch("driven");
  };
  agent.on_request("_waits", [&](Context context, Json) {
    shared.touch("waits");
    waiting(context).wait();  // on this handler's thread
    shared.touch("waits");
    return Json::object();
  });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  constexpr int rounds = 30;
  for (int i = 0; i < rounds; ++i) {
    served.raw.line(request(std::to_string(100 + i), "_plain"));
    served.raw.line(request(std::to_string(200 + i), "_waits"));
  }
  for (int open = 2 * rounds + 1; open > 0;) {
    const Json message = served.raw.read();
    if (message["method"].as_string() == "_ask")
      served.raw.answer(message, "{}");
    else if (!message["result"].absent())
      --open;
  }
  EXPECT_EQ(shared.counts["prompt"], 50 * 100);
  EXPECT_EQ(shared.counts["plain"], rounds * 100);
  EXPECT_EQ(shared.counts["waits"], 2 * rounds * 100);
  EXPECT_EQ(shared.counts["driven"], 2 * rounds * 100);
}

TEST(Handlers, APlainOneThatWaitsLetsOthersRunAndIsCancelled) {
  const Within limit("plain handlers that wait for the peer");
  Agent agent = silent_agent();
  std::string thrown;
  agent.on_request("_wait", [&](Context context, Json params) {
    try {
      return context.peer().request("_ask", params).wait();
    } catch (const Cancelled& cancelled) {
      thrown = "Cancelled";
      throw;
    }
  });
  Served served(agent);
  served.raw.initialize();
  served.raw.line(request("1", "_wait", R"({"which":1})"));
  served.raw.line(request("2", "_wait", R"({"which":2})"));
  // Both ask before either is answered.
  std::map<std::int64_t, Json> asked;
  for (int i = 0; i < 2; ++i) {
    const Json question = served.raw.read_call("_ask");
    asked[question["params"]["which"].as_int64().value_or(0)] = question;
  }
  served.raw.line(R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}})");
  EXPECT_EQ(served.raw.read_answer("1")["error"]["code"].as_int64(), rpc::request_cancelled);
  EXPECT_EQ(thrown, "Cancelled");
  served.raw.answer(asked[2], R"({"answer":2})");
  EXPECT_EQ(served.raw.read_answer("2")["result"]["answer"].as_int64(), 2);
}

TEST(Handlers, WhatBlocksStopsNoOther) {
  const Within limit("handlers beside one that blocks");
  Agent agent = silent_agent();
  Gate go_on;
  agent.on_request("_block", blocking([&](Context, Json) {
                     go_on.wait("the others have run");
                     return Json::object();
                   }));
  agent.on_request("_plain", [](Context, Json) { return Json::object(); });
  agent.on_request("_coroutine", [](Context, Json) -> Task<Json> { co_return Json::object(); });
  Served served(agent);
  served.raw.initialize();
  served.raw.line(request("1", "_block"));
  served.raw.line(request("2", "_plain"));
  served.raw.line(request("3", "_coroutine"));
  served.raw.read_answer("3");
  go_on.open();
  served.raw.read_answer("1");
}

// A prompt that is a plain function takes its time.
TEST(Handlers, APlainPromptStopsNoOther) {
  const Within limit("a prompt that blocks");
  Gate go_on;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn) {
    go_on.wait("the other has run");
    return StopReason::end_turn;
  });
  agent.on_request("_plain", [](Context, Json) { return Json::object(); });
  Served served(agent);
  served.raw.initialize();
  served.raw.prompt("1", served.raw.new_session(), "go");
  served.raw.line(request("2", "_plain"));
  served.raw.read_answer("2");
  go_on.open();
  served.raw.read_answer("1");
}

// More of them wait than there are threads: the rest begins when those have ended.
TEST(Handlers, HundredsMayWait) {
  const Within limit("hundreds of plain handlers");
  Agent agent = silent_agent();
  agent.on_request("_wait", [](Context context, Json params) {
    return context.peer().request("_ask", params).wait();
  });
  Served served(agent);
  served.raw.initialize();
  constexpr int count = 300;
  std::string all;
  for (int i = 0; i < count; ++i) all += request(std::to_string(i), "_wait") + "\n";
  std::jthread sender([&] { served.raw.send(all); });
  for (int answered = 0; answered < count;) {
    const Json message = served.raw.read();
    if (message["method"].as_string() == "_ask")
      served.raw.answer(message, "{}");
    else
      ++answered;
  }
}

TEST(Handlers, InAProgramsOwnLoopPlainOnesRunThere) {
  const Within limit("handlers in a loop");
  auto [ours, theirs] = memory_pair();
  RawEnd client(std::move(theirs));
  Agent agent = silent_agent();
  const std::thread::id loop = std::this_thread::get_id();
  bool done = false;
  agent.on_request("_plain", [&](Context, Json) {
    EXPECT_EQ(std::this_thread::get_id(), loop);
    return Json::object();
  });
  agent.on_request("_wait", [&](Context context, Json) {
    EXPECT_EQ(std::this_thread::get_id(), loop);
    const Json answer = context.peer().request("_ask", Json::object()).wait();
    done = true;
    return answer;
  });
  AgentConnection connection = agent.attach(std::move(ours));
  std::jthread other([&] {
    client.initialize();
    client.line(request("1", "_wait"));
    const Json asked = client.read_call("_ask");
    client.line(request("2", "_plain"));  // answered while the first one waits
    client.read_answer("2");
    client.answer(asked, "{}");
    client.read_answer("1");
    client.close();
  });
  while (!connection.finished()) connection.dispatch();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace acp
