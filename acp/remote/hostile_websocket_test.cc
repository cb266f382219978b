// WebSocket clients that mean no good, and what each is answered.
#include <gtest/gtest.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <future>
#include <thread>

#include "acp/client.h"
#include "acp/remote/testing/faulty_proxy.h"
#include "acp/remote/testing/raw_websocket.h"
#include "acp/remote/testing/serving.h"
#include "acp/testing/raw_end.h"
#include "acp/testing/sanitized.h"

namespace acp::remote {
namespace {

using acp::testing::RawEnd;
using testing::Fault;
using testing::FaultyProxy;
using testing::frame_bytes;
using testing::initialize;
using testing::RawWebSocket;
using testing::status_of;

struct HostileWebSocketTest : testing::Serving {
  void TearDown() override {
    if (server) expect_service();
  }
  static constexpr int small = 16 * 1024;  // the system must not read in its place
  static std::size_t memory() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }
  // Sends frames until the server has enough. False: it keeps too much.
  static bool server_ends_it(RawWebSocket& client, const std::string& frame) {
    std::string piece;
    while (piece.size() < 64 * 1024) piece += frame;
    const std::size_t most = memory() + 64 * 1024 * 1024;
    while (memory() < most)
      if (!client.socket().send(piece)) return true;
    return false;
  }
};

TEST_F(HostileWebSocketTest, EachFrameHasItsCloseCode) {
  start();
  struct Case {
    const char* name;
    std::string bytes;
    int code;
  };
  const auto frame = [](int opcode, std::string_view payload, bool final = true, int reserved = 0) {
    return frame_bytes(opcode, payload, {.final = final, .reserved = reserved});
  };
  const std::string too_long = std::string(200, 'x');
  const std::vector<Case> cases = {
      {"not masked", frame_bytes(RawWebSocket::text, initialize, {.masked = false}), 1002},
      {"reserved bits", frame(RawWebSocket::text, initialize, true, 1), 1002},
      {"compressed, though nobody agreed", frame(RawWebSocket::text, initialize, true, 4), 1002},
      {"a reserved opcode", frame(3, "x"), 1002},
      {"a reserved control opcode", frame(11, "x"), 1002},
      {"a control frame of 200 bytes", frame(RawWebSocket::ping, too_long), 1002},
      {"a control frame in pieces", frame(RawWebSocket::ping, "x", false), 1002},
      {"a continuation of nothing", frame(RawWebSocket::continuation, "x"), 1002},
      {"a text within a text",
       frame(RawWebSocket::text, "x", false) + frame(RawWebSocket::text, "x"), 1002},
      {"no UTF-8", frame(RawWebSocket::text, "\xff\xfe"), 1007},
      {"no UTF-8 over two frames",
       frame(RawWebSocket::text, "\xc3", false) + frame(RawWebSocket::continuation, "("), 1007},
      {"a close frame of one byte", frame(RawWebSocket::closing, "\x03"), 1002},
      {"a close code that is none", frame(RawWebSocket::closing, std::string("\x00\x01", 2)), 1002},
      {"a close code that nobody may send", frame(RawWebSocket::closing, "\x03\xee"), 1002},
      {"a close reason that is no text", frame(RawWebSocket::closing, "\x03\xe8\xff"), 1002},
      {"an orderly end", frame(RawWebSocket::closing, "\x03\xe8"), 1000},
      {"an orderly end without a code", frame(RawWebSocket::closing, ""), 1000},
      {"33 MiB announced", std::string("\x81\xff\x00\x00\x00\x00\x02\x10\x00\x00mask", 14), 1009},
      {"another first message",
       frame(RawWebSocket::text, R"({"jsonrpc":"2.0","id":1,"method":"session/new"})"), 1002},
      {"initialize with the id null",
       frame(RawWebSocket::text, R"({"jsonrpc":"2.0","id":null,"method":"initialize"})"), 1002},
  };
  for (const Case& one : cases) {
    RawWebSocket client(server->port());
    ASSERT_EQ(status_of(client.head()), 101) << client.head();
    client.socket().send(one.bytes);
    EXPECT_EQ(client.read_close_code(), one.code) << one.name;
  }
}

TEST_F(HostileWebSocketTest, AMessageInPiecesHasTheSameLimit) {
  options.limits.max_message_bytes = 4 * 1024 * 1024;
  start();
  RawWebSocket client(server->port());
  const std::string piece(1024 * 1024, ' ');
  client.send(RawWebSocket::text, piece, {.final = false});
  for (int i = 0; i < 8; ++i)
    if (!client.send(RawWebSocket::continuation, piece, {.final = false})) break;
  EXPECT_EQ(client.read_close_code(), 1009);
}

// 1 GiB of zeros is about 1 MiB on the wire. Deflate of 32 KiB zeros, again and again.
TEST_F(HostileWebSocketTest, ABombDoesNotGoOff) {
  start();
  RawWebSocket client(server->port(),
                      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
  ASSERT_NE(client.head().find("permessage-deflate"), std::string::npos) << client.head();
  // A block of fixed codes: a zero, then again and again 258 more of them in 13 bits.
  std::string block;
  unsigned bits = 0, count = 0;
  const auto put = [&](unsigned value, unsigned size) {
    bits |= value << count;
    for (count += size; count >= 8; count -= 8, bits >>= 8) block += static_cast<char>(bits & 255);
  };
  put(0b010, 3);       // not the last block, fixed codes
  put(0b00001100, 8);  // the literal 0, its code's first bit first
  for (int i = 0; i < 4'200'000; ++i) {
    put(0b10100011, 8);  // length 258: 11000101
    put(0, 5);           // distance 1
  }
  ASSERT_LT(block.size(), 8u * 1024 * 1024);
  client.send(RawWebSocket::text, block, {.reserved = 4});
  EXPECT_EQ(client.read_close_code(), 1009);
}

TEST_F(HostileWebSocketTest, PassesOverBinaryFrames) {
  start();
  RawWebSocket client(server->port());
  client.send(RawWebSocket::binary, initialize);
  client.send(RawWebSocket::pong, "nobody asked");
  client.send(RawWebSocket::ping, "are you there");
  const auto answer = client.read();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->opcode, RawWebSocket::pong);
  EXPECT_EQ(answer->payload, "are you there");
  client.send(RawWebSocket::text, initialize);
  const auto initialized = client.read();
  ASSERT_TRUE(initialized);
  EXPECT_NE(initialized->payload.find("protocolVersion"), std::string::npos);
}

// A client that asks and asks, and reads no answer.
TEST_F(HostileWebSocketTest, AnswersOnlySoManyPings) {
  options.limits.vanish_time = std::chrono::milliseconds(300);
  start();
  RawWebSocket client(server->port(), "", small);
  EXPECT_TRUE(server_ends_it(client, frame_bytes(RawWebSocket::ping, std::string(125, 'x'), {})));
}

TEST_F(HostileWebSocketTest, AnswersOnlySoManyMistakes) {
  options.limits.max_stall = std::chrono::milliseconds(300);
  start();
  RawWebSocket client(server->port(), "", small);
  EXPECT_TRUE(server_ends_it(client, frame_bytes(RawWebSocket::text, "x", {})));
  // Initialised, there is one more.
  RawWebSocket other(server->port(), "", small);
  other.send(RawWebSocket::text, initialize);
  ASSERT_TRUE(other.read());
  EXPECT_TRUE(server_ends_it(other, frame_bytes(RawWebSocket::text, initialize, {})));
}

// A message over what is gathered at a time is followed by others.
TEST_F(HostileWebSocketTest, ALargeMessageHoldsNothingUp) {
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    for (int i = 0; i < 3; ++i) co_await turn.say(std::string(3 * 1024 * 1024, 'x'));
    co_return StopReason::end_turn;
  });
  start();
  Client client("test", "1");
  UrlOptions how;
  how.compress_from_bytes = 0;
  const AgentHandle handle = client.connect(remote::url(url("ws"), how)).wait();
  const Session session = handle.new_session("/").wait();
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn);
}

TEST_F(HostileWebSocketTest, AnAgentThatCannotBeStartedIsAnAnswer) {
  server.emplace(options);
  server->start([](const Incoming&) { throw std::runtime_error("no more processes"); });
  RawWebSocket client(server->port());
  client.send(RawWebSocket::text, initialize);
  EXPECT_EQ(client.read_close_code(), 1013);
  EXPECT_EQ(server->counts().connections, 0u);
  server.reset();
}

#ifndef ACP_SANITIZED
// What was delivered is not kept, also if there is always something that was not.
TEST_F(HostileWebSocketTest, AnAgentThatLagsBehindCostsNoMore) {
  std::promise<Transport> came;
  server.emplace(options);
  server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
  RawWebSocket client(server->port());
  client.send(RawWebSocket::text, initialize);
  const Transport agent_end = came.get_future().get();
  const std::string message =
      R"({"jsonrpc":"2.0","method":"_x","params":")" + std::string(64 * 1024, 'x') + "\"}";
  const auto before = memory();
  std::size_t most = before;
  std::vector<char> buffer(message.size() + 1);
  for (int i = 0; i < 1'000; ++i) {
    client.send(RawWebSocket::text, message);
    if (i < 10) continue;
    for (std::size_t read = 0; read < buffer.size();) {
      pollfd input{agent_end.in.get(), POLLIN, 0};
      poll(&input, 1, -1);
      const ssize_t size = recv(agent_end.in.get(), buffer.data(), buffer.size() - read, 0);
      ASSERT_GT(size, 0);
      read += static_cast<std::size_t>(size);
    }
    most = std::max<std::size_t>(most, memory());
  }
  EXPECT_LT(most, before + 16 * 1024 * 1024);
  server.reset();
}
#endif

struct DeafAgentTest : HostileWebSocketTest, ::testing::WithParamInterface<bool> {};

// Its agent does not read, and so nobody reads what the client sends: not even its end.
TEST_P(DeafAgentTest, NoticesAClientThatHasGone) {
  options.limits.vanish_time = std::chrono::milliseconds(200);
  std::promise<Transport> came;
  server.emplace(options);
  server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
  const std::string message =
      R"({"jsonrpc":"2.0","method":"_x","params":")" + std::string(64 * 1024, 'x') + "\"}";
  auto client = std::make_unique<RawWebSocket>(server->port());
  client->send(RawWebSocket::text, initialize);
  const Transport agent_end = came.get_future().get();
  while (server->counts().connections != 1) std::this_thread::yield();
  const bool fits = GetParam();
  if (fits) {
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(client->send(RawWebSocket::text, message));
  } else {  // until the server takes nothing more, so that its system has not seen the end, either
    const timeval time{0, 300'000};
    setsockopt(client->socket().native(), SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    while (client->send(RawWebSocket::text, message)) continue;
  }
  client.reset();
  while (server->counts().connections != 0) std::this_thread::yield();
  server.reset();
}
INSTANTIATE_TEST_SUITE_P(Fits, DeafAgentTest, ::testing::Bool());

// A message that fills what the system takes, to a client that reads it with a break: longer than
// the time for goodbyes, which must not have begun.
struct SlowReaderTest : HostileWebSocketTest {
  void begin() {
    server.emplace(options);
    server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
    client.emplace(server->port(), "", small);
    client->send(RawWebSocket::text, initialize);
    agent_end = RawEnd(came.get_future().get());
    ASSERT_TRUE(agent_end.line(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
    ASSERT_TRUE(client->read());
    ASSERT_TRUE(agent_end.line(message));
    ASSERT_EQ(client->socket().read_bytes(10).size(), 10u);  // the head of the frame
  }
  // A reader that is slow on purpose, for longer than the limit that must not hit it.
  static void take_a_break(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }

  const std::string message =
      R"({"jsonrpc":"2.0","method":"_x","params":")" + std::string(8 * 1024 * 1024, 'x') + "\"}";
  std::promise<Transport> came;
  std::optional<RawWebSocket> client;
  RawEnd agent_end;
};

TEST_F(SlowReaderTest, IsSentEverythingBeforeItIsClosed) {
  options.limits.max_id_length = 10;
  begin();
  client->send(RawWebSocket::text, R"({"jsonrpc":"2.0","id":"longer than that","method":"_x"})");
  take_a_break(2'500);
  EXPECT_TRUE(client->socket().read_bytes(message.size()) == message);  // not to be printed
  EXPECT_EQ(client->read_close_code(), 1008);
  server.reset();
}

TEST_F(SlowReaderTest, HoldsUpTheEndOfTheServer) {
  begin();
  server->drain(std::chrono::hours(1));
  take_a_break(5'500);  // longer than what the server gives those who are not done
  EXPECT_TRUE(client->socket().read_bytes(message.size()) == message);
  EXPECT_EQ(client->read_close_code(), 1001);
  server->wait();
  server.reset();
}

// The local end of such a client is not read, and so it does not say that it was closed.
TEST_F(HostileWebSocketTest, AClientClosesWhileItsServerTakesNothing) {
  start();
  FaultyProxy proxy(server->port(), Fault{Fault::stall, false, 64 * 1024});
  UrlOptions how;
  how.vanish_time = std::chrono::hours(1);
  how.compress_from_bytes = 0;
  Client client("test", "1");
  const AgentHandle handle =
      client.connect(remote::url("ws://127.0.0.1:" + std::to_string(proxy.port()) + "/acp", how))
          .wait();
  const Json text(std::string(512 * 1024, 'x'));
  std::vector<Sent> sent;
  for (int i = 0; i < 60; ++i) sent.push_back(handle.peer().notify("_fill", text));
  while (!proxy.reached()) std::this_thread::yield();
}

}  // namespace
}  // namespace acp::remote
