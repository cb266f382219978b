// A server with clients that mean no good, or no longer mean anything. What good clients get,
// interop/ shows with the official SDK.
#include "acp/remote/server.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/remote/client.h"
#include "acp/remote/testing/raw_socket.h"
#include "acp/remote/testing/raw_websocket.h"
#include "acp/remote/testing/serving.h"
#include "acp/testing/gate.h"
#include "acp/testing/sanitized.h"

namespace acp::remote {
namespace {

using acp::testing::Gate;
using testing::initialize;
using testing::post;
using testing::RawSocket;
using testing::RawWebSocket;
using testing::request;
using testing::status_of;

using ServerTest = testing::Serving;

TEST_F(ServerTest, HasAnAnswerForEveryShape) {
  start();
  EXPECT_EQ(status_of(answer(request("GET /health", ""))), 200);
  EXPECT_EQ(status_of(answer(request("POST /health", "", "x"))), 405);
  for (const char* path : {"/", "/acp/", "/acp/../acp", "/../etc/passwd", "/%2e%2e/acp", "/acpx"})
    EXPECT_EQ(status_of(answer(request(std::string("GET ") + path, ""))), 404) << path;
  EXPECT_EQ(status_of(answer("this is no HTTP\r\n\r\n")), 400);
  EXPECT_EQ(status_of(answer(request("GET /acp", "X: " + std::string(10'000, 'x') + "\r\n"))), 431);
  EXPECT_EQ(status_of(answer(post("{\"a\":\"\xff\"}"))), 400);
  EXPECT_EQ(status_of(answer(post(std::string(17 * 1024 * 1024, ' ')))), 413);
  // `initialize` without an id is none, whatever else is wrong.
  const std::string no_id = R"({"jsonrpc":"2.0","method":"initialize"})";
  RawSocket socket(server->port());
  const std::string id = connect(socket);
  for (const auto& [headers, text] :
       {std::pair("", "Initialize request must include an ID"),
        {id.c_str(), "Initialize not allowed on existing connection"}}) {
    const std::string refused = answer(post(no_id, headers));
    EXPECT_EQ(status_of(refused), 400);
    EXPECT_NE(refused.find(text), std::string::npos) << refused;
  }
  // Shapes that two readers could take for two different requests.
  const std::string json = "Content-Type: application/json\r\n";
  EXPECT_EQ(status_of(answer("POST /acp HTTP/1.1\r\nHost: localhost\r\n" + json +
                             "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x")),
            400);
  EXPECT_EQ(status_of(answer("POST /acp HTTP/1.1\r\nHost: localhost\r\n" + json +
                             "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")),
            400);
  EXPECT_EQ(status_of(answer("POST /acp HTTP/1.1\r\nHost: localhost\r\nHost: evil.org\r\n\r\n")),
            400);
  expect_service();
}

TEST_F(ServerTest, ReadsWhatComesInChunks) {
  start();
  const std::string text = answer(
      "POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
  EXPECT_EQ(status_of(text), 400);
  EXPECT_NE(text.find("Invalid JSON-RPC message"), std::string::npos) << text;
}

TEST_F(ServerTest, LetsNobodyInWithoutTheToken) {
  options.authorize = bearer_token("secret");
  start();
  EXPECT_EQ(status_of(answer(post(initialize))), 401);
  EXPECT_EQ(status_of(answer(post(initialize, "Authorization: Bearer wrong\r\n"))), 401);
  const std::string upgrade =
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
  EXPECT_EQ(status_of(answer(request("GET /acp", upgrade))), 401);
  EXPECT_EQ(status_of(answer(request("GET /acp", upgrade + "Origin: https://evil.org\r\n"))), 403);
  EXPECT_EQ(status_of(answer("GET /acp HTTP/1.1\r\nHost: evil.org\r\n\r\n")), 403);
  UrlOptions how;
  how.bearer_token = "secret";
  expect_service(how);
  // The reason reaches the client.
  how.bearer_token = "wrong";
  for (const char* scheme : {"http", "ws"}) {
    Client client("test", "1");
    try {
      client.connect(remote::url(url(scheme), how)).wait();
      ADD_FAILURE() << "expected StartFailed";
    } catch (const StartFailed& failed) {
      EXPECT_NE(std::string(failed.what()).find("HTTP 401"), std::string::npos) << failed.what();
    }
  }
}

TEST_F(ServerTest, AConnectionBelongsToTheOneWhoOpenedIt) {
  options.authorize = [](const RequestHead& head) {
    Admission decision;
    decision.principal = head.header("x-user");
    return decision;
  };
  start();
  RawSocket socket(server->port());
  const std::string id = connect(socket, "X-User: me\r\n");
  const std::string call = R"({"jsonrpc":"2.0","id":2,"method":"_x"})";
  EXPECT_EQ(status_of(answer(post(call, id + "X-User: you\r\n"))), 404);
  EXPECT_EQ(
      status_of(answer(request("GET /acp", "Accept: text/event-stream\r\nX-User: you\r\n" + id))),
      404);
  EXPECT_EQ(status_of(answer(request("DELETE /acp", id + "X-User: you\r\n"))), 404);
  EXPECT_EQ(status_of(answer(post(call, id + "X-User: me\r\n"))), 202);
}

TEST_F(ServerTest, AnswersThePreflightOfAPageThatMay) {
  options.origins = {"https://example.org"};
  options.authorize = bearer_token("secret");
  start();
  const std::string asked = answer(request(
      "OPTIONS /acp", "Origin: https://example.org\r\nAccess-Control-Request-Method: POST\r\n"));
  EXPECT_EQ(status_of(asked), 204);
  EXPECT_NE(asked.find("Access-Control-Allow-Origin: https://example.org"), std::string::npos)
      << asked;
  EXPECT_EQ(status_of(answer(request("OPTIONS /acp", "Origin: https://evil.org\r\n"))), 403);
}

TEST_F(ServerTest, DoesNotWaitForOneWhoIsSlow) {
  options.limits.request_time = std::chrono::milliseconds(100);
  start();
  RawSocket head(server->port());
  head.send("POST /acp HTTP/1.1\r\nHost: local");
  RawSocket body(server->port());
  body.send(
      "POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 100\r\n\r\n{");
  head.read_to_end();
  body.read_to_end();
  expect_service();
}

// One that does not read must not fill our memory, nor hold up others.
TEST_F(ServerTest, ClosesAClientThatDoesNotRead) {
  options.limits.max_buffered_bytes = 1 << 20;
  options.limits.max_stall = std::chrono::milliseconds(300);
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    const std::string text(64 * 1024, 'x');
    while (true) co_await turn.say(text);
  });
  start();
  RawSocket client(server->port());
  const std::string id = connect(client);
  RawSocket stream(server->port());
  stream.send(request("GET /acp", "Accept: text/event-stream\r\n" + id));
  stream.read_until("\r\n\r\n");
  const std::string new_session =
      R"({"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}})";
  EXPECT_EQ(status_of(answer(post(new_session, id))), 202);
  const std::string mark = "\"sessionId\":\"";
  stream.read_until(mark);
  std::string session = stream.read_until("\"");
  session.pop_back();
  const std::string prompt =
      R"({"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":")" + session +
      R"(","prompt":[{"type":"text","text":"go"}]}})";
  EXPECT_EQ(status_of(answer(post(prompt, id + "Acp-Session-Id: " + session + "\r\n"))), 202);
  // Nobody reads the session's stream: the connection's ends.
  stream.read_to_end();
  EXPECT_EQ(status_of(answer(post(prompt, id + "Acp-Session-Id: " + session + "\r\n"))), 404);
}

TEST_F(ServerTest, NoticesAClientThatHasVanished) {
  options.limits.vanish_time = std::chrono::milliseconds(100);
  start();
  RawSocket client(server->port());
  connect(client);
  while (server->counts().connections != 0) std::this_thread::yield();
}

// More than all buffers on the way take.
constexpr std::size_t much = 128, much_text = 128 * 1024;

Task<void> say_much(Turn& turn) {
  const std::string text(much_text, 'x');
  for (std::size_t i = 0; i < much; ++i) co_await turn.say(text);
}

void expect_much(Prompt& prompt, const char* scheme) {
  std::size_t updates = 0;
  for (const PromptEvent& event : prompt) updates += std::holds_alternative<SessionUpdate>(event);
  EXPECT_EQ(updates, much) << scheme;
  EXPECT_EQ(prompt.finish().wait().stopReason, StopReason::end_turn) << scheme;
}

TEST_F(ServerTest, ATurnMayEndBeforeTheServer) {
  for (const char* scheme : {"ws", "http"}) {
    Gate asked, go_on;
    agent.on_prompt([&](Turn turn) -> Task<StopReason> {
      asked.open();
      go_on.wait("the server drains");
      co_await say_much(turn);
      co_return StopReason::end_turn;
    });
    start();
    Client client("test", "1");
    const AgentHandle handle = client.connect(remote::url(url(scheme))).wait();
    const Session session = handle.new_session("/").wait();
    Prompt prompt = session.prompt("hello");
    asked.wait("the prompt");
    server->drain(std::chrono::hours(1));
    go_on.open();
    expect_much(prompt, scheme);
    server->wait();
    EXPECT_EQ(server->counts().connections, 0u) << scheme;
  }
}

// The turn is over for the server long before the client has read it.
TEST_F(ServerTest, WaitsForAClientThatStillReads) {
  Gate answers;
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    co_await say_much(turn);
    answers.open();
    co_return StopReason::end_turn;
  });
  start();
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(url("http"))).wait();
  Prompt prompt = handle.new_session("/").wait().prompt("hello");
  answers.wait("the end of the turn");
  server->drain(std::chrono::hours(1));
  expect_much(prompt, "http");
  server->wait();
}

// An agent that answers and ends, and then its server.
TEST_F(ServerTest, DeliversWhatAnAgentThatHasEndedHasSaid) {
  std::optional<acp::testing::Script> ending_agent;
  server.emplace(options);
  server->start([&](Incoming incoming) {
    ending_agent.emplace(std::move(incoming.transport), [](acp::testing::RawEnd& end) {
      end.welcome();
      const Json prompt = end.read_call("session/prompt");
      const std::string text(much_text, 'x');
      for (std::size_t i = 0; i < much; ++i) end.say("s", text);
      end.answer(prompt.view(), R"({"stopReason":"end_turn"})");
      end.close();
    });
  });
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(url("http"))).wait();
  Prompt prompt = handle.new_session("/").wait().prompt("hello");
  while (server->counts().connections != 0) std::this_thread::yield();
  server->drain(std::chrono::hours(1));
  expect_much(prompt, "http");
  server->wait();
}

// For many clients its end is that of them all.
TEST_F(ServerTest, TheConnectionsOwnStreamEndsLast) {
  Gate said;
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    co_await say_much(turn);
    said.open();
    co_return StopReason::end_turn;
  });
  start();
  RawSocket client(server->port());
  const std::string id = connect(client);
  const std::string get = "Accept: text/event-stream\r\n" + id;
  RawSocket own(server->port()), stream(server->port());
  own.send(request("GET /acp", get));
  EXPECT_EQ(
      status_of(answer(post(
          R"({"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}})",
          id))),
      202);
  own.read_until("\"sessionId\":\"");
  std::string session = own.read_until("\"");
  session.pop_back();
  own.read_until("\n\n\r\n");
  const std::string of_session = "Acp-Session-Id: " + session + "\r\n";
  stream.send(request("GET /acp", get + of_session));
  stream.read_until("\r\n\r\n");
  EXPECT_EQ(status_of(answer(post(
                R"({"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":")" +
                    session + R"(","prompt":[{"type":"text","text":"go"}]}})",
                id + of_session))),
            202);
  said.wait("the turn");
  EXPECT_EQ(status_of(answer(request("DELETE /acp", id))), 202);
  char byte;
  EXPECT_EQ(recv(own.native(), &byte, 1, MSG_DONTWAIT), -1);
  EXPECT_NE(stream.read_to_end().find("0\r\n\r\n"), std::string::npos);
  EXPECT_EQ(own.read_to_end(), "0\r\n\r\n");
}

std::size_t entries(const char* folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// 200 clients of each kind that there is, 2,000 where ACP_LONG is set.
TEST_F(ServerTest, LosesNothingOverManyConnections) {
  options.limits.vanish_time = std::chrono::milliseconds(200);
  start();
  const std::size_t threads_at_rest = entries("/proc/self/task");
  std::vector<std::unique_ptr<RawSocket>> half_open;
  const auto come = [&](int kind) {
    switch (kind) {
      case 0:
        return expect_service();
      case 1: {  // in the middle of a body
        RawSocket socket(server->port());
        socket.send(post(initialize).substr(0, 150));
        return;
      }
      case 2: {  // without a close frame, in the middle of a message
        RawWebSocket socket(server->port());
        socket.send(RawWebSocket::text, initialize);
        EXPECT_TRUE(socket.read());
        socket.send(RawWebSocket::text, "{", {.final = false});
        return;
      }
      case 3: {  // a connection that nobody uses again, and a stream whose reader stays
        auto socket = std::make_unique<RawSocket>(server->port());
        const std::string id = connect(*socket);
        socket->send(request("GET /acp", "Accept: text/event-stream\r\n" + id));
        half_open.push_back(std::move(socket));
        if (half_open.size() > 20) half_open.erase(half_open.begin());
        return;
      }
      case 4: {
        RawSocket socket(server->port());
        connect(socket);
        return socket.reset();
      }
      default: {
        RawWebSocket socket(server->port());
        socket.send(RawWebSocket::text, initialize);
        return socket.socket().reset();
      }
    }
  };
  constexpr int kinds = 6;
  struct Counts {
    std::size_t descriptors, threads, memory;
  };
  const auto count = [&] {
    half_open.clear();
    wait_until_idle();
    {
      std::lock_guard lock(mutex);
      std::vector<Access>().swap(log);
    }
    // An agent's thread ends after its client has gone.
    while (entries("/proc/self/task") > threads_at_rest) std::this_thread::yield();
    return Counts{entries("/proc/self/fd"), entries("/proc/self/task"), mallinfo2().uordblks};
  };
  for (int i = 0; i < 5 * kinds; ++i) come(i % kinds);
  const Counts before = count();
  const int many = std::getenv("ACP_LONG") != nullptr ? 2'000 : 200;
  for (int i = 0; i < many; ++i) come(i % kinds);
  const Counts after = count();
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.threads, before.threads);
#ifndef ACP_SANITIZED
  EXPECT_LT(after.memory, before.memory + 512 * 1024);
#endif
  // No agent is a process here.
  std::string children;
  std::getline(std::ifstream("/proc/self/task/" + std::to_string(getpid()) + "/children"),
               children);
  EXPECT_EQ(children, "");
  server->stop();
  server->wait();
  EXPECT_EQ(server->counts().connections, 0u);
}

// Each of them fills what may wait for the network by itself, and must not stay there.
TEST_F(ServerTest, PassesMessagesThatAreLargerThanWhatMayWait) {
  options.compress_from_bytes = 0;
  start();
  for (const char* scheme : {"ws", "http"}) {
    Client client("test", "1");
    const AgentHandle handle = client.connect(remote::url(url(scheme))).wait();
    const Session session = handle.new_session("/").wait();
    const std::string text(3 * 1024 * 1024, 'x');
    for (int i = 0; i < 3; ++i) {
      std::size_t updates = 0;
      for (const PromptEvent& event : session.prompt(text))
        updates += std::holds_alternative<SessionUpdate>(event);
      EXPECT_EQ(updates, 1u) << scheme;
    }
  }
}

// No token, no text: what it logs is who, what and how long.
TEST_F(ServerTest, LogsNothingThatWasSaid) {
  start();
  answer(request("GET /acp?token=secret", "Authorization: Bearer secret\r\n"));
  expect_service();
  server->stop();
  server->wait();
  std::lock_guard lock(mutex);
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log[0].path, "/acp");
  for (const Access& access : log) {
    EXPECT_LE(access.connection_id.size(), 8u);
    EXPECT_EQ(access.address, "127.0.0.1");
  }
}

// A socket of both kinds shows clients of IPv4 as ::ffff:127.0.0.1, which no program expects that
// compares addresses.
TEST_F(ServerTest, ShowsAddressesOfIPv4AsSuch) {
  options.address = "::";
  try {
    start();
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    if (code != EAFNOSUPPORT && code != EADDRNOTAVAIL) throw;
    GTEST_SKIP() << "this system has no IPv6: there are no such addresses";
  }
  answer(request("GET /acp", ""));
  server->stop();
  server->wait();
  std::lock_guard lock(mutex);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].address, "127.0.0.1");
}

}  // namespace
}  // namespace acp::remote
