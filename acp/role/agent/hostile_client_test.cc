// Clients, and programs that take our agent for a pipe, that break every rule: bytes cut anywhere,
// noise, messages without measure, readers that stall, ends that come at any moment. Nothing hangs,
// leaks or crashes, and what can go on goes on.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <regex>
#include <thread>

#include "acp/io/process/process.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::size_t mebibyte = 1024 * 1024;

const std::string hello = request("1", "initialize", "{\"protocolVersion\":1}");
const std::string open_session = request("2", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}");

// An agent that does everything an agent may ask of its client in one turn.
Agent busy_agent() {
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    if (turn.text().size() > 100) {
      co_await turn.say(std::to_string(turn.text().size()));
      co_return StopReason::end_turn;
    }
    co_await turn.say("begin");
    const ToolCall call = turn.tool_call("Working", ToolKind::execute);
    const Permission permission = co_await call.ask_permission();
    co_await call.start();
    co_await turn.say(co_await turn.read_file("/a"));
    co_await turn.write_file("/b", "text");
    const CommandResult result = co_await turn.run_command("true");
    co_await call.complete(result.output);
    co_await turn.say("end");
    co_return permission.allowed ? StopReason::end_turn : StopReason::refusal;
  });
  agent.on_request("_echo", [](Context, Json params) -> Task<Json> { co_return params; });
  return agent;
}
const char* const all_capabilities =
    "{\"fs\":{\"readTextFile\":true,\"writeTextFile\":true},\"terminal\":true}";

// What a client answers to the busy agent; empty for what is no request.
std::string answer_to(const Json& message) {
  const std::string method = message["method"].as_string().value_or("");
  if (message["id"].absent() || method.empty()) return {};
  if (method == "session/request_permission")
    return "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":" +
           std::string(message["params"]["options"][0]["optionId"].text()) + "}}";
  if (method == "fs/read_text_file") return "{\"content\":\"content\"}";
  if (method == "terminal/create") return "{\"terminalId\":\"t\"}";
  if (method == "terminal/output") return "{\"output\":\"out\",\"truncated\":false}";
  if (method == "terminal/wait_for_exit") return "{\"exitCode\":0}";
  return "{}";
}

void ping(Served& served) {
  served.raw.line(request("\"ping\"", "_echo", "{\"a\":1}"));
  EXPECT_EQ(served.raw.read_answer("\"ping\"")["result"].text(), "{\"a\":1}");
}

// A result that is written as most are is decoded before it is checked. Nobody may see a
// difference: a space before the message makes it go the careful way.
TEST(HostileClient, WhatLooksLikeAResultIsReadAsCarefully) {
  const Within limit("answers that look alike");
  const auto outcome_of = [](const std::string& brace, const std::string& after_id) {
    Agent agent("test", "1");
    agent.on_prompt([](Turn turn) -> Task<StopReason> {
      std::string told;
      try {
        told = "read " + co_await turn.read_file("/a");
      } catch (const Error& error) {
        told = std::string("failed ") + error.what();
      }
      co_await turn.say(told);
      co_return StopReason::end_turn;
    });
    Served served(agent);
    served.raw.initialize(all_capabilities);
    served.raw.prompt("9", served.raw.new_session(), "go");
    const std::string id(served.raw.read_call("fs/read_text_file")["id"].text());
    served.raw.line(brace + "\"jsonrpc\":\"2.0\",\"id\":" + id + after_id);
    // In case that was nothing.
    served.raw.line("{\"id\":" + id + ",\"jsonrpc\":\"2.0\",\"result\":{\"content\":\"later\"}}");
    std::string outcome;
    served.raw.read_answer("9");
    for (const std::string& line : served.raw.seen())
      if (line.find("\"fs/read_text_file\"") == line.npos &&
          line.find("\"sessionId\":") != line.npos && line.find("\"id\":2") == line.npos)
        outcome += std::string(JsonView::of_valid(line)["params"]["update"].text()) + "\n";
      else if (line.find("\"error\"") != line.npos)
        outcome += line + "\n";
    // All but the place, which is another one.
    return std::regex_replace(outcome, std::regex(" at byte [0-9]+"), "");
  };
  // As the result's member `x`.
  const auto nested = [](std::size_t depth) {
    return ",\"result\":{\"content\":\"a\",\"x\":" + std::string(depth, '[') +
           std::string(depth, ']') + "}}";
  };
  const std::vector<std::pair<std::string, std::string>> answers = {
      {",\"result\":{\"content\":\"a\"}}", "read a"},
      {",\"result\": {\"content\" : \"a\"} }", "read a"},
      {nested(60), "read a"},
      {nested(64), "read a"},
      {nested(510), "read a"},
      {nested(511), "failed"},
      {",\"result\":{\"content\":\"a\"},\"result\":{\"content\":\"b\"}}", ""},
      {",\"result\":{\"content\":\"a\"},\"error\":{\"code\":1,\"message\":\"b\"}}", ""},
      {",\"result\":{\"content\":\"a\"},\"id\":77}", ""},
      {",\"result\":{\"content\":\"a\"},\"method\":\"_x\"}", ""},
      {",\"result\":{\"content\":\"a\"},\"x\":1}", "read a"},
      {",\"result\":{\"content\":\"a\"}}}", ""},
      {",\"result\":{\"content\":\"a\"", ""},
      {",\"result\":{\"content\":\"a\xFF\"}}", ""},
      {",\"result\":{\"content\":\"\\x\"}}", ""},
      {",\"result\":{\"content\":7}}", "failed"},
      {",\"result\":{}}", "failed"},
      {",\"result\":null}", "failed"},
      {",\"result\":}", ""},
      {".0,\"result\":{\"content\":\"a\"}}", ""},
      {"0,\"result\":{\"content\":\"a\"}}", ""},
      {",\"result\":{\"content\":\"a\",\"content\":\"b\"}}", "read b"},
  };
  for (const auto& [answer, told] : answers) {
    const std::string quick = outcome_of("{", answer);
    EXPECT_EQ(quick, outcome_of("{ ", answer)) << answer;
    EXPECT_NE(quick.find(told), quick.npos) << answer << ": " << quick;
  }
}

TEST(HostileClient, InputIsCutAtEveryByte) {
  const Within limit("input cut in two at every byte");
  const std::string input = "\xEF\xBB\xBF\r\n\n" + hello + "\r\n\r\n  \n" + open_session + "\n" +
                            request("3", "_echo", "{\"text\":\"\\u00e4\xC3\xA4\"}") + "\n";
  for (std::size_t cut = 0; cut <= input.size(); ++cut) {
    auto [left, right] = memory_pair();
    RawEnd raw(std::move(left));
    Agent agent = busy_agent();
    AgentConnection served = agent.attach(std::move(right));
    raw.send(input.substr(0, cut));
    served.dispatch();
    raw.send(input.substr(cut));
    for (int i = 0; i < 3; ++i) served.dispatch();
    EXPECT_EQ(raw.read()["id"].text(), "1") << cut;
    EXPECT_TRUE(raw.read()["result"]["sessionId"].is_string()) << cut;
    EXPECT_EQ(raw.read()["result"]["text"].as_string(), "\xC3\xA4\xC3\xA4") << cut;
  }
  // And byte by byte.
  auto [left, right] = memory_pair();
  RawEnd raw(std::move(left));
  Agent agent = busy_agent();
  AgentConnection served = agent.attach(std::move(right));
  for (const char byte : input) {
    raw.send({&byte, 1});
    served.dispatch();
  }
  served.dispatch();
  for (const char* id : {"1", "2", "3"}) EXPECT_EQ(raw.read()["id"].text(), id);
}

TEST(HostileClient, NoiseIsAnsweredAndPassedOver) {
  const Within limit("noise between messages");
  Served served(busy_agent());
  RawEnd& raw = served.raw;
  raw.send("Debugger listening\n{\"half\":\n" + hello + "\n\x1b[31mred\x1b[0m\n");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32700);
  EXPECT_EQ(raw.read()["id"].text(), "1");
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32700);
  raw.line("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"_echo\",\"params\":{\"a\":\"\xFF\xFE\"}}");
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32700);
  raw.line("42");
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32600);
  raw.line(std::string("{\"jsonrpc\":\"2.0\",\0}", 19));
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32700);
  ping(served);
}

TEST(HostileClient, LargeMessages) {
  const Within limit("messages of 31 and 33 MiB");
  Served served(busy_agent());
  RawEnd& raw = served.raw;
  raw.initialize();
  const std::string session = raw.new_session();
  raw.prompt("5", session, std::string(31 * mebibyte, 'x'));
  EXPECT_EQ(raw.read()["params"]["update"]["content"]["text"].as_string(),
            std::to_string(31 * mebibyte));
  EXPECT_EQ(raw.read()["id"].text(), "5");
  raw.prompt("6", session, std::string(33 * mebibyte, 'x'));
  const Json refused = raw.read();
  EXPECT_EQ(refused["id"].text(), "6");
  EXPECT_EQ(refused["error"]["code"].as_int64(), -32600);
  EXPECT_NE(
      refused["error"]["message"].as_string().value_or("").find(std::to_string(32 * mebibyte)),
      std::string::npos);
  ping(served);
}

TEST(HostileClient, DeepNesting) {
  const Within limit("200,000 levels");
  Served served(busy_agent());
  RawEnd& raw = served.raw;
  raw.initialize();
  const std::string deep(200'000, '['), up(200'000, ']');
  raw.line(request("5", "_echo", deep + up));
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32600);
  raw.line(request("6", "_echo", deep));
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32600);
  raw.line(deep);
  EXPECT_TRUE(raw.read()["error"]["code"].is_number());
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"_meta\":";
  raw.line(request("7", "_echo", objects + "1" + std::string(200'000, '}')));
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32600);
  ping(served);
}

TEST(HostileClient, IdsInUseAndAnswersToNothing) {
  const Within limit("ids that are used twice");
  Agent agent = busy_agent();
  Gate begun, go_on;
  agent.on_request("_hold", [&](Context, Json) {
    begun.open();
    go_on.wait("the second request of the id");
    return Json("held");
  });
  Served served(std::move(agent));
  RawEnd& raw = served.raw;
  raw.initialize();
  raw.line(request("5", "_hold"));
  ASSERT_TRUE(begun.wait("the first request of the id"));
  raw.line(request("5", "_hold"));
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32600);
  for (const char* answer :
       {"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"m\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":99999999999999999999,\"result\":null}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":77}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":[]}"})
    raw.line(answer);
  go_on.open();
  const Json held = raw.read();
  EXPECT_EQ(held["result"].as_string(), "held") << held.text();
  ping(served);
}

TEST(HostileClient, AHalfClosedClientStillGetsItsAnswers) {
  const Within limit("answers after the end of input");
  Agent agent("test", "1");
  Gate ended, begun;
  agent.on_log([&](const LogEntry& entry) {
    if (entry.message.find("closed the connection") != std::string::npos) ended.open();
  });
  agent.on_prompt([&](Turn turn) {
    begun.open();
    ended.wait("the end of input");
    turn.say("still there").wait();
    return StopReason::end_turn;
  });
  Served served(std::move(agent));
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  ASSERT_TRUE(begun.wait("the turn begins"));
  served.raw.shut_output();
  EXPECT_EQ(served.raw.read()["params"]["update"]["content"]["text"].as_string(), "still there");
  EXPECT_EQ(served.raw.read()["result"]["stopReason"].as_string(), "end_turn");
  EXPECT_TRUE(served.raw.read_to_end());
  EXPECT_TRUE(served.connection.wait());
}

TEST(HostileClient, AReaderThatStallsFillsNoMemory) {
  const Within limit("a producer whose client does not read");
  constexpr std::size_t chunk = 100'000, total = 1'000'000'000;
  std::atomic<std::size_t> produced = 0;
  std::atomic<int> notes = 0;
  Gate stopped;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    const std::string text(chunk, 'x');
    try {
      while (produced < total) {
        co_await turn.say(text);
        produced += chunk;
      }
    } catch (const ConnectionClosed&) {
      stopped.open();
      throw;
    }
    co_return StopReason::end_turn;
  });
  agent.on_notification("_note", [&](Context, Json) -> Task<void> {
    ++notes;
    co_return;
  });
  Served served(std::move(agent));
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  const long before = memory_of("VmRSS");
  served.raw.prompt("5", session, "go");
  // Handlers run where the producer runs: each of these gives it the chance to go on.
  for (int i = 1; i <= 500; ++i) {
    served.raw.line("{\"jsonrpc\":\"2.0\",\"method\":\"_note\",\"params\":{}}");
    while (notes < i) std::this_thread::yield();
  }
  EXPECT_LT(produced, 64 * mebibyte);
  EXPECT_LT(memory_of("VmRSS") - before, 64 * 1024) << "kilobytes";
  served.raw.close();
  ASSERT_TRUE(stopped.wait("the producer hears of the end"));
  EXPECT_TRUE(served.connection.wait());
}

// Asking without ever reading the answers.
TEST(HostileClient, RequestsWhoseAnswersNobodyReadsFillNoMemory) {
  const Within limit("a client that asks and does not read");
  Served served(busy_agent());
  served.raw.initialize();
  const long before = memory_of("VmRSS");
  const std::string small = "{\"x\":\"" + std::string(1000, 'x') + "\"}";
  const std::string large = "{\"x\":\"" + std::string(100'000, 'x') + "\"}";
  std::size_t sent = 0;
  int asked = 100;
  // Until nothing more is taken: the agent has stopped reading.
  while (sent < 1'000'000'000) {
    // Each with an id of its own: one that is in use would be refused, which is a short answer.
    const bool unknown = ++asked % 3 == 0;
    const std::string next =
        request(std::to_string(asked), unknown ? "no/such" : "_echo", unknown ? small : large) +
        "\n";
    pollfd set{served.raw.descriptor(), POLLOUT, 0};
    if (poll(&set, 1, 1000) == 0) break;
    const ssize_t size =
        ::send(served.raw.descriptor(), next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size > 0 && static_cast<std::size_t>(size) < next.size()) {
      sent += next.size();
      std::string_view rest = std::string_view(next).substr(static_cast<std::size_t>(size));
      bool stuck = false;
      while (!rest.empty() && !stuck) {
        stuck = poll(&set, 1, 1000) == 0;
        const ssize_t more =
            ::send(served.raw.descriptor(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (more > 0) rest.remove_prefix(static_cast<std::size_t>(more));
      }
      if (stuck) break;
    } else if (size > 0) {
      sent += next.size();
    }
  }
  EXPECT_LT(sent, 200'000'000u);
  EXPECT_LT(memory_of("VmRSS") - before, 200 * 1024) << "kilobytes";
  served.raw.close();
  EXPECT_TRUE(served.connection.wait());
}

TEST(HostileClient, TheClientGoesAtEveryMessageOfATurn) {
  int last = 0;
  for (const bool half : {false, true}) {
    for (int messages = 1; messages < 100; ++messages) {
      const Within limit("the end of a connection whose client went at message " +
                         std::to_string(messages));
      Served served(busy_agent());
      RawEnd& raw = served.raw;
      raw.line(request(
          "1", "initialize",
          "{\"protocolVersion\":1,\"clientCapabilities\":" + std::string(all_capabilities) + "}"));
      const int seen = [&] {
        int count = 0;
        while (count != messages) {
          const std::string line = raw.read_line();
          if (line == "(end)" || line == "(nothing)") return -1;
          const Json message = Json::parse(line).value();
          ++count;
          const bool is_answer = message["method"].absent();
          if (is_answer && message["id"].text() == "1") raw.line(open_session);
          if (is_answer && message["id"].text() == "2")
            raw.prompt("3", message["result"]["sessionId"].as_string().value_or(""), "go");
          const std::string answer = answer_to(message);
          if (!answer.empty() && count != messages) raw.answer(message, answer);
          if (is_answer && message["id"].text() == "3") break;
        }
        return count;
      }();
      ASSERT_GT(seen, 0);
      half ? raw.shut_output() : raw.close();
      if (half) {
        EXPECT_TRUE(raw.read_to_end());
      }
      EXPECT_TRUE(served.connection.wait()) << "a handler was left behind at message " << messages;
      last = seen;
      if (seen < messages) break;
    }
  }
  EXPECT_GT(last, 15);
}

// ---- our agent as a process

struct EchoAgent {
  EchoAgent() {
    signal(SIGPIPE, SIG_IGN);  // of this test's own writes
    io::ProcessOptions options;
    options.argv = {ECHO_AGENT};
    auto started = io::Process::start(options);
    EXPECT_TRUE(started.ok());
    if (!started.ok()) return;
    process = std::move(*started);
    raw = RawEnd(Transport{process.take_stdout(), process.take_stdin()});
  }
  // How it ended; "alive" when patience is over.
  std::string end() {
    for (;;) {
      if (const auto status = process.poll_exit()) return status->describe();
      pollfd set{process.exit_descriptor(), POLLIN, 0};
      if (poll(&set, 1, patience) == 0) return "alive";
    }
  }
  io::Process process;
  RawEnd raw;
};

TEST(HostileProcess, NoiseLimitsAndAHalfClosedPipe) {
  const Within limit("echo_agent and a client without manners");
  EchoAgent agent;
  RawEnd& raw = agent.raw;
  raw.send("\xEF\xBB\xBF\r\nnoise\r\n");
  EXPECT_EQ(raw.read()["error"]["code"].as_int64(), -32700);
  raw.initialize();
  const std::string session = raw.new_session();
  raw.line(std::string(200'000, '['));
  EXPECT_TRUE(raw.read_answer("null")["error"]["code"].is_number());
  raw.prompt("5", session, std::string(33 * mebibyte, 'x'));
  EXPECT_EQ(raw.read_answer("5")["error"]["code"].as_int64(), -32600);
  raw.prompt("6", session, "say " + std::string(mebibyte, 'y'));
  EXPECT_EQ(raw.read_answer("6")["result"]["stopReason"].as_string(), "end_turn");
  raw.prompt("7", session, "say goodbye");
  raw.shut_output();
  EXPECT_EQ(raw.read_answer("7")["result"]["stopReason"].as_string(), "end_turn");
  EXPECT_TRUE(raw.read_to_end());
  EXPECT_EQ(agent.end(), "exited with code 0");
}

TEST(HostileProcess, AReaderThatStallsFillsNoMemory) {
  const Within limit("echo_agent and a client that does not read");
  EchoAgent agent;
  agent.raw.initialize();
  const std::string session = agent.raw.new_session();
  agent.raw.prompt("5", session, "stream 100000000");
  std::size_t read = 0;
  while (read < 32 * mebibyte) {
    const std::string line = agent.raw.read_line();
    ASSERT_FALSE(line == "(end)" || line == "(nothing)") << line;
    read += line.size();
  }
  const bool sanitized = std::string(ECHO_AGENT).find("san/") != std::string::npos;
  EXPECT_LT(memory_of("VmHWM", agent.process.id()), sanitized ? 640 * 1024 : 64 * 1024)
      << "kilobytes";
  agent.raw.close();
  EXPECT_EQ(agent.end(), "exited with code 0");
}

TEST(Hostile, NoDescriptorIsLeftBehind) {
  const Within limit("the descriptors of many connections");
  const auto once = [] {
    Served served(busy_agent());
    served.raw.initialize();
    served.raw.close();
    served.connection.wait();
  };
  once();
  const int before = open_descriptors();
  for (int i = 0; i < 100; ++i) once();
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace acp
