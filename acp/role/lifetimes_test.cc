// Thousands of short lives: client and agent are destroyed in any order, at any moment. Whatever is
// wrong about that hangs, or shows under a sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/testing/raw_end.h"
#include "acp/testing/sanitized.h"

namespace acp {
namespace {

using testing::Within;

#ifdef ACP_SANITIZED
constexpr int lifetimes = 1500;
#else
constexpr int lifetimes = 10'000;
#endif

// What happens in one life, from its number alone.
struct Life {
  explicit Life(unsigned seed) : random(seed) {}
  bool maybe() { return random() % 2 == 0; }
  unsigned upto(unsigned n) { return random() % (n + 1); }
  void dawdle() {
    for (unsigned i = upto(3) == 0 ? upto(200) : 0; i > 0; --i) std::this_thread::yield();
  }
  std::minstd_rand random;
};

Agent chatty_agent() {
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    if (turn.text() == "ask") {
      const Json params = Json::object();
      co_await turn.peer().request("_ask", params);
    }
    for (int i = 0; i < 5; ++i) co_await turn.say("some text");
    co_return StopReason::end_turn;
  });
  agent.on_request("_plain", [](Context context, Json) {
    return context.peer().request("_ask", Json::object()).wait();
  });
  return agent;
}

Client patient_client() {
  Client client("test", "1");
  client.on_request("_ask", [](ClientContext, Json params) -> Task<Json> { co_return params; });
  client.on_update([](ClientContext, v1::SessionNotification) -> Task<void> { co_return; });
  return client;
}

void live(unsigned seed) {
  Life life(seed);
  Agent agent = chatty_agent();
  Client client = patient_client();
  auto [left, right] = memory_pair();
  std::optional<AgentConnection> served(agent.start(std::move(right)));
  std::optional<AgentHandle> remote;
  std::optional<Session> session;
  std::optional<Prompt> prompt;
  std::optional<Task<Json>> call;
  std::thread other;
  const unsigned stages = life.upto(6);
  try {
    if (stages > 0) remote.emplace(client.connect(std::move(left)).wait());
    if (stages > 1) session.emplace(remote->new_session("/").wait());
    if (stages > 2) {
      prompt.emplace(session->prompt(life.maybe() ? "ask" : "talk"));
      call.emplace(remote->peer().request("_plain", Json::object()));
    }
    // The agent's end goes while the client is at work.
    if (life.upto(2) == 0)
      other = std::thread([&served, dawdle = life]() mutable {
        dawdle.dawdle();
        served.reset();
      });
    if (stages > 3 && life.maybe()) session->cancel();
    if (stages > 4) prompt->finish().wait();
    if (stages > 5) std::move(*call).wait();
  } catch (const Error&) {
    // The other side was gone.
  }
  life.dawdle();
  // All in any order.
  for (int i = 0; i < 8; ++i) {
    switch (life.upto(4)) {
      case 0:
        remote.reset();
        break;
      case 1:
        session.reset();
        break;
      case 2:
        prompt.reset();
        break;
      case 3:
        call.reset();
        break;
      default:
        if (!other.joinable()) served.reset();
    }
  }
  if (life.maybe()) {
    prompt.reset();
    session.reset();
    remote.reset();
    call.reset();
  }
  if (other.joinable()) other.join();
}

TEST(Lifetimes, EndInAnyOrderAtAnyMoment) {
  std::atomic<unsigned> next = 0;
  // Two at a time, so that they disturb each other's timing.
  std::thread beside([&] {
    for (unsigned seed = next++; seed < lifetimes; seed = next++) {
      const Within limit("the end of life " + std::to_string(seed));
      live(seed);
    }
  });
  for (unsigned seed = next++; seed < lifetimes; seed = next++) {
    const Within limit("the end of life " + std::to_string(seed));
    live(seed);
  }
  beside.join();
}

// The last handle goes while updates come in.
TEST(Lifetimes, TheLastHandleGoesWhileUpdatesCome) {
  for (unsigned seed = 0; seed < lifetimes / 20; ++seed) {
    const Within limit("the end of life " + std::to_string(seed));
    Life life(seed);
    Agent agent("test", "1");
    agent.on_prompt([](Turn turn) -> Task<StopReason> {
      while (!turn.cancelled()) co_await turn.say("some text");
      co_return StopReason::end_turn;
    });
    auto [left, right] = memory_pair();
    AgentConnection served = agent.start(std::move(right));
    Client client("test", "1");
    if (life.maybe())
      client.on_update([](ClientContext context, v1::SessionNotification) { (void)context.cwd(); });
    std::optional<AgentHandle> remote(client.connect(std::move(left)).wait());
    std::optional<Session> session(remote->new_session("/").wait());
    std::optional<Prompt> prompt(session->prompt("go"));
    for (unsigned i = life.upto(5); i > 0; --i) prompt->next().wait();
    remote.reset();
    life.maybe() ? session.reset() : prompt.reset();
    life.dawdle();
  }
}

}  // namespace
}  // namespace acp
