// From a command or a connection to an agent that has answered initialize, or to the reason why it
// has not.
#include <gtest/gtest.h>
#include <poll.h>

#include "acp/async/spawn.h"
#include "acp/async/when_all.h"
#include "acp/client.h"
#include "acp/error.h"
#include "acp/testing/gate.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// As a program does that never blocks: the task goes on wherever it is resumed.
template <class T>
T without_waiting(Task<T> task) {
  Gate ended;
  Running<T> running(std::move(task), [&] { ended.open(); });
  if (!ended.wait("the end of the task")) std::abort();
  return running.take();
}

// An agent that ends when it is asked for version 2.
const std::vector<std::string> ends_at_version_2 = {
    "/bin/sh", "-c",
    R"(read -r line; case $line in *'"protocolVersion":2'*) exit 3;; esac
       echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; cat >/dev/null)"};

TEST(Handshake, AnAgentIsStartedAgainInACoroutine) {
  const Within limit("an agent that ends when it is asked for version 2");
  Client client("test", "1");
  client.versions({1, 2});
  const AgentHandle agent = without_waiting([](Client& client) -> Task<AgentHandle> {
    co_return co_await client.spawn(ends_at_version_2);
  }(client));
  EXPECT_EQ(agent.info().protocolVersion, 1);
  EXPECT_TRUE(agent.ready());
  agent.close();
}

void fail(RawEnd& end, const Json& request, const std::string& error) {
  end.line(R"({"jsonrpc":"2.0","id":)" + std::string(request["id"].text()) + R"(,"error":)" +
           error + "}");
}

void refuse_to_be_asked_again(RawEnd& end) {
  end.answer(end.read(), R"({"protocolVersion":1})");
  fail(end, end.read(), R"({"code":-32600,"message":"once"})");
  end.read_to_end();
}

// A client that connects again; the second agent does this after it was asked.
struct ConnectsTwice {
  explicit ConnectsTwice(std::function<void(RawEnd&, const Json& asked)> then)
      : first(std::move(one.second), refuse_to_be_asked_again),
        second(std::move(other.second), [then = std::move(then)](RawEnd& end) {
          const Json asked = end.read();
          then(end, asked);
          end.read_to_end();
        }) {
    one.first.again = [this] { return std::move(other.first); };
  }
  Task<AgentHandle> connect(Client& client) { return client.connect(std::move(one.first)); }

  std::pair<Transport, Transport> one = memory_pair(), other = memory_pair();
  Script first, second;
};

TEST(Handshake, AnAgentIsConnectedToAgainInACoroutine) {
  const Within limit("an agent that is asked once on each connection");
  ConnectsTwice agents([](RawEnd& end, const Json& asked) {
    end.answer(asked, R"({"protocolVersion":1,"agentInfo":{"name":"second","version":"1"}})");
  });
  Client client("test", "1");
  client.versions({1, 2});
  const AgentHandle agent = without_waiting(agents.connect(client));
  EXPECT_EQ(agent.info().agentInfo->name, "second");
  agent.close();
}

TEST(Handshake, AnAgentThatEndsWhenItIsConnectedToAgainIsAFailedStart) {
  const Within limit("an agent that ends on its second connection");
  ConnectsTwice agents([](RawEnd& end, const Json&) { end.shut_output(); });
  Client client("test", "1");
  client.versions({1, 2});
  EXPECT_THROW(without_waiting(agents.connect(client)), StartFailed);
}

// ---- a loop of the program's own

struct Attached {
  explicit Attached(std::vector<std::string> argv, std::vector<int> versions = {1}) {
    client.versions(std::move(versions));
    client.on_disconnected([this](const AgentId&, std::string_view reason) {
      ++reports;
      ended = std::string(reason);
    });
    io::ProcessOptions options;
    options.argv = std::move(argv);
    agent.emplace(client.attach(options));
    // Until it is ready, or has ended.
    while (ended.empty() && !agent->ready()) {
      std::vector<pollfd> set;
      for (const PollInterest& one : agent->poll_interests())
        set.push_back(
            {one.descriptor,
             static_cast<short>((one.readable ? POLLIN : 0) | (one.writable ? POLLOUT : 0)), 0});
      poll(set.data(), set.size(), agent->timeout());
      agent->dispatch();
    }
  }
  bool says(const std::string& what) const { return ended.find(what) != ended.npos; }

  const Within limit{"an agent in a loop of the program's own"};
  Client client{"test", "1"};
  std::string ended;
  int reports = 0;
  std::optional<AgentHandle> agent;
};

TEST(Attach, SaysHowTheAgentEndedBeforeItsAnswer) {
  const Attached failed({"/bin/sh", "-c", "echo it broke >&2; read -r line; exit 7"});
  EXPECT_TRUE(failed.says("handshake: ") && failed.says("7") && failed.says("it broke") &&
              failed.says("/bin/sh"))
      << failed.ended;
  failed.agent->close();
  EXPECT_EQ(failed.reports, 1);
  ASSERT_TRUE(failed.agent->exit_status().has_value());
  EXPECT_EQ(failed.agent->exit_status()->value, 7);
  EXPECT_EQ(failed.agent->stderr_tail(), "it broke\n");
}

TEST(Attach, SaysWhatTheAgentAnswered) {
  const Attached failed(
      {"/bin/sh", "-c",
       R"(read -r line; echo '{"jsonrpc":"2.0","id":0,"error":{"code":-5,"message":"not you"}}'
          cat >/dev/null)"});
  EXPECT_TRUE(failed.says("initialize was answered with -5 not you")) << failed.ended;
  failed.agent->close();
  EXPECT_EQ(failed.reports, 1);
}

TEST(Attach, KnowsHowTheAgentEnded) {
  const Attached attached(
      {"/bin/sh", "-c",
       R"(read -r line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
          cat >/dev/null; echo good bye >&2; exit 3)"});
  EXPECT_EQ(attached.ended, "");
  EXPECT_TRUE(attached.agent->ready());
  EXPECT_GT(attached.agent->process_id(), 0);
  EXPECT_FALSE(attached.agent->exit_status().has_value());
  attached.agent->close();
  EXPECT_EQ(attached.ended, "the connection was closed");
  EXPECT_EQ(attached.reports, 1);
  EXPECT_EQ(attached.agent->exit_status()->value, 3);
  EXPECT_EQ(attached.agent->stderr_tail(), "good bye\n");
}

// ---- times

// A program's way to say: no limit.
TEST(Handshake, TheLongestTimeIsNoLimit) {
  const Within limit("a program without limits");
  constexpr auto no_limit = std::chrono::milliseconds::max();
  auto [ours, theirs] = memory_pair();
  Script script(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    end.say("s", "hello");
    end.answer(prompt, R"({"stopReason":"end_turn"})");
    end.read_to_end();
  });
  Client client("test", "1");
  client.handshake_time(no_limit).session_time(no_limit);
  const AgentHandle agent = client.connect(std::move(ours)).wait();
  EXPECT_EQ(agent.new_session("/").wait().ask("go", no_limit).wait().text, "hello");
  agent.close();
}

TEST(Handshake, TheLongestTimeIsNoLimitInALoopOfTheProgramsOwn) {
  auto [ours, theirs] = memory_pair();
  const RawEnd end(std::move(theirs));
  Client client("test", "1");
  client.handshake_time(std::chrono::milliseconds::max());
  const AgentHandle agent = client.attach(std::move(ours));
  while (agent.timeout() == 0) agent.dispatch();
  EXPECT_EQ(agent.timeout(), std::numeric_limits<int>::max());
  EXPECT_TRUE(agent.connected());
}

// ---- once more

// The second handshake of one does not hold the others up.
TEST(Handshake, AgentsThatAreReachedAgainWaitSideBySide) {
  const Within limit("two agents at once");
  Gate asked, connected;
  ConnectsTwice agents([&](RawEnd& end, const Json& request) {
    asked.open();
    if (connected.wait("the other agent")) end.answer(request, R"({"protocolVersion":1})");
  });
  auto [ours, theirs] = memory_pair();
  Script other(std::move(theirs), [&](RawEnd& end) {
    const Json request = end.read();
    if (asked.wait("the agent that is reached again"))
      end.answer(request, R"({"protocolVersion":2,"info":{"name":"o","version":"1"}})");
    end.read_to_end();
  });
  Client client("test", "1");
  client.versions({1, 2});
  std::vector<Task<AgentHandle>> tasks;
  tasks.push_back(agents.connect(client));
  tasks.push_back([](Client& client, Transport transport, Gate& connected) -> Task<AgentHandle> {
    Task<AgentHandle> connecting = client.connect(std::move(transport));
    AgentHandle agent = co_await std::move(connecting);
    connected.open();
    co_return agent;
  }(client, std::move(ours), connected));
  const std::vector<AgentHandle> both = when_all(std::move(tasks)).wait();
  EXPECT_EQ(both[0].info().protocolVersion, 1);
  EXPECT_EQ(both[1].info().protocolVersion, 2);
  for (const AgentHandle& agent : both) agent.close();
}

}  // namespace
}  // namespace acp
