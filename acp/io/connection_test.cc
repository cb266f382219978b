// A connection by itself, with a role that does what the test says. Most of it in a loop of its
// own, on a clock that the test moves: nothing here waits.
#include "acp/io/connection.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <thread>

#include "acp/async/blocking_wait.h"
#include "acp/async/when_any.h"
#include "acp/io/sleep.h"
#include "acp/io/testing/fake_clock.h"
#include "acp/testing/raw_end.h"

namespace acp::io {
namespace {

using namespace std::chrono_literals;
using acp::testing::RawEnd;
using acp::testing::request;
using acp::testing::Within;
using testing::FakeClock;

template <class T>
concept TouchesTheEngine = requires(T& t) {
  t.engine();
  t.sent_something();
};
static_assert(!TouchesTheEngine<Connection>, "only with the lock");
static_assert(TouchesTheEngine<Connection::Lock> && TouchesTheEngine<Connection::Locked>);

struct TestRole : Role {
  explicit TestRole(Connection& connection) : Role(connection.tap()), connection(connection) {}
  void on_request(const rpc::RequestId& id, std::string_view method, JsonView) override {
    events += "request " + std::string(method) + "\n";
    if (method == "later") {
      waiting.push_back(id);
      return;
    }
    answer(id);
  }
  bool on_notification(rpc::NotificationToken, std::string_view method, JsonView) override {
    events += "notification " + std::string(method) + "\n";
    return true;
  }
  void on_cancel(const rpc::RequestId&) override {}
  void on_input_ended(const std::string& reason) override { events += "ended: " + reason + "\n"; }
  void on_drain_over() override { events += "stop\n"; }
  bool takes_input() const override { return takes; }
  std::size_t handlers_running() const override { return waiting.size(); }
  void drop_handlers() override { events += "dropped\n"; }

  void answer(const rpc::RequestId& id) {
    const auto locked = connection.held();
    locked.engine().respond(id, [](json::Writer& out) { out.put("1"); });
    locked.sent_something();
  }

  Connection& connection;
  std::string events;
  std::vector<rpc::RequestId> waiting;
  bool takes = true;
};

struct ConnectionTest : ::testing::Test {
  explicit ConnectionTest(bool own_threads = false) {
    auto [near, far] = memory_pair();
    options.own_threads = own_threads;
    if (!own_threads) options.now = &FakeClock::now;
    options.max_outgoing_bytes = 1 << 20;
    other = RawEnd(std::move(far));
    input = near.in.get();
    connection = Connection::open(std::move(near), options);
    role = std::make_shared<TestRole>(*connection);
    connection->start(role);
  }
  // Until there is nothing more to do now.
  void dispatch() {
    do {
      connection->dispatch();
    } while (!connection->finished() && ready());
  }
  bool ready() {
    if (connection->timeout() == 0) return true;
    std::vector<pollfd> polled;
    for (const PollInterest& watch : connection->watches())
      polled.push_back(
          {watch.descriptor,
           static_cast<short>((watch.readable ? POLLIN : 0) | (watch.writable ? POLLOUT : 0)), 0});
    return poll(polled.data(), polled.size(), 0) > 0;
  }
  bool watches_input() {
    const auto watches = connection->watches();
    return std::any_of(watches.begin(), watches.end(), [&](const PollInterest& watch) {
      return watch.readable && watch.descriptor == input;
    });
  }

  Within within{"a connection by itself"};
  FakeClock clock;
  ConnectionOptions options;
  RawEnd other;
  NativeDescriptor input = no_descriptor;
  std::shared_ptr<Connection> connection;
  std::shared_ptr<TestRole> role;
};

// Two connections that wake each other up, as in a proxy, must not wait for each other's locks.
TEST_F(ConnectionTest, IsPostedToByOneThatHasAnothersLock) {
  auto [near, far] = memory_pair();
  const auto another = Connection::open(std::move(near), options);
  std::promise<void> locked, posted;
  std::thread holder([&] {
    const Connection::Lock lock(*connection);
    locked.set_value();
    posted.get_future().wait();
  });
  locked.get_future().wait();
  bool ran = false;
  {
    const Connection::Lock lock(*another);
    connection->post([&] { ran = true; });
  }
  posted.set_value();
  holder.join();
  EXPECT_TRUE(ready()) << "a loop of the program's own must come by";
  dispatch();
  EXPECT_TRUE(ran);
}

TEST_F(ConnectionTest, AnswersWhatItReads) {
  other.line(request("7", "now"));
  dispatch();
  EXPECT_EQ(other.read_line(), R"({"jsonrpc":"2.0","id":7,"result":1})");
  EXPECT_EQ(role->events, "request now\n");
}

TEST_F(ConnectionTest, TimersRunOnItsClockWithTheLock) {
  EXPECT_EQ(connection->timeout(), -1);
  Timers::Id forgotten = 0;
  {
    Connection::Lock lock(*connection);
    lock.after(1500us, [this] {
      connection->held().engine().notify("timer", [](json::Writer& out) { out.put("{}"); });
      connection->held().sent_something();
    });
    forgotten = lock.after(2ms, [this] { role->events += "not forgotten\n"; });
  }
  EXPECT_EQ(connection->timeout(), 2) << "rounded up: before that dispatch() would find nothing";
  dispatch();
  FakeClock::pass(1500us);
  EXPECT_EQ(connection->timeout(), 0);
  Connection::Lock(*connection).forget(forgotten);
  FakeClock::pass(1ms);
  dispatch();
  EXPECT_EQ(other.read_line(), R"({"jsonrpc":"2.0","method":"timer","params":{}})");
  EXPECT_EQ(role->events, "");
}

TEST_F(ConnectionTest, CoroutinesRunOneAfterAnotherWithoutTheLock) {
  std::string order;
  connection->post([&] {
    order += 'a';
    connection->post([&] { order += 'c'; });
    Connection::Lock lock(*connection);  // free
    order += 'b';
  });
  EXPECT_EQ(connection->timeout(), 0);
  dispatch();
  EXPECT_EQ(order, "abc");
}

TEST_F(ConnectionTest, WhatRunsUnlockedMayTakeTheLock) {
  bool ran = false;
  {
    Connection::Lock lock(*connection);
    lock.unlocked([&] {
      Connection::Lock again(*connection);
      ran = true;
    });
    EXPECT_FALSE(ran);
  }
  dispatch();
  EXPECT_TRUE(ran);
}

TEST_F(ConnectionTest, ReadsNothingWhileTheRoleTakesNothing) {
  role->takes = false;
  EXPECT_FALSE(watches_input());
  other.line(request("1", "now"));
  dispatch();
  EXPECT_EQ(role->events, "");
  role->takes = true;
  Connection::Lock(*connection).input_wanted();
  dispatch();
  EXPECT_EQ(role->events, "request now\n");
}

TEST_F(ConnectionTest, ReadsNothingWhileTooMuchWaitsToBeSent) {
  {
    Connection::Lock lock(*connection);
    const std::string large(3 << 20, 'x');
    lock.engine().notify("large", [&](json::Writer& out) { out.string(large); });
    lock.sent_something();
    EXPECT_TRUE(lock.congested());
    const auto room = lock.room();
    EXPECT_FALSE(room->ready());
  }
  EXPECT_FALSE(watches_input());
  other.line(request("1", "now"));
  dispatch();
  EXPECT_EQ(role->events, "");
  auto line = std::async(std::launch::async, [&] { return other.read_line(); });
  while (line.wait_for(0s) != std::future_status::ready) dispatch();
  EXPECT_GT(line.get().size(), std::size_t{3} << 20);
  dispatch();
  EXPECT_EQ(role->events, "request now\n");
}

TEST_F(ConnectionTest, HandlersHaveTheirTimeAfterTheEnd) {
  other.line(request("1", "later"));
  dispatch();
  other.shut_output();
  dispatch();
  EXPECT_EQ(role->events, "request later\nended: the other side closed the connection\n");
  FakeClock::pass(options.drain_time - 1ns);
  dispatch();
  EXPECT_FALSE(role->events.ends_with("stop\n"));
  FakeClock::pass(1ns);
  dispatch();
  EXPECT_TRUE(role->events.ends_with("stop\n"));
  // It ends in time: its answer goes out, and the connection has finished.
  {
    Connection::Lock lock(*connection);
    role->answer(role->waiting.front());
    role->waiting.clear();
    lock.check_finished();
  }
  dispatch();
  EXPECT_EQ(other.read_line(), R"({"jsonrpc":"2.0","id":1,"result":1})");
  EXPECT_TRUE(connection->finished());
  EXPECT_TRUE(connection->wait_finished());
  EXPECT_EQ(other.read_line(), "(end)");
}

TEST_F(ConnectionTest, HandlersThatDoNotEndAreGivenUpOn) {
  other.line(request("1", "later"));
  dispatch();
  other.shut_output();
  dispatch();
  FakeClock::pass(options.drain_time);
  dispatch();
  EXPECT_FALSE(connection->finished());
  FakeClock::pass(options.drain_time);
  dispatch();
  EXPECT_TRUE(connection->finished());
  EXPECT_FALSE(connection->wait_finished());
  EXPECT_TRUE(role->events.ends_with("stop\ndropped\n"));
}

// It waited until the drain time was over, and left the connection and its role for ever.
TEST_F(ConnectionTest, TheStrandDoesNotWaitForItself) {
  bool all_ended = true;
  connection->post([&] {
    connection->close();
    all_ended = connection->wait_finished();
  });
  dispatch();
  EXPECT_FALSE(all_ended);  // yet
  EXPECT_TRUE(connection->finished());
  EXPECT_TRUE(connection->wait_finished());
}

TEST_F(ConnectionTest, TheEndOfTheProcessCountsWhenEverythingIsRead) {
  other.line(request("1", "now"));
  connection->end_when_dry("the agent exited");
  dispatch();
  EXPECT_EQ(role->events, "request now\nended: the agent exited\n");
}

TEST_F(ConnectionTest, ClosingFailsWhatWaits) {
  std::string answer;
  {
    Connection::Lock lock(*connection);
    lock.engine().request(
        "ask", [](json::Writer& out) { out.put("{}"); },
        [&](const rpc::Engine::Answer& given) {
          answer = given.error != nullptr && given.error->connection_closed ? "closed" : "answered";
        });
    lock.sent_something();
  }
  connection->close();
  EXPECT_EQ(answer, "closed");
  EXPECT_EQ(role->events, "ended: the connection was closed\n");
  EXPECT_FALSE(Connection::Lock(*connection).can_send());
  dispatch();
  EXPECT_TRUE(connection->wait_finished());
}

// What fails because the connection has ended did not come too late.
TEST_F(ConnectionTest, ItsEndIsASleepsEndButNoDeadline) {
  connection->close();
  dispatch();
  ASSERT_TRUE(connection->wait_finished());
  const auto first = [](Task<async::Nothing> pause) {
    Task<int> at_once = []() -> Task<int> { co_return 7; }();
    return when_any(std::move(pause), std::move(at_once)).wait().index();
  };
  EXPECT_EQ(first(sleep(connection, 1h)), 0);
  EXPECT_EQ(first(deadline(connection, 1h)), 1);
}

struct ConnectionThreadsTest : ConnectionTest {
  ConnectionThreadsTest() : ConnectionTest(true) {}
  ~ConnectionThreadsTest() override {
    other.close();
    connection->wait_finished();
  }
};

TEST_F(ConnectionThreadsTest, AFunctionThatBlocksDoesNotKeepTheReader) {
  std::promise<void> release;
  std::promise<void> blocked;
  connection->post_blocking([&] {
    blocked.set_value();
    release.get_future().wait();
  });
  blocked.get_future().wait();
  other.line(request("1", "now"));
  EXPECT_EQ(other.read_line(), R"({"jsonrpc":"2.0","id":1,"result":1})");
  release.set_value();
}

TEST_F(ConnectionThreadsTest, ACoroutineThatKeepsItsThreadLosesTheLead) {
  std::promise<void> release;
  std::promise<void> running;
  connection->post([&] {
    running.set_value();
    release.get_future().wait();
  });
  running.get_future().wait();
  for (const char* id : {"1", "2", "3"}) {
    other.line(request(id, "now"));
    EXPECT_EQ(other.read()["id"].text(), id);
  }
  release.set_value();
}

}  // namespace
}  // namespace acp::io
