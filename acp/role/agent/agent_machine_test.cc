// An agent's own machine in place of a client's: acp/workspace/serve_locally_test.cc has a real
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/own_machine.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/version2_client.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// What the test's machine does, and what was asked of it.
struct Doing {
  std::function<std::string(const std::string& path, std::stop_token stop)> read;
  std::function<void(OwnMachine::Watcher& watcher, const std::string& id)> create;
  Events events;
  Gate gone;
};

class TestMachine final : public OwnMachine {
 public:
  TestMachine(Watcher& watcher, Doing& doing) : watcher_(watcher), doing_(doing) {}
  ~TestMachine() override {
    doing_.events.add("gone");
    doing_.gone.open();
  }

  v1::ReadTextFileResponse read_file(const Session& session, const v1::ReadTextFileRequest& request,
                                     std::stop_token stop) override {
    v1::ReadTextFileResponse response;
    response.content = session.cwd + ": " + doing_.read(request.path, std::move(stop));
    return response;
  }
  v1::WriteTextFileResponse write_file(const Session&, const v1::WriteTextFileRequest&,
                                       std::stop_token) override {
    throw std::runtime_error("the disk is full");
  }
  TerminalSize create_terminal(const Session&, const std::string& id,
                               const v1::CreateTerminalRequest&) override {
    doing_.create(watcher_, id);
    return {};
  }
  v1::TerminalOutputResponse output(const std::string&) override {
    v1::TerminalOutputResponse response;
    response.output = "all of it";
    return response;
  }
  void kill(const std::string&) override { doing_.events.add("kill"); }
  void release(const std::string&) override { doing_.events.add("release"); }
  void session_closed(const std::string&) override { doing_.events.add("session closed"); }

 private:
  Watcher& watcher_;
  Doing& doing_;
};

class MachineTest : public ::testing::Test {
 protected:
  MachineTest() : agent("test", "1") {
    agent.versions({1, 2})
        .own_machine([this](OwnMachine::Watcher& watcher) {
          return std::make_unique<TestMachine>(watcher, doing);
        })
        .on_prompt([this](Turn turn) {
          work(turn);
          return StopReason::end_turn;
        });
  }
  static v1::TerminalExitStatus exit_with(std::uint32_t code) {
    v1::TerminalExitStatus exit;
    exit.exitCode = code;
    return exit;
  }

  Doing doing;
  std::function<void(const Turn& turn)> work;
  Agent agent;
};

TEST(Machine, WithoutOneTheSentenceNamesTheLine) {
  const Within limit("an agent without a machine");
  Agent agent("test", "1");
  std::vector<std::string> reasons;
  agent.versions({2}).on_prompt([&](Turn turn) {
    EXPECT_FALSE(turn.client_capabilities().terminal);
    const auto why = [&](auto call) {
      try {
        call();
        reasons.push_back("it worked");
      } catch (const Refused& refused) {
        reasons.push_back(refused.what());
      }
    };
    why([&] { turn.read_file("/a").wait(); });
    why([&] { turn.write_file("/a", "x").wait(); });
    why([&] { turn.run_command("true").wait(); });
    const v1::ReadTextFileRequest request;
    why([&] { turn.peer().request(request).wait(); });
    return StopReason::end_turn;
  });
  Version2Client client(agent);
  client.prompt();
  client.idle();
  ASSERT_EQ(reasons.size(), 4u);
  for (const std::string& reason : reasons)
    EXPECT_NE(reason.find("acp::workspace::serve_locally(agent)"), std::string::npos) << reason;
  for (const Json& message : client.seen)
    EXPECT_TRUE(message["method"].absent() || message["method"].as_string() == "session/update")
        << message.text();
}

TEST_F(MachineTest, ItsErrorsAreThoseOfAClient) {
  const Within limit("errors of the machine");
  doing.read = [](const std::string& path, const std::stop_token&) -> std::string {
    throw not_found(path, Json::object({{"path", path}}));
  };
  work = [](const Turn& turn) {
    try {
      turn.read_file("/a").wait();
      ADD_FAILURE();
    } catch (const CallFailed& failed) {
      EXPECT_EQ(failed.code(), rpc::not_found);
      EXPECT_EQ(failed.data()["path"].as_string(), "/a");
    }
    try {
      turn.write_file("/a", "x").wait();
      ADD_FAILURE();
    } catch (const CallFailed& failed) {
      EXPECT_EQ(failed.code(), rpc::internal_error);
      EXPECT_STREQ(failed.what(), "the disk is full");
    }
    EXPECT_THROW(turn.read_file("a").wait(), Refused);
  };
  Version2Client client(agent);
  client.prompt();
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "end_turn");
}

// It prints and ends before anybody has heard of it.
TEST_F(MachineTest, ACommandIsShownInOrder) {
  const Within limit("a quick command");
  doing.create = [](OwnMachine::Watcher& watcher, const std::string& id) {
    watcher.on_output(id, "early");
    watcher.on_exit(id, exit_with(3));
  };
  work = [](const Turn& turn) {
    const CommandResult result = turn.run_command("true").wait();
    EXPECT_EQ(result.exit_code, 3u);
    EXPECT_EQ(result.output, "all of it");
  };
  Version2Client client(agent);
  client.prompt();
  client.idle();
  std::string order;
  for (const Json& message : client.seen) {
    const JsonView update = message["params"]["update"];
    if (update["terminalId"].absent()) continue;
    order += !update["command"].absent()      ? "begins "
             : !update["data"].absent()       ? Version2Client::text_of(update["data"]) + " "
             : !update["exitStatus"].absent() ? "ends "
                                              : "? ";
  }
  EXPECT_EQ(order, "begins ZWFybHk= ends ");
  EXPECT_EQ(doing.events.list(), std::vector<std::string>{"release"});
}

TEST_F(MachineTest, ACancelledTurnWaitsForNothing) {
  const Within limit("a file that cannot be read");
  Gate reading;
  doing.read = [&](const std::string&, const std::stop_token& stop) -> std::string {
    Gate stopped;
    const std::stop_callback on_stop(stop, [&] { stopped.open(); });
    reading.open();
    stopped.wait("the token is set");
    throw Cancelled();
  };
  work = [](const Turn& turn) { turn.read_file("/a").wait(); };
  Version2Client client(agent);
  client.prompt();
  reading.wait("the machine reads");
  client.notify("session/cancel");
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "cancelled");
}

// Nobody waits for it any more, and nobody else could release it.
TEST_F(MachineTest, ATerminalThatComesLateIsReleased) {
  const Within limit("a terminal that is created slowly");
  Gate creating, created;
  doing.create = [&](OwnMachine::Watcher&, const std::string&) {
    creating.open();
    created.wait("the turn is cancelled");
  };
  work = [](const Turn& turn) { turn.create_terminal("true").wait(); };
  Version2Client client(agent);
  client.prompt();
  creating.wait("the machine is asked");
  client.notify("session/cancel");
  client.ask("session/list", "{}");  // what was sent before has been read
  created.open();
  EXPECT_EQ(client.idle()["stopReason"].as_string(), "cancelled");
  client.ask("session/close", "{\"sessionId\":" + Json(client.session).text() + "}");
  std::vector<std::string> events = doing.events.list();
  std::sort(events.begin(), events.end());
  EXPECT_EQ(events, (std::vector<std::string>{"release", "session closed"}));
}

TEST_F(MachineTest, WhatIsCreatedForAClosedSessionIsReleased) {
  const Within limit("a session that is closed meanwhile");
  Gate creating, created;
  doing.create = [&](OwnMachine::Watcher&, const std::string&) {
    creating.open();
    created.wait("the session is closed");
    doing.events.add("created");
  };
  std::optional<SessionContext> kept;
  work = [&](const Turn& turn) { kept = turn.background(); };
  Version2Client client(agent);
  client.prompt();
  client.idle();
  std::thread elsewhere([&] { EXPECT_THROW(kept->create_terminal("true").wait(), CallFailed); });
  creating.wait("the machine is asked");
  client.ask("session/close", "{\"sessionId\":" + Json(client.session).text() + "}");
  created.open();
  elsewhere.join();
  client.served.connection.close();
  client.served.connection.wait();
  const std::vector<std::string> events = doing.events.list();
  const auto made = std::find(events.begin(), events.end(), "created");
  EXPECT_NE(std::find(made, events.end(), "release"), events.end());
  EXPECT_EQ(events.back(), "gone");
  EXPECT_TRUE(client.updates("terminal_update").empty());
}

// All threads of the connection are taken by handlers that wait for the machine.
TEST_F(MachineTest, HandlersThatWaitDoNotKeepItFromWork) {
  const Within limit("many turns that wait");
  constexpr int turns = 70;
  std::atomic<int> begun = 0;
  Gate many;
  doing.read = [&](const std::string&, const std::stop_token&) {
    many.wait("as many turns as there are threads");
    return std::string("read");
  };
  work = [&](const Turn& turn) {
    if (++begun == 60) many.open();
    EXPECT_EQ(turn.read_file("/a").wait(), "/: read");
  };
  Version2Client client(agent);
  std::vector<std::string> sessions;
  for (int i = 0; i < turns; ++i) sessions.push_back(client.open("/"));
  for (const std::string& session : sessions) {
    client.session = session;
    client.prompt();
  }
  for (int i = 0; i < turns; ++i) EXPECT_EQ(client.idle()["stopReason"].as_string(), "end_turn");
}

TEST_F(MachineTest, EndsWithTheConnection) {
  const Within limit("the end of a connection");
  doing.read = [](const std::string&, const std::stop_token&) { return std::string(); };
  std::optional<Turn> kept;
  work = [&](const Turn& turn) {
    kept = turn;
    turn.read_file("/a").wait();
  };
  Version2Client client(agent);
  client.prompt();
  client.idle();
  client.served.raw.close();
  EXPECT_TRUE(client.served.connection.wait());
  EXPECT_EQ(doing.events.list(), std::vector<std::string>{"gone"});
  EXPECT_THROW(kept->read_file("/a").wait(), Error);
}

// A handler that does not end is left behind; the machine is not.
TEST_F(MachineTest, EndsThoughAHandlerDoesNot) {
  const Within limit("a handler that is left behind");
  doing.read = [](const std::string&, const std::stop_token&) { return std::string(); };
  Gate over, left;
  work = [&](const Turn& turn) {
    turn.read_file("/a").wait();
    turn.say("begun").wait();
    over.wait("the connection has ended");
    left.open();
  };
  Version2Client client(agent);
  client.prompt();
  client.update("agent_message_chunk", "content");
  client.served.connection.close();
  EXPECT_FALSE(client.served.connection.wait());
  doing.gone.wait("the machine is destroyed");
  over.open();
  left.wait("the handler ends after all");
}

}  // namespace
}  // namespace acp
