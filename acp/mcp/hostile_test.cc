// Servers that misbehave: what is reported to the user, and that everything else goes on.
#include <gtest/gtest.h>

#include <algorithm>

#include "acp/mcp/client.h"
#include "acp/mcp/testing/test_server.h"
#include "acp/testing/gate.h"

namespace acp::mcp {
namespace {

using acp::testing::Events;
using acp::testing::Gate;
using acp::testing::Within;
using std::chrono::milliseconds;
using namespace testing;  // NOLINT(google-build-using-namespace)

// What went wrong, as the user reads it.
std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "(nothing went wrong)";
}

std::string text_of(const CallToolResult& result) { return v1::text_of(result.content); }

Client client() { return Client("test", "1"); }

TEST(HostileServer, KilledInMidCall) {
  const Within limit("a server that is killed");
  const Server server = client().connect(stdio_server(hostile("killed"))).wait();
  EXPECT_EQ(failure_of([&] { server.call_tool("work", {}).wait(); }),
            "the server was killed by SIGKILL; its last words:\nout of memory, it seems\n");
  EXPECT_FALSE(server.connected());
  EXPECT_EQ(server.end_reason(),
            "the server was killed by SIGKILL; its last words:\nout of memory, it seems\n");
  // Later calls fail at once, for the same reason.
  EXPECT_EQ(failure_of([&] { server.list_tools().wait(); }), server.end_reason());
}

TEST(HostileServer, NeverAnswersInitialize) {
  const Within limit("a server that is silent");
  EXPECT_EQ(failure_of([] {
              client().handshake_time(milliseconds(300)).connect(stdio_server(hostile("silent"))).wait();
            }),
            "handshake: no answer to initialize within 300 ms; the command was: python3 "
            "acp/mcp/testing/hostile_server.py silent\n"
            "The server is alive, but silent: is it an MCP server that speaks on stdio?");
}

TEST(HostileServer, DoesNotStart) {
  const Within limit("servers that do not start");
  EXPECT_EQ(failure_of([] { client().connect(stdio_server({"no-such-server"})).wait(); }),
            "resolve: no-such-server: command not found (No such file or directory); the command "
            "was: no-such-server\nIs it installed, and in the PATH of this program?");
  EXPECT_EQ(failure_of([] {
              client().connect(stdio_server({"sh", "-c", "echo no licence >&2; exit 3"})).wait();
            }),
            "handshake: no answer to initialize; the server exited with code 3; the "
            "command was: sh -c 'echo no licence >&2; exit 3'; its last words:\nno licence\n");
}

TEST(HostileServer, WritesNoiseToStdout) {
  const Within limit("a server that writes noise");
  Events log;
  Client noisy = client();
  noisy.on_log([&](const LogEntry& entry) {
    if (entry.level == LogEntry::Level::warning) log.add(entry.message);
  });
  const Server server = noisy.connect(stdio_server(hostile("noise"))).wait();
  EXPECT_EQ(text_of(server.call_tool("work", {}).wait()), "\"done\"");
  server.close();
  const std::vector<std::string> told = log.list();
  ASSERT_EQ(told.size(), 4u);
  EXPECT_NE(told[0].find("from the server: "), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("Welcome to the server!"), std::string::npos) << told[0];
}

TEST(HostileServer, TwentyMegabytesAreNotTooMuch) {
  const Within limit("a large result");
  const HttpProgram http(hostile("large"));
  for (const v1::McpServer& config :
       {stdio_server(hostile("large")), http_server(http.url("/mcp"))}) {
    const Server server = client().connect(config).wait();
    EXPECT_EQ(text_of(server.call_tool("work", {}).wait()).size(), 20u * 1024 * 1024);
    server.ping().wait();
  }
}

TEST(HostileServer, FortyMegabytesAre) {
  const Within limit("a result that is too large");
  const Server server = client().connect(stdio_server(hostile("too-large"))).wait();
  const std::string why = failure_of([&] { server.call_tool("work", {}).wait(); });
  EXPECT_NE(why.find("33554432"), std::string::npos) << why;
  server.ping().wait();  // it goes on
  const HttpProgram http(hostile("too-large"));
  const Server other = client().connect(http_server(http.url("/mcp"))).wait();
  EXPECT_EQ(failure_of([&] { other.call_tool("work", {}).wait(); }),
            "the server's answer is over the limit of 33554432 bytes");
  other.ping().wait();
}

TEST(HostileServer, FloodsUs) {
  const Within limit("a server that floods");
  std::atomic<int> heard = 0;
  Client listening = client();
  listening.on_log_message([&](ServerContext, LogMessage) { ++heard; });
  const Server server = listening.connect(stdio_server(hostile("flood"))).wait();
  EXPECT_EQ(text_of(server.call_tool("work", {}).wait()), "\"done\"");
  EXPECT_EQ(heard, 100'000);  // all of them, and before the answer
}

TEST(HostileServer, HangsInACall) {
  const Within limit("a server that hangs");
  const Server server = client().connect(stdio_server(hostile("hangs"))).wait();
  CallOptions options;
  options.time = milliseconds(200);
  EXPECT_EQ(failure_of([&] { server.call_tool("work", {}, options).wait(); }),
            "no answer to tools/call within 200 ms");
  EXPECT_EQ(server.list_tools().wait().size(), 1u);
}

TEST(HostileServer, AnswersNonsense) {
  const Within limit("a server that answers nonsense");
  const auto why = [](const std::string& behaviour) {
    const std::string text =
        failure_of([&] { client().connect(stdio_server(hostile(behaviour))).wait(); });
    return text.substr(0, text.find(';'));
  };
  EXPECT_EQ(why("nonsense"),
            "handshake: the answer to initialize is not valid: protocolVersion: expected a string, "
            "got a number");
  EXPECT_EQ(why("old-revision"),
            "handshake: the server speaks revision \"1999-01-01\" of MCP, this client 2025-11-25, "
            "2025-06-18, 2025-03-26, 2024-11-05");
}

TEST(HostileServer, ListsWithoutEnd) {
  const Within limit("pages without end");
  Events log;
  Client told = client();
  told.on_log([&](const LogEntry& entry) { log.add(entry.message); });
  const Server server = told.connect(stdio_server(hostile("endless-pages"))).wait();
  EXPECT_EQ(server.list_tools().wait().size(), 2u);
  const Server odd = told.connect(stdio_server(hostile("odd-tools"))).wait();
  EXPECT_EQ(odd.list_tools().wait().size(), 1u);
  server.close();
  odd.close();
  const auto lines = log.list();
  EXPECT_TRUE(std::count(lines.begin(), lines.end(),
                         "the list of tools was cut off: its pages do not end, or are too large"));
  EXPECT_TRUE(std::count(lines.begin(), lines.end(),
                         "left out of tools: name: expected a string, got a number"));
}

TEST(HostileServer, BatchesOfRevision20250326AreTaken) {
  const Within limit("a batch");
  const Server server = client().connect(stdio_server(hostile("batch"))).wait();
  EXPECT_EQ(server.info().protocolVersion, "2025-03-26");
  EXPECT_EQ(text_of(server.call_tool("work", {}).wait()), "\"done\"");
}

// ---- HTTP

std::string call_failure(const std::string& behaviour) {
  const HttpProgram http(hostile(behaviour));
  return failure_of([&] {
    const Server server = client().connect(http_server(http.url("/mcp"))).wait();
    server.call_tool("work", {}).wait();
  });
}

TEST(HostileHttpServer, ADroppedStreamIsResumedAndTheCallLivesOn) {
  const Within limit("a dropped stream");
  const HttpProgram http(hostile("drops"));
  const Server server = client().connect(http_server(http.url("/mcp"))).wait();
  EXPECT_EQ(text_of(server.call_tool("work", {}).wait()), "\"done\"");
}

TEST(HostileHttpServer, ACallFailsWhenResumptionDoes) {
  const Within limit("dropped streams");
  EXPECT_EQ(call_failure("drops-and-refuses"),
            "the server's stream broke off and could not be resumed: HTTP 405 Method Not Allowed");
  EXPECT_EQ(call_failure("drops-for-good"),
            "the server's stream broke off before the answer came, and has no event to go on from");
}

v1::HttpHeader authorization(const std::string& value) {
  v1::HttpHeader header;
  header.name = "Authorization";
  header.value = value;
  return header;
}

TEST(HostileHttpServer, NoSecretIsInAMessage) {
  const Within limit("a server that repeats a header");
  const HttpProgram http(hostile("repeats"));
  EXPECT_EQ(failure_of([&] {
              client().connect(http_server(http.url("/mcp"), {authorization("Bearer s3cret")})).wait();
            }),
            "handshake: HTTP 403 Forbidden: no, not with …\n"
            "The server wants authorization: give it the header that it expects.");
  EXPECT_EQ(failure_of([&] {
              client().connect(http_server(http.url("/mcp"), {authorization("a\r\nEvil: b")})).wait();
            }),
            "resolve: a header for it holds the end of a line");
}

TEST(HostileHttpServer, RedirectsToAnotherHost) {
  const Within limit("a redirect");
  const HttpProgram http(hostile("redirects"));
  Events log;
  Client told = client();
  told.on_log([&](const LogEntry& entry) {
    if (entry.level == LogEntry::Level::warning) log.add(entry.message);
  });
  const v1::HttpHeader secret = authorization("Bearer s3cret");
  const Server server = told.connect(http_server(http.url("/mcp"), {secret})).wait();
  const std::string headers = text_of(server.call_tool("work", {}).wait());
  // The other host was asked with POST, with its own session, without the header.
  EXPECT_NE(headers.find("the-session"), std::string::npos) << headers;
  EXPECT_EQ(headers.find("s3cret"), std::string::npos) << headers;
  server.close();
  const std::string port = std::to_string(http.port());
  const std::string next = std::to_string(http.port() + 1);
  ASSERT_FALSE(log.list().empty());
  EXPECT_EQ(log.list().front(), "redirected from http://127.0.0.1:" + port +
                                    " to http://localhost:" + next +
                                    ": the headers given for the first are not sent there");
  // Where it does not redirect, the header arrives.
  const HttpProgram plain(hostile("plain"));
  const Server direct = client().connect(http_server(plain.url("/mcp"), {secret})).wait();
  EXPECT_NE(text_of(direct.call_tool("work", {}).wait()).find("s3cret"), std::string::npos);
}

TEST(HostileHttpServer, SaysWhatHttpSays) {
  const Within limit("failures of HTTP");
  EXPECT_EQ(call_failure("redirects-for-ever"),
            "handshake: initialize was answered with -32603 the server gave no answer: redirected "
            "more than 10 times");
  EXPECT_EQ(call_failure("unauthorized"),
            "handshake: HTTP 401 Unauthorized: {\"error\":\"invalid_token\"}\n"
            "The server wants authorization: give it the header that it expects.");
  EXPECT_EQ(call_failure("web-page"),
            "handshake: initialize was answered with -32603 HTTP 200 without an answer to the "
            "request, but with text/html");
  EXPECT_EQ(call_failure("forgets"), "HTTP 404 Not Found: the server no longer knows the session");
  EXPECT_EQ(call_failure("overloaded"), "HTTP 503 Service Unavailable: try again later");
  const std::string nobody = "http://127.0.0.1:" + std::to_string(free_port()) + "/mcp";
  EXPECT_EQ(
      failure_of([&] { client().connect(http_server(nobody)).wait(); }),
      "handshake: cannot reach " + nobody + ": Couldn't connect to server (Connection refused)");
  EXPECT_EQ(
      failure_of([&] { client().connect(sse_server(nobody)).wait(); }),
      "handshake: cannot reach " + nobody + ": Couldn't connect to server (Connection refused)");
  EXPECT_EQ(failure_of([&] { client().connect(http_server("ftp://example.org/")).wait(); }),
            "resolve: its address is no http or https URL: ftp://example.org/");
}

TEST(HostileHttpServer, AnSseEndpointElsewhereIsRefused) {
  const Within limit("an endpoint at another host");
  const HttpProgram http(hostile("endpoint-elsewhere"));
  EXPECT_EQ(failure_of([&] { client().connect(sse_server(http.url("/sse"))).wait(); }),
            "handshake: the server's endpoint is at another host, which is refused: "
            "http://localhost:" +
                std::to_string(http.port() + 1) + "/message");
}

TEST(HostileHttpServer, ATransportThatIsNotSupportedIsSaid) {
  v1::McpServerAcp over_acp;
  over_acp.name = "inside";
  EXPECT_EQ(failure_of([&] { client().connect(over_acp).wait(); }),
            "resolve: MCP over acp is a transport that is not supported");
  Unknown pigeon;
  pigeon.tag = "pigeon";
  EXPECT_EQ(failure_of([&] { client().connect(pigeon).wait(); }),
            "resolve: MCP over pigeon is a transport that is not supported");
}

}  // namespace
}  // namespace acp::mcp
