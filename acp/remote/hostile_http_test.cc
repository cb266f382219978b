// Requests that mean no good, and what each is answered. The server is asked for a whole turn after
// each test.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <thread>

#include "acp/remote/testing/serving.h"

namespace acp::remote {
namespace {

using testing::initialize;
using testing::post;
using testing::RawSocket;
using testing::request;
using testing::status_of;

const std::string json = "Content-Type: application/json\r\n";
const std::string start_of_post = "POST /acp HTTP/1.1\r\nHost: localhost\r\n" + json;
const std::string upgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

struct HostileHttpTest : testing::Serving {
  void TearDown() override {
    if (server) expect_service();
  }
};

struct Case {
  const char* name;
  std::string bytes;
  int status;
};

TEST_F(HostileHttpTest, EachShapeHasItsAnswer) {
  start();
  const std::vector<Case> cases = {
      // Two readers could take them for two different requests.
      {"two lengths", start_of_post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", 400},
      {"a list of lengths", start_of_post + "Content-Length: 2, 2\r\n\r\n{}", 400},
      {"a length with a sign", start_of_post + "Content-Length: +2\r\n\r\n{}", 400},
      {"a length that is no number", start_of_post + "Content-Length: 0x2\r\n\r\n{}", 400},
      {"a length over 64 bits", start_of_post + "Content-Length: 18446744073709551618\r\n\r\n{}",
       400},
      {"length and chunks",
       start_of_post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"chunks and length",
       start_of_post + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", 400},
      {"chunked twice",
       start_of_post + "Transfer-Encoding: chunked, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400},
      {"chunked in two headers",
       start_of_post +
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
       400},
      {"another coding", start_of_post + "Transfer-Encoding: identity\r\n\r\n{}", 400},
      {"chunked is not the last",
       start_of_post + "Transfer-Encoding: chunked, gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400},
      {"a coding that looks like it",
       start_of_post + "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400},
      {"chunks in HTTP/1.0",
       "POST /acp HTTP/1.0\r\nHost: localhost\r\n" + json +
           "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
       400},
      {"a chunk's size that is none",
       start_of_post + "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n", 400},
      {"a space before the colon", start_of_post + "Content-Length : 2\r\n\r\n{}", 400},
      {"no name", start_of_post + ": x\r\n\r\n", 400},
      {"a header's name with a NUL", start_of_post + std::string("X\0Y: 1\r\n\r\n", 10), 400},
      {"a bare line feed", "POST /acp HTTP/1.1\nHost: localhost\n\n", 400},
      {"a bare carriage return", start_of_post + "X: a\rContent-Length: 2\r\n\r\n{}", 400},
      {"a space before the first header", "GET /health HTTP/1.1\r\n Host: localhost\r\n\r\n", 400},
      {"two hosts", "POST /acp HTTP/1.1\r\nHost: localhost\r\nHost: evil.org\r\n\r\n", 400},
      {"no host", "POST /acp HTTP/1.1\r\n" + json + "\r\n", 403},
      {"another host", "POST /acp HTTP/1.1\r\nHost: evil.org\r\n" + json + "\r\n", 403},
      {"a page of others", request("POST /acp", json + "Origin: https://evil.org\r\n", "{}"), 403},
      {"a page without an address", request("POST /acp", json + "Origin: null\r\n", "{}"), 403},
      {"HTTP/0.9", "GET /acp\r\n\r\n", 400},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"TLS", std::string("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00", 10), 400},
      // Where a target is compared, there is nothing to climb out of.
      {"a path upwards", request("GET /acp/../../etc/passwd", ""), 404},
      {"a path upwards, written otherwise", request("GET /%2e%2e/%2e%2e/etc/passwd", ""), 404},
      {"a path with a backslash", request("GET /acp\\..\\x", ""), 404},
      {"an absolute target", request("GET http://localhost/acp", ""), 404},
      {"a target that is an authority", request("CONNECT localhost:22", ""), 404},
      {"no path", request("OPTIONS *", ""), 404},
      {"an upgrade with a body", request("GET /acp", upgrade, "{}"), 400},
      {"an upgrade followed by frames", request("GET /acp", upgrade) + "\x81\x80mask", 400},
      {"an upgrade without a key",
       request("GET /acp",
               "Upgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Version: 13\r\n"),
       400},
      {"10,000 header bytes", request("GET /acp", "X: " + std::string(10'000, 'x') + "\r\n"), 431},
      {"2,000 headers",
       request("GET /acp",
               [] {
                 std::string many;
                 for (int i = 0; i < 2'000; ++i) many += "X: 1\r\n";
                 return many;
               }()),
       431},
      {"a target of 10,000 bytes", request("GET /" + std::string(10'000, 'x'), ""), 431},
      {"17 MiB", post(std::string(17 * 1024 * 1024, ' ')), 413},
      {"17 MiB announced", start_of_post + "Content-Length: 17825792\r\n\r\n", 413},
      {"17 MiB in one chunk", start_of_post + "Transfer-Encoding: chunked\r\n\r\n1100000\r\n", 413},
      {"no JSON", post("{\"a\":"), 400},
      {"no UTF-8", post("{\"a\":\"\xff\"}"), 400},
      {"no UTF-8: a surrogate", post("{\"a\":\"\xed\xa0\x80\"}"), 400},
      {"deep JSON", post(std::string(100'000, '[')), 400},
      {"a batch", post("[" + initialize + "]"), 400},
      {"an id of 2,000 letters",
       post(R"({"jsonrpc":"2.0","id":")" + std::string(2'000, 'x') + R"(","method":"initialize"})"),
       400},
      {"another type", request("POST /acp", "Content-Type: text/plain\r\n", "{}"), 415},
      {"no connection", post(R"({"jsonrpc":"2.0","method":"_x"})"), 400},
      {"a connection that was guessed",
       post(R"({"jsonrpc":"2.0","method":"_x"})",
            "Acp-Connection-Id: 01234567-89ab-4def-8123-456789abcdef\r\n"),
       404},
      {"a verb of one's own", request("BREW /acp", ""), 405},
      {"HEAD", request("HEAD /acp", ""), 405},
  };
  for (const Case& one : cases) {
    const std::string text = answer(one.bytes);
    EXPECT_EQ(status_of(text), one.status) << one.name << ": " << text.substr(0, 300);
    // Nothing that follows is taken for a request.
    EXPECT_EQ(text.find("HTTP/1.", 8), std::string::npos) << one.name << ": " << text;
  }
}

// What is allowed, but seldom seen.
TEST_F(HostileHttpTest, ReadsEveryAllowedShape) {
  start();
  const std::string body = R"({"jsonrpc":"2.0"})";
  const auto expect_read = [&](const std::string& bytes) {
    const std::string text = answer(bytes);
    EXPECT_NE(text.find("Invalid JSON-RPC message"), std::string::npos) << bytes << text;
  };
  expect_read(start_of_post + "Transfer-Encoding: chunked\r\n\r\n5;a=b;c=\"d\"\r\n" +
              body.substr(0, 5) + "\r\nC\r\n" + body.substr(5) + "\r\n0\r\nTrailer: x\r\n\r\n");
  expect_read(start_of_post + "Expect: 100-continue\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n" + body);
  expect_read(start_of_post + "X: a\r\n b\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  // Several requests that come together are answered in their order.
  const std::string together =
      answer(request("GET /health", "") + post(body) + request("GET /health", ""));
  const std::size_t refused = together.find("Invalid JSON-RPC message");
  EXPECT_EQ(status_of(together), 200) << together;
  EXPECT_EQ(status_of(together.substr(together.rfind("HTTP/1.1"))), 200) << together;
  EXPECT_LT(refused, together.rfind("HTTP/1.1")) << together;
  // HTTP/1.0: closed, unless asked otherwise.
  const std::string health = "GET /health HTTP/1.0\r\n";
  EXPECT_EQ(answer(health + "\r\n" + health + "\r\n").find("HTTP/1.0", 8), std::string::npos);
  const std::string kept = answer(health + "Connection: keep-alive\r\n\r\n" + health + "\r\n");
  EXPECT_NE(kept.find("HTTP/1.0", 8), std::string::npos) << kept;
  // HEAD has the length of what it leaves out.
  RawSocket socket(server->port());
  socket.send(request("HEAD /acp", "") + request("GET /health", ""));
  const std::string head = socket.read_until("\r\n\r\n");
  EXPECT_EQ(status_of(head), 405) << head;
  EXPECT_EQ(status_of(socket.read_until("\r\n\r\n")), 200);
}

// Sends this again and again until the server has enough. False: it takes too much.
bool server_ends_it(RawSocket& socket, const std::string& piece, std::size_t most) {
  for (std::size_t sent = 0; sent < most; sent += piece.size())
    if (!socket.send(piece)) return true;
  return false;
}

TEST_F(HostileHttpTest, KeepsNothingOfWhatHasNoEnd) {
  start();
  const std::string piece(64 * 1024, 'x');
  constexpr std::size_t most = 128 * 1024 * 1024;
  const std::string chunked = start_of_post + "Transfer-Encoding: chunked\r\n\r\n";
  for (const std::string& begin :
       {std::string("GET /"), std::string("GET /acp HTTP/1.1\r\nX: "),
        chunked + "1;x=", chunked + "0;x=", chunked + "0\r\nTrailer: "}) {
    RawSocket socket(server->port());
    socket.send(begin);
    EXPECT_TRUE(server_ends_it(socket, piece, most)) << begin;
  }
  RawSocket trailers(server->port());
  trailers.send(chunked + "0\r\n");
  std::string many;
  while (many.size() < piece.size()) many += "X: 1\r\n";
  EXPECT_TRUE(server_ends_it(trailers, many, most));
}

// A body that drips, byte for byte, has no more time than one that stands still.
TEST_F(HostileHttpTest, WaitsForNoBodyThatDrips) {
  options.limits.request_time = std::chrono::milliseconds(200);
  start();
  RawSocket socket(server->port());
  socket.send(start_of_post + "Content-Length: 100000\r\n\r\n{");
  const auto began = std::chrono::steady_clock::now();
  while (socket.send(" ") && std::chrono::steady_clock::now() - began < std::chrono::minutes(1))
    std::this_thread::sleep_for(
        std::chrono::milliseconds(5));  // the client is slow: nothing waits here
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

TEST_F(HostileHttpTest, AStreamHasOneReader) {
  start();
  RawSocket client(server->port());
  const std::string id = connect(client);
  const std::string events = request("GET /acp", "Accept: text/event-stream\r\n" + id);
  RawSocket first(server->port());
  first.send(events);
  EXPECT_EQ(status_of(first.read_until("\r\n\r\n")), 200);
  EXPECT_EQ(status_of(answer(events)), 409);
  // The place is free again when the first has gone, however it went.
  first.reset();
  while (true) {
    RawSocket next(server->port());
    next.send(events);
    const int status = status_of(next.read_until("\r\n\r\n"));
    if (status == 200) break;
    ASSERT_EQ(status, 409);
  }
}

// Streams of sessions that nobody knows leave nothing.
TEST_F(HostileHttpTest, SessionsThatAClientInventsAreForgotten) {
  start();
  RawSocket client(server->port());
  const std::string id = connect(client);
  for (int i = 0; i < 300; ++i) {
    RawSocket stream(server->port());
    stream.send(request("GET /acp", "Accept: text/event-stream\r\nAcp-Session-Id: s" +
                                        std::to_string(i) + "\r\n" + id));
    EXPECT_EQ(status_of(stream.read_until("\r\n\r\n")), 200);
  }
  EXPECT_EQ(status_of(answer(request("DELETE /acp", id))), 202);
}

// ---- what goes wrong on our side

TEST_F(HostileHttpTest, AFailureWhileDecidingIsAnAnswer) {
  options.authorize = [](const RequestHead& head) -> Admission {
    if (head.headers.contains("x-fail")) throw std::runtime_error("a secret");
    return {};
  };
  start();
  const std::string text = answer(post(initialize, "X-Fail: 1\r\n"));
  EXPECT_EQ(status_of(text), 500) << text;
  EXPECT_EQ(text.find("a secret"), std::string::npos) << text;
}

TEST_F(HostileHttpTest, AnAgentThatCannotBeStartedIsAnAnswer) {
  server.emplace(options);
  server->start([](const Incoming&) { throw std::runtime_error("no more processes"); });
  const std::string text = answer(post(initialize));
  EXPECT_EQ(status_of(text), 503) << text;
  EXPECT_EQ(server->counts().connections, 0u);
  server.reset();
}

// A client that sends much at a time while nothing is taken from it must not fill our memory.
TEST_F(HostileHttpTest, HoldsBackOnlySoMuch) {
  options.limits.max_buffered_bytes = 1024 * 1024;
  std::vector<Transport> agents;  // none of them reads
  server.emplace(options);
  server->start([&](Incoming incoming) { agents.push_back(std::move(incoming.transport)); });
  RawSocket first(server->port());
  first.send(post(initialize));
  while (server->counts().connections != 1) std::this_thread::yield();
  // Its answer, so that there is an id.
  ASSERT_TRUE(agents.size() == 1);
  const std::string answered = R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}})"
                               "\n";
  ASSERT_GT(send(agents[0].in.get(), answered.data(), answered.size(), 0), 0);
  const std::string head = first.read_until("\r\n\r\n");
  const std::size_t at = head.find("Acp-Connection-Id: ");
  const std::string id = head.substr(at, head.find("\r\n", at) + 2 - at);
  const std::string big =
      R"({"jsonrpc":"2.0","method":"_x","params":")" + std::string(512 * 1024, 'x') + "\"}";
  std::vector<std::unique_ptr<RawSocket>> waiting;
  int refused = 0;
  while (refused == 0) {
    if (waiting.size() < 20) {
      waiting.push_back(std::make_unique<RawSocket>(server->port()));
      waiting.back()->send(post(big, id));
    }
    // Those that wait have no answer: the next one tells whether there was room for them.
    RawSocket probe(server->port());
    probe.send(request("GET /health", ""));
    EXPECT_EQ(status_of(probe.read_until("\r\n\r\n")), 200);
    char byte;
    for (const auto& socket : waiting)
      if (recv(socket->native(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0 &&
          status_of(socket->read_until("\r\n")) == 503)
        ++refused;
  }
  EXPECT_GE(refused, 1);
  // Those who wait and go are noticed, though nothing is taken.
  waiting.clear();
  while (server->counts().sockets != 1) std::this_thread::yield();
  first.close();
  agents.clear();
  wait_until_idle();
  server.reset();
}

// ---- the end

TEST_F(HostileHttpTest, StopsWhileABodyDrips) {
  start();
  RawSocket socket(server->port());
  socket.send(start_of_post + "Content-Length: 100\r\n\r\n{");
  while (server->counts().sockets == 0) std::this_thread::yield();
  const auto began = std::chrono::steady_clock::now();
  server->stop();
  server->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - began, options.limits.request_time / 2);
  server.reset();
}

}  // namespace
}  // namespace acp::remote
