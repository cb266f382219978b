// Clients of servers that mean no good, or are built otherwise than ours: each conversation ends,
// with its answer or with an error that says what happened.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "acp/client.h"
#include "acp/remote/client.h"
#include "acp/remote/testing/conversation.h"
#include "acp/remote/testing/scripted_server.h"
#include "acp/testing/gate.h"
#include "acp/testing/raw_end.h"

namespace acp::remote {
namespace {

using testing::PlayedServer;
using testing::RawRequest;
using testing::RawSocket;
using testing::ScriptedServer;

using HostileServersTest = testing::Conversation;
using testing::is;
using testing::update;

// As long as the client reads it.
void send_for_ever(RawSocket& socket, const std::string& begin, const std::string& piece) {
  socket.send(begin);
  while (socket.send(piece)) continue;
}

TEST_F(HostileServersTest, EachEndsWithAReason) {
  struct Case {
    const char* name;
    PlayedServer::Hook hook;
    const char* reason;
  };
  const std::string ok = "HTTP/1.1 200 OK\r\n", json = "Content-Type: application/json\r\n";
  const std::string events = "Content-Type: text/event-stream\r\n";
  const std::string lively = events + "Libacp-Keep-Alive: 250\r\n";
  const std::string many(64 * 1024, 'x');
  acp::testing::Gate prompted;
  const auto to_initialize = [](std::string bytes) {
    return [bytes = std::move(bytes)](PlayedServer&, const RawRequest& request, RawSocket& socket) {
      if (!is(request, "initialize")) return false;
      socket.send(bytes);
      return true;
    };
  };
  const auto to_get = [](const std::string& session, std::string bytes, bool stays = false) {
    return [=](PlayedServer&, const RawRequest& request, RawSocket& socket) {
      if (request.method != "GET" || request.session() != session) return false;
      socket.send(bytes);
      if (stays) socket.read_to_end();
      return true;
    };
  };
  const std::vector<Case> cases = {
      {"no answer to initialize",
       [](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (is(request, "initialize")) socket.read_to_end();
         return is(request, "initialize");
       },
       "no answer from"},
      {"headers without end",
       [&](PlayedServer&, const RawRequest&, RawSocket& socket) {
         send_for_ever(socket, ok, "X: " + std::string(1000, 'x') + "\r\n");
         return true;
       },
       "the answer's headers have more than"},
      {"a body without end",
       [&](PlayedServer&, const RawRequest&, RawSocket& socket) {
         send_for_ever(socket, ok + json + "\r\n", many);
         return true;
       },
       "no answer from"},
      {"a body cut short", to_initialize(ok + json + "Content-Length: 100\r\n\r\n{"),
       "no answer from"},
      {"no HTTP", to_initialize("220 mail.example.org ESMTP\r\n"), "no answer from"},
      {"a page",
       to_initialize(PlayedServer::response(200, "Content-Type: text/html\r\n", "<html>")),
       "is it an ACP server"},
      {"no connection id",
       to_initialize(PlayedServer::response(200, json, R"({"jsonrpc":"2.0","id":1,"result":{}})")),
       "names no Acp-Connection-Id"},
      {"a failure",
       to_initialize(PlayedServer::response(500, json, R"({"error":{"message":"broken"}})")),
       "HTTP 500 Internal Server Error: broken"},
      {"a refusal without a connection",
       to_initialize(PlayedServer::response(
           200, json, R"({"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"not today"}})")),
       "not today"},
      {"101 for a POST", to_initialize("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
       "no answer from"},
      {"101 for a GET", to_get("", "HTTP/1.1 101 Switching Protocols\r\n\r\n", true),
       "no stream of events within 300 ms"},
      {"a GET without an answer", to_get("s", "", true), "no stream of events within 300 ms"},
      {"a GET with a page",
       to_get("", PlayedServer::response(200, "Content-Type: text/html\r\n", "<html>")),
       "the server gave no stream of events"},
      {"a session unknown to GET", to_get("s", PlayedServer::response(404, "", "Unknown session")),
       "HTTP 404 Not Found: Unknown session"},
      {"a session with another reader",
       to_get("s", PlayedServer::response(409, "", "Somebody reads it")),
       "HTTP 409: Somebody reads it"},
      {"an event without end",
       [&](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (request.method != "GET" || !request.session().empty()) return false;
         send_for_ever(socket, ok + events + "\r\ndata: ", many);
         return true;
       },
       "over the limit of 1048576 bytes"},
      {"a stream that falls silent", to_get("", ok + lively + "\r\n:\n\n", true),
       "it has gone without a word"},
      {"a session's stream that falls silent", to_get("s", ok + lively + "\r\n:\n\n", true),
       "it has gone without a word"},
      {"a session's stream that is silent beside one that is not",
       [&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
         if (request.method != "GET" || request.session().empty()) return false;
         socket.send(ok + events + "\r\n");
         char byte;
         while (recv(socket.native(), &byte, 1, MSG_DONTWAIT) != 0) {
           server.write("", ":\n\n");
           std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the server's own pace
         }
         return true;
       },
       "it has gone without a word"},
      {"a message that is not taken",
       [](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (is(request, "session/prompt")) socket.read_to_end();
         return is(request, "session/prompt");
       },
       "no answer from"},
      {"a refusal of a message",
       [&](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (is(request, "session/prompt"))
           socket.send(
               PlayedServer::response(500, "Connection: close\r\n", "very-secret is wrong"));
         return is(request, "session/prompt");
       },
       "HTTP 500 Internal Server Error: … is wrong"},
      {"a connection that is forgotten",
       [&](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (is(request, "session/prompt"))
           socket.send(PlayedServer::response(404, "Connection: close\r\n"));
         return is(request, "session/prompt");
       },
       "HTTP 404"},
      {"a proxy's page that repeats the headers",
       to_initialize(PlayedServer::response(502, "", "Authorization: Bearer very-secret")),
       "HTTP 502 Bad Gateway: Authorization: Bearer …"},
      {"such a page for the events",
       to_get("s", PlayedServer::response(500, "", "Authorization: Bearer very-secret")),
       "Authorization: Bearer …"},
      {"a session's stream that always ends in a turn",
       [](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
         if (!is(request, "session/prompt")) return false;
         socket.send(PlayedServer::response(202, "Connection: close\r\n"));
         server.end_stream("s");
         server.end_stream("s");  // the next one, once it is open
         return true;
       },
       "the session's stream: the server ended the stream"},
      {"a session's stream that breaks in a turn",
       [&](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (request.method == "GET" && request.session() == "s") {
           socket.send(ok + events + "Transfer-Encoding: chunked\r\n\r\n3\r\n:\n\n\r\n");
           prompted.wait("the prompt");
           return true;
         }
         if (!is(request, "session/prompt")) return false;
         socket.send(PlayedServer::response(202));
         prompted.open();
         return true;
       },
       "the session's stream: the server ended the stream"},
      {"a session id that ends a header",
       [](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
         if (!is(request, "session/new")) return false;
         socket.send(PlayedServer::response(202));
         server.say("", PlayedServer::answer(request, R"({"sessionId":"s\r\nX-Evil: 1"})"));
         return true;
       },
       "control characters"},
  };
  for (const Case& one : cases) {
    PlayedServer server(one.hook);
    const std::string said = converse(server.url());
    EXPECT_NE(said.find(one.reason), std::string::npos) << one.name << ": " << said;
    EXPECT_EQ(said.find("very-secret"), std::string::npos) << one.name << ": " << said;
  }
}

// The token, and what was said, are for the server that was named.
TEST_F(HostileServersTest, FollowsNobodyToAnotherHost) {
  std::atomic<int> asked = 0;
  ScriptedServer other([&](RawSocket&) { ++asked; });
  for (const int status : {301, 302, 303, 307, 308}) {
    PlayedServer server([&](PlayedServer&, const RawRequest&, RawSocket& socket) {
      socket.send(PlayedServer::response(status, "Location: " + other.url() + "\r\n"));
      return true;
    });
    const std::string said = converse(server.url());
    EXPECT_NE(said.find("redirected to " + other.url()), std::string::npos) << said;
  }
  EXPECT_EQ(asked, 0);
}

// What other servers do otherwise is no mistake.
TEST_F(HostileServersTest, ToleratesWhatOthersDo) {
  const std::vector<std::pair<const char*, PlayedServer::Hook>> cases = {
      {"an answer on the wrong stream, twice, and one that nobody asked for",
       [](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
         if (!is(request, "session/prompt")) return false;
         socket.send(PlayedServer::response(202, "Connection: close\r\n"));
         const std::string answer = PlayedServer::answer(request, R"({"stopReason":"end_turn"})");
         server.say("", R"({"jsonrpc":"2.0","id":"nobody","result":{"sessionId":"invented"}})");
         server.say("", answer);
         server.say("", answer);
         return true;
       }},
      {"messages that are none, and a group of them",
       [](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
         if (!is(request, "session/prompt")) return false;
         socket.send(PlayedServer::response(202, "Connection: close\r\n"));
         for (const char* const text :
              {"[]", "{", "1", R"([{"jsonrpc":"2.0","id":99,"result":1}])"})
           server.say("s", text);
         server.say("s", PlayedServer::answer(request, R"({"stopReason":"end_turn"})"));
         return true;
       }},
      {"streams that name themselves",
       [](PlayedServer&, const RawRequest& request, RawSocket& socket) {
         if (request.method == "GET")
           socket.send("HTTP/1.1 103 Early Hints\r\nAcp-Connection-Id: c\r\n\r\n");
         return false;
       }},
  };
  for (const auto& [name, hook] : cases) {
    PlayedServer server(hook);
    EXPECT_EQ(converse(server.url()), "end_turn") << name << logged();
  }
  EXPECT_NE(logged().find("what is no message"), std::string::npos);
  // No stream was opened for the session that the server invented.
  EXPECT_EQ(logged().find("invented"), std::string::npos);
}

// A comment at the beginning, and text that only looks like one, promise nothing.
TEST_F(HostileServersTest, WaitsForAServerThatShowsNoSignsOfLife) {
  options.vanish_time = std::chrono::milliseconds(100);
  PlayedServer server([](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "session/prompt")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    const std::string text = update + "\n\n";
    const std::size_t colon = text.find(R"(:"s")");
    server.write("s", "data: " + text.substr(0, colon));
    // The pauses are what is tested: one before the piece that looks like a comment, and then a
    // silence longer than the client's time, which must not count. A slow machine makes them
    // longer.
    std::this_thread::sleep_for(2 * std::chrono::milliseconds(100));
    server.write("s", text.substr(colon));
    std::this_thread::sleep_for(5 * std::chrono::milliseconds(100));
    server.say("s", PlayedServer::answer(request, R"({"stopReason":"end_turn"})"));
    return true;
  });
  EXPECT_EQ(converse(server.url()), "end_turn") << logged();
  EXPECT_EQ(updates, 1);
}

// What a session's stream carries is not lost because the connection's has ended before it.
TEST_F(HostileServersTest, TakesWhatStreamsCarryAfterTheEnd) {
  options.vanish_time = std::chrono::minutes(1);
  for (const bool refuses : {false, true}) {
    updates = 0;
    std::optional<Sent> sent;
    PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
      if (refuses && is(request, "_more")) {
        socket.send(PlayedServer::response(404, "Connection: close\r\n"));
        for (int i = 0; i < 1'000; ++i) server.say("s", update);
        server.say("s", last_answer);
        server.end_stream("s");
        server.end_stream("");
        return true;
      }
      if (!is(request, "session/prompt")) return false;
      socket.send(PlayedServer::response(202, "Connection: close\r\n"));
      last_answer = PlayedServer::answer(request, R"({"stopReason":"end_turn"})");
      server.say("s", update);
      if (refuses) return true;
      server.end_stream("");
      for (int i = 0; i < 1'000; ++i) server.say("s", update);
      server.say("s", last_answer);
      server.end_stream("s");
      return true;
    });
    Client client("test", "1");
    client.on_update([&](const ClientContext& context, const v1::SessionNotification&) {
      if (++updates == 1 && refuses) sent = context.peer().notify("_more", Json::object({}));
    });
    const AgentHandle handle = client.connect(remote::url(server.url(), options)).wait();
    const Session session = handle.new_session("/").wait();
    EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn) << refuses;
    EXPECT_EQ(updates, 1'001) << refuses;
  }
}

// More than the socket pair takes at once.
TEST_F(HostileServersTest, GivesWhatCameBeforeTheConnectionWasLost) {
  options.vanish_time = std::chrono::minutes(1);
  constexpr std::size_t many = 40;
  acp::testing::Gate ended;
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "session/prompt")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    std::string large = update;
    large.replace(large.find("\"x\"") + 1, 1, std::string(50'000, 'x'));
    for (std::size_t i = 0; i < many; ++i) server.say("s", large);
    server.say("s", PlayedServer::answer(request, R"({"stopReason":"end_turn"})"));
    server.end_stream("s");
    server.end_stream("");
    ended.open();
    return true;
  });
  Transport transport = remote::url(server.url(), options);
  const auto link = transport.link;
  acp::testing::RawEnd client(std::move(transport));
  client.initialize();
  client.prompt("9", client.new_session(), "hello");
  ended.wait("the end of the streams");
  std::size_t lines = 0;
  for (std::string line; (line = client.read_line()) != "(end)";) ++lines;
  EXPECT_EQ(lines, many + 1);
  EXPECT_EQ(link->end_reason(), "the server closed the connection");
  client.close();
}

TEST_F(HostileServersTest, OpensAgainWhatAServerEnds) {
  // Each session stream ends with its first event.
  std::atomic<int> opened = 0;
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (request.method == "GET" && request.session() == "s") ++opened;
    if (!is(request, "session/prompt")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    server.say_last("s", PlayedServer::answer(request, R"({"stopReason":"end_turn"})"));
    return true;
  });
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(server.url(), options)).wait();
  const Session session = handle.new_session("/").wait();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn);
  EXPECT_GE(opened, 2);
}

// A prompt may be on its way before the client sees that its stream has ended: an idle stream ends,
// or one that has its messages.
TEST_F(HostileServersTest, KeepsAPromptWhoseStreamEnds) {
  for (const bool in_between : {false, true}) {
    PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
      if (!is(request, "session/prompt")) return false;
      socket.send(PlayedServer::response(202, "Connection: close\r\n"));
      if (in_between) server.say("s", update);
      server.end_stream("s");
      if (in_between) server.say("s", update);
      if (in_between) server.end_stream("s");
      server.say("s", PlayedServer::answer(request, R"({"stopReason":"end_turn"})"));
      return true;
    });
    updates = 0;
    EXPECT_EQ(converse(server.url()), "end_turn") << logged();
    EXPECT_EQ(updates, in_between ? 2 : 0);
  }
}

TEST_F(HostileServersTest, ALoadHasItsReplayBeforeItsAnswer) {
  const auto replay = [](PlayedServer& server, const RawRequest& request, RawSocket& socket,
                         const std::string& stream) {
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    server.say("s", update);
    server.say(stream, PlayedServer::answer(request, "{}"));
    return true;
  };
  for (const std::string stream : {"", "s"}) {  // "s": as the Rust server does
    updates = 0;
    PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
      return is(request, "session/load") && replay(server, request, socket, stream);
    });
    EXPECT_EQ(converse(server.url(), true), "end_turn");
    EXPECT_EQ(updates_before_answer, 1) << stream;
  }
  // One that ends the stream in place of the answer that would make the order.
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (is(request, "_libacp/sync")) {
      socket.send(PlayedServer::response(202, "Connection: close\r\n"));
      server.end_stream("s");
      return true;
    }
    return is(request, "session/load") && replay(server, request, socket, "");
  });
  EXPECT_EQ(converse(server.url(), true), "end_turn");
}

// A connection that is closed while much waits to be sent does not wait for the server.
TEST_F(HostileServersTest, ClosesWhileTheServerTakesNothing) {
  options.answer_time = std::chrono::hours(1);
  acp::testing::Gate asked;
  PlayedServer server([&](PlayedServer&, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "_fill")) return false;
    asked.open();
    socket.read_to_end();
    return true;
  });
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(server.url(), options)).wait();
  const Json text(std::string(512 * 1024, 'x'));
  std::vector<Sent> sent;
  for (int i = 0; i < 60; ++i) sent.push_back(handle.peer().notify("_fill", text));
  asked.wait("the first message");
}

TEST_F(HostileServersTest, WebSocketsEndWithAReason) {
  struct Case {
    const char* name;
    std::string bytes;
    const char* reason;
  };
  const std::string upgraded =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  const std::vector<Case> cases = {
      {"nothing", "", "there is no connection within 300 ms"},
      {"a wrong key", upgraded + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
       "no WebSocket at"},
      {"no key", upgraded + "\r\n", "no WebSocket at"},
      {"a redirect", "HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n", "HTTP 302"},
      {"a page", PlayedServer::response(200, "", "<html>"), "HTTP 200"},
      {"a refusal", PlayedServer::response(401, "", "Who are you"), "HTTP 401 Unauthorized"},
      {"a page that repeats the request",
       PlayedServer::response(403, "", "You sent Authorization: Bearer very-secret"), "HTTP 403"},
      {"no HTTP", "220 mail.example.org ESMTP\r\n", "no WebSocket at"},
      {"headers without end", upgraded + "X: " + std::string(1024 * 1024, 'x'), "no WebSocket at"},
  };
  for (const Case& one : cases) {
    ScriptedServer server([&](RawSocket& socket) {
      read_request(socket);
      socket.send(one.bytes);
      if (one.bytes.empty()) socket.read_to_end();
    });
    const std::string said = converse(server.url("ws"));
    EXPECT_NE(said.find(one.reason), std::string::npos) << one.name << ": " << said;
    EXPECT_EQ(said.find("very-secret"), std::string::npos) << one.name << ": " << said;
  }
}

TEST_F(HostileServersTest, AWebSocketNamesTheProxyThatFailed) {
  ScriptedServer proxy([](RawSocket& socket) {
    read_request(socket);
    socket.send(PlayedServer::response(403));
  });
  const std::string address = "127.0.0.1:" + std::to_string(proxy.port());
  for (const std::string scheme : {"", "http://"}) {
    options.proxy = scheme + address;
    EXPECT_NE(converse("ws://example.org/acp").find("the proxy " + address + " refuses"),
              std::string::npos)
        << scheme;
  }
  for (const std::string scheme : {"socks5", "https"}) {
    options.proxy = scheme + "://somebody:very-secret@" + address;
    const std::string said = converse("ws://example.org/acp");
    EXPECT_NE(said.find("is reached by proxies of http:// alone, not of " + scheme + "://"),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("very-secret"), std::string::npos) << said;
  }
  options.proxy = "http://";
  EXPECT_NE(converse("ws://example.org/acp").find("the proxy's address is invalid"),
            std::string::npos);
}

}  // namespace
}  // namespace acp::remote
