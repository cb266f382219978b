// Order on the wire in thousands of interleavings: client and agent in one thread, each with an
// executor of its own, and a seeded choice of who takes the next step. A seed that fails fails
// again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/testing/raw_end.h"
#include "acp/testing/sanitized.h"

namespace acp {
namespace {

#ifdef ACP_SANITIZED
constexpr unsigned seeds = 200;
#else
constexpr unsigned seeds = 3000;
#endif

using testing::Within;

// Runs what is posted when it is told to, one at a time, in order.
class SteppedExecutor final : public Executor {
 public:
  void post(std::function<void()> function) override { queue_.push_back(std::move(function)); }
  bool step() {
    if (queue_.empty()) return false;
    const std::function<void()> next = std::move(queue_.front());
    queue_.pop_front();
    const Scope scope(this);
    next();
    return true;
  }

 private:
  std::deque<std::function<void()>> queue_;
};

// What happened: sent by the agent, as its tap shows; seen by the client; and both in one.
struct Record {
  std::vector<std::string> sent, seen, all;
  void send(std::string what) {
    all.push_back("sent " + what);
    sent.push_back(std::move(what));
  }
  void see(std::string what) {
    all.push_back("seen " + what);
    seen.push_back(std::move(what));
  }
};

// A frame of the agent's, by kind and session.
class Namer {
 public:
  // What the agent got: which prompt is whose.
  void received(std::string_view text) {
    const Json message = Json::parse(text).value();
    if (message["method"].as_string() == "session/prompt")
      prompts_[std::string(message["id"].text())] =
          message["params"]["sessionId"].as_string().value_or("?");
  }
  std::string name(std::string_view text) const {
    const Json message = Json::parse(text).value();
    const std::string session = message["params"]["sessionId"].as_string().value_or("?");
    const JsonView update = message["params"]["update"];
    if (!update.absent()) {
      const auto said = update["content"]["text"].as_string();
      return (said ? *said : update["sessionUpdate"].as_string().value_or("?")) + " " + session;
    }
    if (const auto method = message["method"].as_string()) return *method;
    const JsonView result = message["result"];
    const auto prompt = prompts_.find(std::string(message["id"].text()));
    if (!result["stopReason"].absent() && prompt != prompts_.end())
      return result["stopReason"].as_string().value_or("?") + " " + prompt->second;
    if (!result["sessionId"].absent())
      return "opened " + result["sessionId"].as_string().value_or("?");
    return "answer";
  }

 private:
  std::map<std::string, std::string> prompts_;
};

constexpr int texts = 6;

Task<StopReason> busy_turn(Turn turn) {
  const Json params = Json::object();
  co_await turn.say("1");
  co_await turn.say("2");
  co_await turn.peer().request("_ask", params);
  co_await turn.say("3");
  const ToolCall call = turn.tool_call("Working", ToolKind::execute);
  const Permission permission = co_await call.ask_permission();
  co_await turn.say("4");
  co_await turn.say("5");
  co_await call.complete();
  co_await turn.say("6");
  co_return permission.allowed ? StopReason::end_turn : StopReason::refusal;
}

// The client's program: one session, one turn.
Task<void> converse(const AgentHandle& remote, Record& record, std::vector<std::string>& sessions) {
  Task<Session> opening = remote.new_session("/");
  const Session session = co_await std::move(opening);
  sessions.push_back(session.id());
  Prompt prompt = session.prompt("go");
  int count = 0;
  while (true) {
    const std::optional<PromptEvent> event = co_await prompt.next();
    if (!event) break;
    const auto* update = std::get_if<SessionUpdate>(&*event);
    const auto* chunk = update ? std::get_if<v1::AgentMessageChunk>(update) : nullptr;
    if (chunk != nullptr && std::get<v1::TextContent>(chunk->content).text != "welcome") ++count;
    if (const auto* reason = std::get_if<StopReason>(&*event))
      record.see((*reason == StopReason::end_turn ? "end_turn " : "another end ") + session.id());
  }
  EXPECT_EQ(count, texts);
}

Record play(unsigned seed, std::vector<std::string>& sessions) {
  std::mt19937 random(seed);
  Record record;
  Namer namer;
  const auto agent_executor = std::make_shared<SteppedExecutor>();
  const auto client_executor = std::make_shared<SteppedExecutor>();

  Agent agent("test", "1");
  agent.executor(agent_executor);
  agent.commands({AvailableCommand()});
  agent.tap([&](const Frame& frame) {
    if (frame.direction == rpc::Direction::sent)
      record.send(namer.name(frame.text));
    else
      namer.received(frame.text);
  });
  agent.on_new_session([](SessionContext session, v1::NewSessionRequest) -> Task<void> {
    session.after_response([later = session.background()] { (void)later.say("welcome"); });
    co_return;
  });
  agent.on_prompt(busy_turn);
  agent.on_request("_back", [](Context, Json params) -> Task<Json> { co_return params; });

  Client client("test", "1");
  client.executor(client_executor);
  client.on_update([&](ClientContext context, v1::SessionNotification update) -> Task<void> {
    const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update.update);
    const std::string name =
        (chunk ? std::get<v1::TextContent>(chunk->content).text : "other") + " " + update.sessionId;
    record.see("begin " + name);
    const Json params = Json::object();
    if (random() % 2 == 0) co_await context.peer().request("_back", params);
    record.see("end " + name);
  });
  client.on_request("_ask", [](ClientContext context, Json params) -> Task<Json> {
    co_return co_await context.peer().request("_back", params);
  });
  client.on_permission([](ClientContext, v1::RequestPermissionRequest) -> Task<Decision> {
    co_return Decision(PermissionOptionKind::allow_once);
  });

  auto [left, right] = memory_pair();
  AgentConnection served = agent.attach(std::move(right));
  const AgentHandle remote = client.attach(std::move(left));

  std::deque<Running<void>> programs;
  bool begun = false;
  const auto done = [&] {
    return programs.size() == 2 && programs[0].done() && programs[1].done();
  };
  for (int step = 0; step < 100'000 && !done(); ++step) {
    switch (random() % 4) {
      case 0:
        served.dispatch();
        break;
      case 1:
        remote.dispatch();
        break;
      case 2:
        agent_executor->step();
        break;
      default:
        client_executor->step();
    }
    if (!begun && remote.ready()) {
      begun = true;
      for (int i = 0; i < 2; ++i)
        client_executor->post([&] { programs.emplace_back(converse(remote, record, sessions)); });
    }
  }
  EXPECT_TRUE(done()) << "seed " << seed << " comes to no end";
  // Whatever is on its way still arrives.
  for (int i = 0; i < 20; ++i) {
    served.dispatch();
    remote.dispatch();
    while (agent_executor->step() || client_executor->step()) {
    }
  }
  for (Running<void>& program : programs) {
    if (program.done()) {
      EXPECT_NO_THROW(program.take());
    }
  }
  served.close();
  remote.dispatch();
  while (agent_executor->step() || client_executor->step()) {
  }
  return record;
}

std::size_t place_of(const std::vector<std::string>& list, const std::string& what) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), what) - list.begin());
}

TEST(Schedule, OrderHoldsInEveryInterleaving) {
  std::set<std::vector<std::string>> different;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Within limit("the interleaving of seed " + std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<std::string> sessions;
    const Record record = play(seed, sessions);
    const auto& sent = record.sent;
    const auto& seen = record.seen;
    EXPECT_EQ(sessions.size(), 2u);
    std::vector<std::string> anonymous;
    for (const std::string& session : sessions) {
      // On the wire: what belongs after session/new's answer is after it; the turn's updates
      // stand in order before its answer, and nothing of it follows.
      const std::size_t opened = place_of(sent, "opened " + session);
      const std::size_t stop = place_of(sent, "end_turn " + session);
      EXPECT_LT(opened, place_of(sent, "available_commands_update " + session));
      EXPECT_LT(opened, place_of(sent, "welcome " + session));
      EXPECT_LT(place_of(sent, "welcome " + session), sent.size());
      EXPECT_LT(stop, sent.size());
      // At the client: the end of the turn is after the handlers of all its updates.
      const std::size_t end = place_of(seen, "end_turn " + session);
      EXPECT_LT(end, seen.size());
      std::size_t last_sent = opened, last_seen = 0;
      for (int i = 1; i <= texts; ++i) {
        const std::string text = std::to_string(i) + " " + session;
        const std::size_t at = place_of(sent, text), handled = place_of(seen, "end " + text);
        EXPECT_LT(last_sent, at) << text;
        EXPECT_LT(at, stop) << text;
        EXPECT_LT(last_seen, handled) << text;
        EXPECT_LT(handled, end) << text;
        last_sent = at;
        last_seen = handled;
      }
      for (std::size_t i = stop + 1; i < sent.size(); ++i)
        EXPECT_TRUE(!sent[i].ends_with(session) || sent[i].starts_with("welcome ")) << sent[i];
    }
    // One handler at a time.
    std::string open;
    for (const std::string& event : seen) {
      if (event.starts_with("begin ")) {
        EXPECT_EQ(open, "") << event;
        open = event.substr(6);
      } else if (event.starts_with("end ")) {
        EXPECT_EQ(open, event.substr(4));
        open.clear();
      }
    }
    for (std::string line : record.all) {
      for (std::size_t i = 0; i < sessions.size(); ++i)
        if (const std::size_t at = line.find(sessions[i]); at != line.npos)
          line.replace(at, sessions[i].size(), std::to_string(i));
      anonymous.push_back(std::move(line));
    }
    different.insert(anonymous);
    if (::testing::Test::HasFailure()) {
      for (const std::string& line : anonymous) std::printf("%s\n", line.c_str());
      return;
    }
  }
  // The seeds are worth their time.
  EXPECT_GT(different.size(), seeds / 3);
}

}  // namespace
}  // namespace acp
