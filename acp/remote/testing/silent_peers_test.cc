// A peer that goes silent while streams are open, and says no goodbye: its machine has lost its
// power, or a router in between has forgotten the connection. Nothing is confirmed any more, and no
// end comes.
#include <gtest/gtest.h>
#include <poll.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "acp/client.h"
#include "acp/remote/testing/conversation.h"
#include "acp/remote/testing/faulty_proxy.h"
#include "acp/remote/testing/raw_websocket.h"
#include "acp/remote/testing/serving.h"
#include "acp/testing/gate.h"
#include "acp/testing/raw_end.h"

namespace acp::remote {
namespace {

using acp::testing::Gate;
using acp::testing::RawEnd;
using testing::FaultyProxy;
using testing::initialize;
using testing::is;
using testing::PlayedServer;
using testing::RawRequest;
using testing::RawSocket;
using testing::RawWebSocket;
using testing::request;
using testing::status_of;

constexpr auto silence = std::chrono::milliseconds(400);

struct SilentPeersTest : testing::Serving {
  SilentPeersTest() {
    options.limits.vanish_time = how.vanish_time = silence;
    options.limits.keep_alive = silence / 4;
    // None of these is what ends it.
    how.answer_time = how.connect_time = options.limits.max_stall = options.limits.request_time =
        std::chrono::hours(1);
    agent.on_prompt([](Turn turn) -> Task<StopReason> {
      co_await turn.tool_call("Ask", ToolKind::other).ask_permission();
      co_return StopReason::end_turn;
    });
  }
  static std::string by(const std::string& scheme, const FaultyProxy& proxy) {
    return scheme + "://127.0.0.1:" + std::to_string(proxy.port()) + "/acp";
  }

  UrlOptions how;
};

// In a turn, with a question of the agent's open.
TEST_F(SilentPeersTest, BothSidesNoticeIt) {
  for (const char* scheme : {"http", "ws"}) {
    start();
    FaultyProxy proxy(server->port());
    Gate question, over;
    {
      Client client("test", "1");
      client.on_permission(
          acp::blocking([&](const ClientContext&, const v1::RequestPermissionRequest&) {
            question.open();
            over.wait("the end of the turn");
            return Decision::cancelled();
          }));
      const AgentHandle handle = client.connect(remote::url(by(scheme, proxy), how)).wait();
      const Session session = handle.new_session("/").wait();
      Prompt prompt = session.prompt("wait");
      question.wait("the question");
      proxy.forget_all();
      try {
        prompt.finish().wait();
        ADD_FAILURE() << scheme << ": the turn has ended";
      } catch (const std::exception& error) {
        EXPECT_NE(std::string(error.what()).find("gone without a word"), std::string::npos)
            << scheme << ": " << error.what();
      }
      // The proxy keeps its sockets, and the client lives.
      wait_until_idle();
      over.open();
    }
    server.reset();
  }
}

// Nobody asks for anything.
TEST_F(SilentPeersTest, AnIdleClientNoticesIt) {
  for (const char* scheme : {"http", "ws"}) {
    start();
    FaultyProxy proxy(server->port());
    std::string why;
    Gate lost;
    Client client("test", "1");
    client.on_disconnected([&](const AgentId&, std::string_view reason) {
      why = reason;
      lost.open();
    });
    const AgentHandle handle = client.connect(remote::url(by(scheme, proxy), how)).wait();
    const Session session = handle.new_session("/").wait();
    proxy.forget_all();
    ASSERT_TRUE(lost.wait("the end of the connection"));
    EXPECT_NE(why.find("gone without a word"), std::string::npos) << scheme << ": " << why;
    wait_until_idle();
    server.reset();
  }
}

// One that speaks no more to the network than that: it asks for streams, and then is gone.
TEST_F(SilentPeersTest, TheServerKeepsNothingOfAClient) {
  start();
  std::vector<RawSocket> sockets;
  sockets.emplace_back(server->port());
  const std::string id = connect(sockets.front());
  for (const char* session : {"", "Acp-Session-Id: a\r\n", "Acp-Session-Id: b\r\n"}) {
    RawSocket& stream = sockets.emplace_back(server->port());
    stream.send(request("GET /acp", "Accept: text/event-stream\r\n" + id + session));
    EXPECT_EQ(status_of(stream.read_until("\r\n\r\n")), 200);
  }
  RawWebSocket websocket(server->port());
  websocket.send(RawWebSocket::text, initialize);
  ASSERT_TRUE(websocket.read());
  EXPECT_EQ(server->counts().connections, 2u);
  for (RawSocket& socket : sockets) socket.vanish();
  websocket.socket().vanish();
  wait_until_idle();
  server.reset();
}

// The one who uses the client reads nothing, and so it does not read the network either.
TEST_F(SilentPeersTest, AWebSocketThatIsNotReadNoticesIt) {
  std::promise<Transport> came;
  server.emplace(options);
  server->start([&](Incoming incoming) { came.set_value(std::move(incoming.transport)); });
  FaultyProxy proxy(server->port());
  how.compress_from_bytes = 0;
  Transport transport = remote::url(by("ws", proxy), how);
  const auto link = transport.link;
  RawEnd client(std::move(transport));
  client.line(initialize);
  RawEnd agent_end(came.get_future().get());
  // Much more than the client's own end takes at once: when its beginning is there, the network is
  // read no more.
  agent_end.line(R"({"jsonrpc":"2.0","method":"_x","params":")" + std::string(4'000'000, 'x') +
                 "\"}");
  pollfd begins{client.descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&begins, 1, -1), 1);
  proxy.forget_all();
  while (link->end_reason().empty()) std::this_thread::yield();
  EXPECT_NE(link->end_reason().find("gone without a word"), std::string::npos)
      << link->end_reason();
  client.close();
  agent_end.close();
  wait_until_idle();
  server.reset();
}

// The one of before is not waited for: its agent may hold the session that the client wants back.
TEST_F(SilentPeersTest, AClientThatComesAgainHasOneConnection) {
  options.limits.vanish_time = std::chrono::hours(1);
  options.authorize = [](const RequestHead& head) {
    return Admission{.principal = head.header("x-who")};
  };
  start();
  const std::string me = "Libacp-Client: 0123\r\nX-Who: me\r\n";
  const auto connections = [&] { return server->counts().connections; };
  const auto come = [this](const std::string& headers) {
    RawSocket socket(server->port());
    return connect(socket, headers);
  };
  const std::string first = come(me) + me;
  RawSocket stream(server->port());
  stream.send(request("GET /acp", "Accept: text/event-stream\r\n" + first));
  EXPECT_EQ(status_of(stream.read_until("\r\n\r\n")), 200);
  come(me);
  EXPECT_EQ(connections(), 1u);
  EXPECT_TRUE(stream.read_to_end().ends_with("0\r\n\r\n"));
  EXPECT_EQ(status_of(answer(request("DELETE /acp", first))), 404);
  // Others are others, and so are those who give no name.
  come("Libacp-Client: 0123\r\nX-Who: another\r\n");
  come("Libacp-Client: 4567\r\nX-Who: me\r\n");
  come("X-Who: me\r\n");
  come("X-Who: me\r\n");
  EXPECT_EQ(connections(), 5u);
  // Over WebSocket it is the same client, once it has begun.
  RawWebSocket websocket(server->port(), me);
  EXPECT_EQ(connections(), 5u);
  websocket.send(RawWebSocket::text, initialize);
  ASSERT_TRUE(websocket.read());
  EXPECT_EQ(connections(), 5u);
  RawWebSocket again(server->port(), me);
  again.send(RawWebSocket::text, initialize);
  ASSERT_TRUE(again.read());
  EXPECT_EQ(websocket.read_close_code(), 1001);
  come(me);
  EXPECT_EQ(again.read_close_code(), 1001);
  while (connections() != 5) std::this_thread::yield();
  server.reset();
}

struct SilentServersTest : testing::Conversation {
  SilentServersTest() {
    options.vanish_time = silence;
    options.answer_time = options.connect_time = std::chrono::hours(1);
  }
};

// It never promised to say that it is there: its machine does that.
TEST_F(SilentServersTest, OneWithoutSignsOfLifeIsNoticed) {
  PlayedServer server([](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "session/prompt")) return false;
    socket.send(PlayedServer::response(202));
    server.vanish();
    socket.read_to_end();
    return true;
  });
  const std::string said = converse(server.url());
  EXPECT_NE(said.find("timed out"), std::string::npos) << said;
}

// The message was confirmed, and nothing after it.
TEST_F(SilentServersTest, OneThatAnswersNoMessageIsNoticed) {
  PlayedServer server([](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "session/prompt")) return false;
    server.vanish();
    socket.read_to_end();
    return true;
  });
  const std::string said = converse(server.url());
  EXPECT_NE(said.find("timed out"), std::string::npos) << said;
}

// Its pauses are longer than what the client allows others.
TEST_F(SilentServersTest, OneThatNamesItsPausesHasThem) {
  const PlayedServer::Hook slow = [](PlayedServer& server, const RawRequest& request,
                                     RawSocket& socket) {
    if (request.method == "GET" && request.session() == "s") {
      socket.send(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nLibacp-Keep-Alive: 600000\r\n"
          "Connection: close\r\n\r\n:\n\n");
      socket.read_to_end();
      return true;
    }
    if (!is(request, "session/prompt")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    // The pause is what is tested; a slow machine makes it longer.
    std::this_thread::sleep_for(5 * silence);
    server.say("", PlayedServer::answer(request, R"({"stopReason":"end_turn"})"));
    return true;
  };
  PlayedServer server(slow);
  EXPECT_EQ(converse(server.url()), "end_turn") << logged();
}

}  // namespace
}  // namespace acp::remote
