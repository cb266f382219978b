// A server with clients that work: their turns, their sessions, and what the end of the server does
// to them.
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acp/client.h"
#include "acp/error.h"
#include "acp/remote/testing/raw_websocket.h"
#include "acp/remote/testing/serving.h"
#include "acp/testing/gate.h"

namespace acp::remote {
namespace {

using acp::testing::RawEnd;
using testing::initialize;
using testing::post;
using testing::RawSocket;
using testing::RawWebSocket;
using testing::request;
using testing::status_of;

struct ServerTurnsTest : testing::Serving {
  ~ServerTurnsTest() override { server.reset(); }
  // With an agent that is byte by byte what the test says.
  RawEnd& start_raw(RawSocket& socket) {
    server.emplace(options);
    server->start([this, next = std::size_t{0}](Incoming incoming) mutable {
      came.at(next++).set_value(std::move(incoming.transport));
    });
    socket = RawSocket(server->port());
    id = initialize_raw(socket, raw_agent);
    return raw_agent;
  }
  // Returns the header of the new connection.
  std::string initialize_raw(RawSocket& socket, RawEnd& agent_end) {
    std::future<Transport> coming = came.at(agents++).get_future();
    socket.send(post(initialize));
    agent_end = RawEnd(coming.get());
    agent_end.answer(agent_end.read_call("initialize").view(), R"({"protocolVersion":1})");
    const std::string head = socket.read_until("\r\n\r\n");
    EXPECT_EQ(status_of(head), 200) << head;
    const std::size_t at = head.find("Acp-Connection-Id: ");
    return head.substr(at, head.find("\r\n", at) + 2 - at);
  }
  std::string get(const std::string& session = "") const {
    const std::string own = session.empty() ? "" : "Acp-Session-Id: " + session + "\r\n";
    return request("GET /acp", "Accept: text/event-stream\r\n" + id + own);
  }
  int call(const std::string& method, const std::string& session) {
    return status_of(answer(post(R"({"jsonrpc":"2.0","id":9,"method":")" + method +
                                     R"(","params":{"sessionId":")" + session + "\"}}",
                                 id + "Acp-Session-Id: " + session + "\r\n")));
  }
  bool drains() const {
    try {
      RawSocket socket(server->port());
      socket.send(request("GET /health", ""));
      return status_of(socket.read_until("\r\n\r\n")) != 200;
    } catch (const std::exception&) {
      return true;  // nothing listens any more
    }
  }

  std::array<std::promise<Transport>, 2> came;
  std::size_t agents = 0;
  RawEnd raw_agent;
  std::string id;  // of the connection: a header
};

// The second answer may need a socket of its own.
TEST_F(ServerTurnsTest, AClientStillAnswersWhileTheServerDrains) {
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    for (const char* file : {"/a", "/b", "/c"}) co_await turn.read_file(file);
    co_return StopReason::end_turn;
  });
  for (const char* scheme : {"http", "ws"}) {
    start();
    Client client("test", "1");
    std::vector<std::string> asked;
    client.on_read_text_file([&](const ClientContext&, const v1::ReadTextFileRequest& file) {
      if (asked.empty()) {
        server->drain(std::chrono::hours(1));
        while (!drains()) std::this_thread::yield();
        EXPECT_EQ(status_of(answer(post(initialize))), 503);
        EXPECT_EQ(status_of(answer(request(
                      "GET /acp",
                      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"))),
                  503);
      }
      asked.push_back(file.path);
      return v1::ReadTextFileResponse{.content = "text"};
    });
    const AgentHandle handle = client.connect(remote::url(url(scheme))).wait();
    const Session session = handle.new_session("/").wait();
    EXPECT_EQ(session.prompt("read").finish().wait().stopReason, StopReason::end_turn) << scheme;
    EXPECT_EQ(asked.size(), 3u) << scheme;
    server->wait();
  }
}

TEST_F(ServerTurnsTest, AnAnswerOverTheLimitIsAnError) {
  options.limits.max_body_bytes = 64 * 1024;
  std::optional<int> code;
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    try {
      co_await turn.read_file("/large");
    } catch (const CallFailed& failed) {
      code = failed.code();
    }
    co_return StopReason::end_turn;
  });
  start();
  Client client("test", "1");
  client.on_read_text_file([](const ClientContext&, const v1::ReadTextFileRequest&) {
    return v1::ReadTextFileResponse{.content = std::string(1024 * 1024, 'x')};
  });
  const AgentHandle handle = client.connect(remote::url(url("http"))).wait();
  const Session session = handle.new_session("/").wait();
  EXPECT_EQ(session.prompt("read").finish().wait().stopReason, StopReason::end_turn);
  EXPECT_EQ(code, rpc::internal_error);
}

// ---- streams

TEST_F(ServerTurnsTest, TheStreamOfAClosedSessionEnds) {
  options.limits.keep_alive = std::chrono::milliseconds(50);
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  for (const char* method : {"session/close", "session/delete"}) {
    RawSocket stream(server->port());
    stream.send(get("s"));
    const std::string head = stream.read_until("\r\n\r\n");
    // The socket goes with it: it is none for the next request.
    EXPECT_NE(head.find("Connection: close\r\n"), std::string::npos) << head;
    for (const bool fails : {true, false}) {
      EXPECT_EQ(call(method, "s"), 202);
      agent_end.read_call(method);
      agent_end.line(fails ? R"({"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"no"}})"
                           : R"({"jsonrpc":"2.0","id":9,"result":{}})");
      // One that is still open says more.
      if (!fails) continue;
      stream.read_until("\"no\"");
      agent_end.say("s", "still here");
      stream.read_until("still here");
    }
    const std::string rest = stream.read_to_end();
    EXPECT_NE(rest.find(R"("result":{})"), std::string::npos) << rest;
    EXPECT_TRUE(rest.ends_with("0\r\n\r\n")) << rest;
  }
  agent_end.close();
}

TEST_F(ServerTurnsTest, AClientMayOpenAndCloseManySessions) {
  options.limits.max_sockets_per_client = 8;
  options.limits.keep_alive = std::chrono::milliseconds(20);
  agent.on_close_session(
      [](const Context&, const v1::CloseSessionRequest&) { return v1::CloseSessionResponse{}; });
  start();
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(url("http"))).wait();
  for (int i = 0; i < 30; ++i) {
    const Session session = handle.new_session("/").wait();
    session.close().wait();
    while (server->counts().sockets > 5) std::this_thread::yield();
  }
  EXPECT_EQ(handle.new_session("/").wait().prompt("hello").finish().wait().stopReason,
            StopReason::end_turn);
}

TEST_F(ServerTurnsTest, OneClientHasOnlySoManySockets) {
  options.limits.max_sockets_per_client = 3;
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  std::vector<RawSocket> streams;
  for (const char* session : {"a", "b", "c"}) {
    streams.emplace_back(server->port());
    streams.back().send(get(session));
    EXPECT_EQ(status_of(streams.back().read_until("\r\n\r\n")), 200);
  }
  EXPECT_EQ(status_of(answer(get("d"))), 503);
  EXPECT_EQ(call("session/prompt", "a"), 503);
  // Others notice nothing, and neither does the connection.
  EXPECT_EQ(status_of(answer(post(initialize, id))), 400);
  streams.clear();
  while (call("_x", "a") == 503) std::this_thread::yield();
  agent_end.close();
}

// It ends a line of events, and may stand between the parts of a message.
TEST_F(ServerTurnsTest, ACarriageReturnDoesNotCutAMessage) {
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  RawSocket stream(server->port());
  stream.send(get("s"));
  stream.read_until("\r\n\r\n");
  EXPECT_EQ(call("_x", "s"), 202);
  agent_end.read_call("_x");
  agent_end.line("{\"jsonrpc\":\"2.0\",\r\"id\":9,\r \"result\":\r{}}\r");
  EXPECT_NE(stream.read_until("}").find(R"(data: {"jsonrpc":"2.0", "id":9,  "result": {})"),
            std::string::npos);
  agent_end.close();
}

// What the system has taken of a message at once, a slow client takes longer for than it may take
// nothing.
TEST_F(ServerTurnsTest, ASlowReaderHasNotStalled) {
  options.limits.max_stall = std::chrono::seconds(1);
  options.limits.max_buffered_bytes = 1024 * 1024;
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  RawSocket stream(server->port(), 16 * 1024);
  stream.send(get("s"));
  stream.read_until("\r\n\r\n");
  std::thread speaks([&] {
    const std::string text(64 * 1024, 'x');
    for (int i = 0; i < 200; ++i) agent_end.say("s", text);
  });
  const auto end = std::chrono::steady_clock::now() + 3 * options.limits.max_stall;
  while (std::chrono::steady_clock::now() < end) {
    EXPECT_EQ(stream.read_bytes(4 * 1024).size(), 4u * 1024);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // slow on purpose
  }
  EXPECT_EQ(status_of(answer(request("DELETE /acp", id))), 202);
  stream.close();
  speaks.join();
}

// ---- what fails, and who waits

TEST_F(ServerTurnsTest, AFailureWhileAcceptingIsNotTheEndOfIt) {
  options.limits.max_sockets = 1;
  bool failed = false;
  options.log = [&](const LogEntry&) {
    if (!std::exchange(failed, true)) throw std::runtime_error("no room on the disk");
  };
  start();
  {
    RawSocket first(server->port());
    first.send(request("GET /health", ""));
    first.read_until("\r\n\r\n");
    RawSocket(server->port()).read_to_end();  // too many
  }
  while (server->counts().sockets != 0) std::this_thread::yield();
  EXPECT_EQ(status_of(answer(request("GET /health", ""))), 200);
  server.reset();  // its log is ours
}

TEST_F(ServerTurnsTest, AWebSocketWhoseMessageFailsIsClosed) {
  bool failed = false;
  options.log = [&](const LogEntry&) {
    if (!std::exchange(failed, true)) throw std::runtime_error("no room on the disk");
  };
  server.emplace(options);
  server->start([](Incoming) { throw std::runtime_error("no agent"); });
  RawWebSocket client(server->port());
  client.send(RawWebSocket::text, initialize);
  EXPECT_EQ(client.read_close_code(), 1011);
  client.socket().close();
  wait_until_idle();
  server.reset();  // its log is ours
}

TEST_F(ServerTurnsTest, ASecondInitializeOverWebSocketReachesNoAgent) {
  std::promise<Transport> came;
  server.emplace(options);
  server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
  RawWebSocket client(server->port());
  client.send(RawWebSocket::text, initialize);
  raw_agent = RawEnd(came.get_future().get());
  raw_agent.read_call("initialize");
  client.send(RawWebSocket::text, R"({"jsonrpc":"2.0","method":"initialize","params":{}})");
  client.send(RawWebSocket::text, initialize);
  const auto answered = client.read();
  ASSERT_TRUE(answered);
  EXPECT_NE(answered->payload.find("Initialize not allowed"), std::string::npos);
  client.send(RawWebSocket::text, R"({"jsonrpc":"2.0","method":"_next","params":{}})");
  EXPECT_NE(raw_agent.read_line().find("_next"), std::string::npos);
  raw_agent.close();
}

TEST_F(ServerTurnsTest, BodiesThatAreOnTheirWayHaveALimit) {
  options.limits.max_bodies_bytes = 100'000;
  start();
  const std::string head =
      "POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 90000\r\n";
  RawSocket first(server->port());
  first.send(head + "Expect: 100-continue\r\n\r\n");
  first.read_until("100 Continue\r\n\r\n");
  EXPECT_EQ(status_of(answer(head + "\r\n{")), 503);
  RawSocket small(server->port());
  connect(small);
  first.close();
  const std::string whole = head + "\r\n" + std::string(90'000, ' ');
  while (status_of(answer(whole)) == 503) std::this_thread::yield();
  EXPECT_EQ(status_of(answer(whole)), 400);
}

TEST_F(ServerTurnsTest, StrangersHaveOnlySoManySockets) {
  options.limits.max_unknown_sockets = 2;
  options.authorize = bearer_token("secret");
  start();
  // Those that were let in do not count.
  RawSocket known(server->port());
  connect(known, "Authorization: Bearer secret\r\n");
  std::vector<RawSocket> strangers;
  for (int i = 0; i < 2; ++i) {
    strangers.emplace_back(server->port());
    strangers.back().send(post(initialize));
    EXPECT_EQ(status_of(strangers.back().read_until("\r\n\r\n")), 401);
  }
  EXPECT_EQ(RawSocket(server->port()).read_to_end(), "");
  strangers.clear();
  while (server->counts().sockets != 1) std::this_thread::yield();
  EXPECT_EQ(status_of(answer(post(initialize))), 401);
}

// ---- the transports' own signs

TEST_F(ServerTurnsTest, SilentStreamsShowThatTheyLive) {
  options.limits.keep_alive = std::chrono::milliseconds(10);
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  RawSocket stream(server->port());
  stream.send(get());
  EXPECT_NE(stream.read_until("\r\n\r\n").find("libacp-keep-alive: 10"), std::string::npos);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(stream.read_until("3\r\n:\n\n\r\n").ends_with("\r\n"));
  agent_end.close();
}

// It is asked for a sign, and gives none.
TEST_F(ServerTurnsTest, ASilentWebSocketIsGone) {
  options.limits.vanish_time = std::chrono::milliseconds(100);
  start();
  RawWebSocket client(server->port());
  client.send(RawWebSocket::text, initialize);
  EXPECT_EQ(client.read_close_code(), 0);
  while (server->counts().connections != 0) std::this_thread::yield();
  server.reset();
  EXPECT_EQ(log.back().status, 101);
  EXPECT_NE(log.back().reason.find("1006 the other side has gone without a word"),
            std::string::npos)
      << log.back().reason;
}

TEST_F(ServerTurnsTest, AnUpgradeThatIsNoneIsToldSo) {
  start();
  EXPECT_EQ(status_of(answer(request("GET /acp", "Upgrade: websocket\r\n"))), 426);
}

TEST_F(ServerTurnsTest, AClientThatDoesNotWaitIsLogged) {
  std::promise<Transport> came;
  options.access_log = [this](const Access& access) {
    std::lock_guard lock(mutex);
    log.push_back(access);
  };
  server.emplace(options);
  server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
  RawSocket client(server->port());
  client.send(post(initialize));
  raw_agent = RawEnd(came.get_future().get());
  raw_agent.read_call("initialize");
  client.close();
  wait_until_idle();
  server.reset();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].status, 499);
}

TEST_F(ServerTurnsTest, AnAgentThatDiesIsNamedOverWebSocket) {
  for (const bool early : {true, false}) {
    std::promise<Transport> came;
    server.emplace(options);
    server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
    RawWebSocket client(server->port());
    client.send(RawWebSocket::text, initialize);
    raw_agent = RawEnd(came.get_future().get());
    raw_agent.read_call("initialize");
    if (!early) {
      raw_agent.line(R"({"jsonrpc":"2.0","id":1,"result":{}})");
      ASSERT_TRUE(client.read());
      client.send(RawWebSocket::text, R"({"jsonrpc":"2.0","id":2,"method":"_x"})");
      raw_agent.read_call("_x");
    }
    raw_agent.close();
    const auto error = client.read();
    ASSERT_TRUE(error);
    EXPECT_EQ(
        error->payload,
        early ? R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Initialize failed"}})"
              : R"({"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":)"
                R"("the server closed the connection: the agent has ended"}})");
    EXPECT_EQ(client.read_close_code(), 1011);
  }
}

// One message each: with the bit of compression or without.
TEST_F(ServerTurnsTest, LargeMessagesAreCompressedAndSmallOnesAreNot) {
  std::promise<Transport> came;
  server.emplace(options);
  server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
  RawWebSocket client(server->port(),
                      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
  EXPECT_NE(client.head().find("permessage-deflate"), std::string::npos) << client.head();
  client.send(RawWebSocket::text, initialize);
  raw_agent = RawEnd(came.get_future().get());
  raw_agent.line(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(client.socket().read_bytes(1), "\x81");
  client.socket().read_until("}}");
  raw_agent.line(R"({"jsonrpc":"2.0","method":"_x","params":")" + std::string(2'000, 'x') + "\"}");
  EXPECT_EQ(client.socket().read_bytes(1), "\xC1");
  EXPECT_LT(client.socket().read_bytes(1)[0], 126);
  raw_agent.close();
}

// The reason is on the client's stream, and others notice nothing.
TEST_F(ServerTurnsTest, AStallHasAReasonAndHitsOneClient) {
  options.limits.max_stall = std::chrono::milliseconds(300);
  options.limits.max_buffered_bytes = 1024 * 1024;
  std::string said;
  options.log = [&](const LogEntry& entry) {
    std::lock_guard lock(mutex);
    said += entry.message + "\n";
  };
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  RawSocket own(server->port()), stream(server->port(), 16 * 1024);
  RawSocket other(server->port());
  RawEnd other_agent;
  const std::string other_id = initialize_raw(other, other_agent);
  own.send(get());
  own.read_until("\r\n\r\n");
  stream.send(get("s"));
  stream.read_until("\r\n\r\n");
  EXPECT_EQ(status_of(answer(post(R"({"jsonrpc":"2.0","id":7,"method":"_x"})", id))), 202);
  agent_end.read_call("_x");
  std::thread speaks([&] {
    const std::string text(64 * 1024, 'x');
    for (int i = 0; i < 200; ++i) agent_end.say("s", text);
  });
  EXPECT_NE(own.read_to_end().find("the server closed the connection: the client does not read"),
            std::string::npos);
  speaks.join();
  EXPECT_EQ(call("_x", "s"), 404);
  EXPECT_EQ(status_of(answer(post(R"({"jsonrpc":"2.0","id":8,"method":"_y"})", other_id))), 202);
  other_agent.read_call("_y");
  other_agent.close();
  server.reset();  // its log is ours
  EXPECT_NE(said.find("closed: the client does not read"), std::string::npos) << said;
}

}  // namespace
}  // namespace acp::remote
