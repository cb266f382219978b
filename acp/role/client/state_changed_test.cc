// Client::on_state_changed: drawing a session without a copy of each update.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>

#include "acp/async/promise.h"
#include "acp/client.h"
#include "acp/testing/gate.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

std::size_t text_size(const Session& session) {
  std::size_t size = 0;
  session.with_state([&](const SessionState& state) {
    for (const SessionState::Entry& entry : state.timeline())
      if (const auto* message = std::get_if<SessionState::Message>(&entry.content))
        size += v1::text_of(message->content).size();
  });
  return size;
}

// The first call of the handler waits for `go_on`.
struct Watched {
  Watched() {
    client.on_state_changed([this](const ClientContext& context) {
      EXPECT_EQ(context.session_id(), "s");
      EXPECT_EQ(running.exchange(true), false) << "two at a time";
      if (++calls == 1) {
        first.open();
        go_on.wait("the first call may end");
      }
      running = false;
    });
  }

  Client client{"test", "1"};
  std::atomic<int> calls = 0;
  std::atomic<bool> running = false;
  Gate first, go_on;
};

TEST(StateChanged, WhatComesDuringACallIsReportedByOneMore) {
  const Within limit("calls of on_state_changed");
  Watched watched;
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    watched.first.wait("the prompt has changed the state");
    for (int i = 0; i < 100; ++i) end.say("s", "x");
    end.answer(prompt, R"({"stopReason":"end_turn"})");
    end.read_to_end();
  });
  AgentHandle remote = watched.client.connect(std::move(ours)).wait();
  Session session = remote.new_session("/").wait();
  EXPECT_EQ(watched.calls, 0);
  session.prompt("go").finish().wait();
  EXPECT_EQ(watched.calls, 1);
  EXPECT_EQ(text_size(session), 100u);
  watched.go_on.open();
  remote.close();
  agent.join();
  EXPECT_EQ(watched.calls, 2) << "all of it at once";
}

// A program that draws its state sees what it must ask its user, and for how long.
TEST(StateChanged, AQuestionStandsInTheStateUntilItIsAnswered) {
  const Within limit("permission questions");
  const std::string options =
      R"([{"optionId":"yes","name":"Yes","kind":"allow_once"}],"sessionId":"s"})";
  const auto ask = [&](RawEnd& end, const std::string& id) {
    end.line(request(id, "session/request_permission",
                     R"({"toolCall":{"toolCallId":"t","title":"May I"},"options":)" + options));
  };
  Gate asked;
  std::vector<Promise<Decision>> answers(2);
  std::atomic<std::size_t> next = 0;
  Client client("test", "1");
  client.on_permission([&](ClientContext, v1::RequestPermissionRequest) {
    if (next == 1) asked.open();
    return answers[next++].task();
  });
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    ask(end, "1");
    ask(end, "2");
    Json answered[2];  // in any order
    for (int i = 0; i < 2; ++i) {
      const Json answer = end.read();
      answered[answer["id"].text() == "1" ? 0 : 1] = answer;
    }
    EXPECT_EQ(answered[0]["result"]["outcome"]["optionId"].as_string(), "yes");
    EXPECT_TRUE(answered[1]["error"].is_object());
    end.answer(prompt, R"({"stopReason":"end_turn"})");
    end.read_to_end();
  });
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  auto prompt = session.prompt("go");
  const auto open = [&] {
    std::vector<std::string> titles;
    session.with_state([&](const SessionState& state) {
      for (const SessionState::Question& question : state.questions())
        titles.push_back(question.request.toolCall.title.value_or("?"));
    });
    return titles;
  };
  asked.wait("both questions");
  EXPECT_EQ(open(), (std::vector<std::string>{"May I", "May I"}));
  answers[0].set(Decision("yes"));
  answers[1].fail(std::make_exception_ptr(std::runtime_error("no window")));
  prompt.finish().wait();
  EXPECT_EQ(open(), std::vector<std::string>());
  remote.close();
  agent.join();
}

TEST(StateChanged, AnAgentThatIsFarAheadWaits) {
  const Within limit("an agent that sends faster than it is drawn");
  constexpr std::size_t chunk = 64 * 1024, chunks = 1000;
  Watched watched;
  auto [ours, theirs] = memory_pair();
  std::size_t sent_early = 0;
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    watched.first.wait("the prompt has changed the state");
    std::string all;
    for (std::size_t i = 0; i < chunks; ++i)
      all += R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)"
             R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":")" +
             std::string(chunk, 'x') + "\"}}}}\n";
    // Until nobody takes more. A client that is only slow looks the same: that is no failure.
    pollfd ready{end.descriptor(), POLLOUT, 0};
    while (sent_early < all.size() && poll(&ready, 1, 1000) > 0) {
      const ssize_t sent = send(end.descriptor(), all.data() + sent_early, all.size() - sent_early,
                                MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) sent_early += static_cast<std::size_t>(sent);
    }
    watched.go_on.open();
    end.send(std::string_view(all).substr(sent_early));
    end.answer(prompt, R"({"stopReason":"end_turn"})");
    end.read_to_end();
  });
  AgentHandle remote = watched.client.connect(std::move(ours)).wait();
  Session session = remote.new_session("/").wait();
  session.prompt("go").finish().wait();
  EXPECT_EQ(text_size(session), chunk * chunks) << "nothing is lost";
  remote.close();
  agent.join();
  EXPECT_LT(sent_early, chunk * chunks / 2);
}

TEST(StateChanged, ASessionThatGoesLeavesNothingToWaitFor) {
  const Within limit("a session that is dropped while its change is reported");
  Watched watched;
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [&](RawEnd& end) {
    end.welcome();
    end.read_call("session/prompt");
    watched.first.wait("the prompt has changed the state");
    for (int i = 0; i < 100; ++i) end.say("s", std::string(100'000, 'x'));
    end.read_to_end();
  });
  AgentHandle remote = watched.client.connect(std::move(ours)).wait();
  {
    Session session = remote.new_session("/").wait();
    session.prompt("go");
  }
  watched.go_on.open();
  remote.close();
  agent.join();
}

}  // namespace
}  // namespace acp
