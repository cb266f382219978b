// What our client over HTTP makes sure of, at servers that are byte by byte what a test says.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <map>
#include <thread>
#include <vector>

#include "acp/agent.h"
#include "acp/remote/server.h"
#include "acp/remote/testing/conversation.h"
#include "acp/testing/gate.h"

namespace acp::remote {
namespace {

using testing::is;
using testing::PlayedServer;
using testing::RawRequest;
using testing::RawSocket;
using testing::ScriptedServer;
using testing::update;

using HttpClientTest = testing::Conversation;

// A long replay takes its time: silence is what is measured.
TEST_F(HttpClientTest, AReplayThatGoesOnIsWaitedFor) {
  options.replay_silence =
      std::chrono::seconds(3);  // long beside the pauses: a slow machine is none
  int sent = 0;
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "_libacp/sync")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    const auto end = std::chrono::steady_clock::now() + 2 * options.replay_silence;
    for (; std::chrono::steady_clock::now() < end; ++sent) {
      server.say("s", update);
      // The server's own pace: the replay must last longer than the silence that would end it.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    server.say("s", PlayedServer::answer(request, "{}"));
    return true;
  });
  EXPECT_EQ(converse(server.url(), true), "end_turn");
  EXPECT_EQ(updates_before_answer, sent);
  EXPECT_EQ(logged(), "");
}

// So does a client that does not read.
TEST_F(HttpClientTest, AReplayThatNobodyReadsIsNotOver) {
  options.replay_silence = std::chrono::seconds(1);
  constexpr int many = 300;
  std::string large = update;
  large.replace(large.find("\"x\"") + 1, 1, std::string(50'000, 'x'));
  acp::testing::Gate asked;
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "_libacp/sync")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    asked.open();
    for (int i = 0; i < many; ++i) server.say("s", large);
    server.say("s", PlayedServer::answer(request, "{}"));
    return true;
  });
  Transport transport = remote::url(server.url(), options);
  const auto link = transport.link;
  acp::testing::RawEnd client(std::move(transport));
  client.initialize();
  client.line(
      acp::testing::request("9", "session/load", R"({"sessionId":"s","cwd":"/","mcpServers":[]})"));
  asked.wait("the answer to the load");
  // The client is slow on purpose, for longer than the silence that would end the replay. Nothing
  // waits for this, and a slow machine only makes it longer.
  std::this_thread::sleep_for(2 * options.replay_silence);
  for (int i = 0; i < many; ++i)
    ASSERT_NE(client.read_line().find("session/update"), std::string::npos);
  EXPECT_NE(client.read_line().find("\"id\":9"), std::string::npos);
  client.close();
}

// Comments are no replay.
TEST_F(HttpClientTest, ALoadDoesNotWaitForEverForAnAgentThatRefusesNothing) {
  options.replay_silence = std::chrono::milliseconds(100);
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (!is(request, "_libacp/sync")) return false;
    socket.send(PlayedServer::response(202));
    char byte;
    while (recv(socket.native(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == -1) {
      server.write("s", ":\n\n");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the server's own pace
    }
    return false;
  });
  EXPECT_EQ(converse(server.url(), true), "end_turn");
  EXPECT_NE(logged().find("does not answer what it does not know"), std::string::npos);
}

// A client that asks, and what it is answered when the server does not take this.
TEST_F(HttpClientTest, AnAnswerThatIsNotTakenIsReplacedOrSentAgain) {
  for (const int status : {413, 500, 503}) {
    std::vector<std::string> answers;
    std::string prompt;
    PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
      if (is(request, "session/prompt")) {
        socket.send(PlayedServer::response(202, "Connection: close\r\n"));
        prompt = PlayedServer::answer(request, R"({"stopReason":"end_turn"})");
        server.say("s", acp::testing::request("77", "fs/read_text_file",
                                              R"({"sessionId":"s","path":"/a"})"));
        return true;
      }
      if (request.method != "POST" || !request.rpc_method().empty()) return false;
      answers.emplace_back(request.body.view()["error"].absent() ? "content" : "error");
      EXPECT_EQ(request.session(), "s");
      EXPECT_EQ(request.body.view()["id"].text(), "77");
      const bool takes = answers.size() > (status == 503 ? 2u : 1u);
      socket.send(
          PlayedServer::response(takes ? 202 : status, "Connection: close\r\nRetry-After: 0\r\n"));
      if (takes) server.say("s", prompt);
      return true;
    });
    Client client("test", "1");
    client.on_read_text_file([](const ClientContext&, const v1::ReadTextFileRequest&) {
      return v1::ReadTextFileResponse{.content = "text"};
    });
    const AgentHandle handle = client.connect(remote::url(server.url(), options)).wait();
    const Session session = handle.new_session("/").wait();
    EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn);
    const std::vector<std::string> taken_later = {"content", "content", "content"};
    const std::vector<std::string> replaced = {"content", "error"};
    EXPECT_EQ(answers, status == 503 ? taken_later : replaced) << status;
  }
}

// The server may have carried out what it did not answer.
TEST_F(HttpClientTest, SendsNothingTwice) {
  std::atomic<int> prompts = 0;
  // The second comes on the socket of the first.
  PlayedServer server([&](PlayedServer&, const RawRequest& request, RawSocket&) {
    return is(request, "session/prompt") && ++prompts > 1;
  });
  Client client("test", "1");
  const AgentHandle handle = client.connect(remote::url(server.url(), options)).wait();
  const Session session = handle.new_session("/").wait();
  session.prompt("first").finish().wait();
  EXPECT_THROW(session.prompt("second").finish().wait(), std::exception);
  EXPECT_EQ(prompts, 2);
}

// Else a client that opens and closes sessions has a stream for each.
TEST_F(HttpClientTest, ASessionThatIsClosedHasNoStream) {
  std::mutex of_streams;
  std::map<std::string, int> opened, ended;
  std::atomic<int> made = 0;
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (request.method == "GET" && !request.session().empty()) {
      const std::string session = request.session();
      socket.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n");
      {
        std::lock_guard lock(of_streams);
        ++opened[session];
      }
      socket.read_to_end();
      std::lock_guard lock(of_streams);
      ++ended[session];
      return true;
    }
    if (is(request, "session/new")) {
      socket.send(PlayedServer::response(202, "Connection: close\r\n"));
      server.say(
          "", PlayedServer::answer(request, R"({"sessionId":"s)" + std::to_string(made++) + "\"}"));
      return true;
    }
    if (!is(request, "session/close") && !is(request, "session/delete")) return false;
    socket.send(PlayedServer::response(202, "Connection: close\r\n"));
    server.say("", PlayedServer::answer(request, "{}"));
    return true;
  });
  Transport transport = remote::url(server.url(), options);
  const auto link = transport.link;
  acp::testing::RawEnd client(std::move(transport));
  client.initialize();
  for (const char* method : {"session/close", "session/delete"}) {
    const std::string session = client.new_session();
    client.line(acp::testing::request("5", method, R"({"sessionId":")" + session + "\"}"));
    client.read_answer("5");
    const auto has_ended = [&] {
      std::lock_guard lock(of_streams);
      return ended[session] == 1 && opened[session] == 1;
    };
    while (!has_ended()) std::this_thread::yield();
  }
  client.close();
}

// The value alone: attributes are for browsers. With those of the caller, in one header.
TEST_F(HttpClientTest, CookiesAreKeptAndSentBack) {
  for (const bool keeps : {true, false}) {
    options.cookies = keeps;
    options.headers = {{"Cookie", "own=1"}};
    std::mutex of_cookies;
    std::vector<std::string> sent;
    PlayedServer server([&](PlayedServer&, const RawRequest& request, RawSocket& socket) {
      EXPECT_EQ(request.head.find("cookie:"), request.head.rfind("cookie:"));
      std::lock_guard lock(of_cookies);
      sent.push_back(request.header("cookie"));
      if (!is(request, "initialize")) return false;
      socket.send(PlayedServer::response(
          200,
          "Content-Type: application/json\r\nAcp-Connection-Id: c\r\nConnection: close\r\n"
          "Set-Cookie: route=b; Path=/; HttpOnly\r\nSet-Cookie: a=x\r\nSet-Cookie: a=y=z\r\n"
          "Set-Cookie: nothing\r\n",
          PlayedServer::answer(request, R"({"protocolVersion":1})")));
      return true;
    });
    EXPECT_EQ(converse(server.url()), "end_turn");
    std::lock_guard lock(of_cookies);
    ASSERT_GT(sent.size(), 3u);
    EXPECT_EQ(sent[0], "own=1");
    for (std::size_t i = 1; i < sent.size(); ++i)
      EXPECT_EQ(sent[i], keeps ? "own=1; a=y=z; route=b" : "own=1");
  }
}

TEST_F(HttpClientTest, AProxyIsAsked) {
  std::atomic<bool> whole_address = true;
  PlayedServer proxy([&](PlayedServer&, const RawRequest& request, RawSocket&) {
    if (request.head.find(" http://agents.invalid/acp http/1.1\r\n") == std::string::npos)
      whole_address = false;
    EXPECT_EQ(request.header("authorization"), "bearer very-secret");
    return false;
  });
  options.proxy = proxy.url().substr(0, proxy.url().rfind('/'));
  EXPECT_EQ(converse("http://agents.invalid/acp"), "end_turn");
  EXPECT_TRUE(whole_address);
}

// By CONNECT: the proxy passes bytes.
TEST_F(HttpClientTest, AWebSocketGoesThroughTheTunnelOfAProxy) {
  Agent agent("test", "1");
  agent.on_prompt([](const Turn&) { return StopReason::end_turn; });
  ServerOptions there;
  there.hosts = {"agents.invalid"};
  Server server(there);
  server.start(agent);
  std::string asked;
  ScriptedServer proxy([&](RawSocket& client) {
    asked = client.read_until("\r\n\r\n");
    RawSocket target(server.port());
    client.send("HTTP/1.1 200 Connection established\r\n\r\n");
    pollfd both[] = {{client.native(), POLLIN, 0}, {target.native(), POLLIN, 0}};
    while (poll(both, 2, -1) > 0)
      for (const int from : {0, 1}) {
        if (both[from].revents == 0) continue;
        char bytes[4096];
        const ssize_t size = recv(both[from].fd, bytes, sizeof bytes, 0);
        if (size <= 0 ||
            send(both[1 - from].fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL) != size)
          return;
      }
  });
  options.proxy = "http://me:pass@127.0.0.1:" + std::to_string(proxy.port());
  EXPECT_EQ(converse("ws://agents.invalid/acp"), "end_turn");
  EXPECT_TRUE(asked.starts_with("CONNECT agents.invalid:80 HTTP/1.1\r\n")) << asked;
  EXPECT_NE(asked.find("Proxy-Authorization: Basic bWU6cGFzcw==\r\n"), std::string::npos) << asked;
}

// A server may hold a request back until it has an answer.
TEST_F(HttpClientTest, AnAnswerDoesNotWaitForARequest) {
  options.answer_time = std::chrono::minutes(2);
  acp::testing::Gate held, answered;
  std::string prompt;
  PlayedServer server([&](PlayedServer& server, const RawRequest& request, RawSocket& socket) {
    if (is(request, "_held")) {
      held.open();
      answered.wait("the answer");
      return false;
    }
    if (is(request, "session/prompt")) {
      socket.send(PlayedServer::response(202, "Connection: close\r\n"));
      prompt = PlayedServer::answer(request, R"({"stopReason":"end_turn"})");
      server.say("s", acp::testing::request("77", "fs/read_text_file",
                                            R"({"sessionId":"s","path":"/a"})"));
      return true;
    }
    if (request.method == "POST" && request.rpc_method().empty()) {
      answered.open();
      server.say("s", prompt);
    }
    return false;
  });
  Client client("test", "1");
  std::vector<Sent> sent;
  client.on_read_text_file([&](const ClientContext& context, const v1::ReadTextFileRequest&) {
    sent.push_back(context.peer().notify("_held", Json::object({})));
    held.wait("the request that is held back");
    return v1::ReadTextFileResponse{.content = "text"};
  });
  const AgentHandle handle = client.connect(remote::url(server.url(), options)).wait();
  const Session session = handle.new_session("/").wait();
  EXPECT_EQ(session.prompt("hello").finish().wait().stopReason, StopReason::end_turn);
}

}  // namespace
}  // namespace acp::remote
