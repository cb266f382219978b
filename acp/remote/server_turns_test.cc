// A server with clients that work: their turns, their sessions, and what the end of the server does
// to them.
#include <gtest/gtest.h>

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
    std::promise<Transport> came;
    server.emplace(options);
    server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
    socket = RawSocket(server->port());
    socket.send(post(initialize));
    raw_agent = RawEnd(came.get_future().get());
    raw_agent.answer(raw_agent.read_call("initialize").view(), R"({"protocolVersion":1})");
    const std::string head = socket.read_until("\r\n\r\n");
    EXPECT_EQ(status_of(head), 200) << head;
    const std::size_t at = head.find("Acp-Connection-Id: ");
    id = head.substr(at, head.find("\r\n", at) + 2 - at);
    return raw_agent;
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
  RawSocket client(io::Descriptor{});
  RawEnd& agent_end = start_raw(client);
  for (const char* method : {"session/close", "session/delete"}) {
    RawSocket stream(server->port());
    stream.send(get("s"));
    stream.read_until("\r\n\r\n");
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
  agent.on_close_session(
      [](const Context&, const v1::CloseSessionRequest&) { return v1::CloseSessionResponse{}; });
  start();
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(url("http"))).wait();
  for (int i = 0; i < 30; ++i) {
    const Session session = handle.new_session("/").wait();
    session.close().wait();
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

}  // namespace
}  // namespace acp::remote
