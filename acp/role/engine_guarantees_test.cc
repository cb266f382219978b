// What docs/architecture.md promises of the engine, checked with both roles. What is tested
// elsewhere is listed only:
// clang-format off
//   P1  order                     Order.* (rpc/engine_test.cc), Schedule.* (order_test.cc), EngineGuarantee.P1_*
//   P2  after_response            Order.WhatFollowsAnAnswerFollowsItOnTheWire, EngineGuarantee.P2_*
//   P3  nothing after the answer  EngineGuarantee.P3_*, Schedule.*
//   P4  the reader never waits    EngineGuarantee.P4_*
//   P5  exactly one answer        Engine.WhatIsMalformedIsAnswered…, EngineGuarantee.P5_*
//   P6  limits                    Engine.LimitsEndInNamedErrors, HostileClient.* (hostile_client_test.cc)
//   P7  bytes and descriptors     EngineGuarantee.P7_*, HostileClient.*, ProcessDescriptors.* (io/process/process_test.cc)
//   P8  framing                   Framing.* (rpc/framing_test.cc), EngineGuarantee.P8_*
// clang-format on
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/io/lead.h"
#include "acp/testing/agents.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

using Strings = std::vector<std::string>;

std::string text_of(const SessionUpdate& update) {
  const auto* chunk = std::get_if<v1::AgentMessageChunk>(&update);
  return chunk ? std::get<v1::TextContent>(chunk->content).text : "(no text)";
}

std::string cancel_of(const std::string& session) {
  return "{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"" +
         session + "\"}}";
}

// ---- order

TEST(EngineGuarantee, P1_AnAnswerWaitsForTheHandlersOfEarlierUpdates) {
  const Within limit("a prompt with slow handlers of updates");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    for (const char* text : {"1", "2", "3"}) end.say("s", text);
    end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
    // What the handlers ask for comes after the prompt's answer.
    for (int i = 0; i < 3; ++i) end.answer(end.read_call("_slow"), "{}");
    end.read_to_end();
  });
  Events events;
  Client client("test", "1");
  client.on_update([&](ClientContext context, v1::SessionNotification update) -> Task<void> {
    const std::string text = text_of(update.update);
    events.add("begin " + text);
    co_await context.peer().request("_slow", Json::object());
    events.add("end " + text);
  });
  {
    const AgentHandle remote = client.connect(std::move(ours)).wait();
    const Session session = remote.new_session("/").wait();
    Prompt prompt = session.prompt("go");
    prompt.finish().wait();
    events.add("answer");
  }
  EXPECT_EQ(events.list(),
            (Strings{"begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "answer"}));
}

TEST(EngineGuarantee, P1_NestedRequestsDoNotDeadlock) {
  const Within limit("requests within requests");
  for (const bool plain : {false, true}) {
    static constexpr int depth = 20;
    Agent agent("test", "1");
    const auto ask = [](Json params) {
      return Json::object({{"left", *params["left"].as_int64() - 1}});
    };
    if (plain) {
      agent.on_prompt([](Turn turn) {
        return turn.peer().request("_nest", Json::object({{"left", depth}})).wait().text() ==
                       "\"done\""
                   ? StopReason::end_turn
                   : StopReason::refusal;
      });
      agent.on_request("_nest", [ask](Context context, Json params) {
        if (params["left"].as_int64() == 0) return Json("done");
        return context.peer().request("_nest", ask(params)).wait();
      });
    } else {
      agent.on_prompt([](Turn turn) -> Task<StopReason> {
        const Json params = Json::object({{"left", depth}});
        const Json answer = co_await turn.peer().request("_nest", params);
        co_return answer.text() == "\"done\"" ? StopReason::end_turn : StopReason::refusal;
      });
      agent.on_request("_nest", [ask](Context context, Json params) -> Task<Json> {
        if (params["left"].as_int64() == 0) co_return Json("done");
        const Json less = ask(params);
        co_return co_await context.peer().request("_nest", less);
      });
    }
    Client client("test", "1");
    if (plain)
      client.on_request("_nest", [ask](ClientContext context, Json params) {
        if (params["left"].as_int64() == 0) return Json("done");
        return context.peer().request("_nest", ask(params)).wait();
      });
    else
      client.on_request("_nest", [ask](ClientContext context, Json params) -> Task<Json> {
        if (params["left"].as_int64() == 0) co_return Json("done");
        const Json less = ask(params);
        co_return co_await context.peer().request("_nest", less);
      });
    auto [left, right] = memory_pair();
    AgentConnection served = agent.start(std::move(right));
    const AgentHandle remote = client.connect(std::move(left)).wait();
    const Session session = remote.new_session("/").wait();
    EXPECT_EQ(session.prompt("go").finish().wait().stopReason, StopReason::end_turn) << plain;
    remote.close();
  }
}

// ---- what follows an answer

// A connection is quiet after this time without a message: its threads stop watching each other.
// The tests below are about that state, so the time has to pass; nothing reports that it has. It is
// no wait for a result: if it is too short on a slow machine, a test shows less, and still passes.
void let_the_connection_become_quiet() {
  std::this_thread::sleep_for(2 * io::Lead::quiet_ticks * io::Lead::tick);
}

// On a busy machine, a thread that has its answer may not run for so long that the connection
// becomes quiet: the reading thread must not rely on it then.
TEST(EngineGuarantee, P1_ThreadsThatWaitSideBySideAllGetTheirAnswers) {
  const Within limit("threads that wait for answers, side by side");
  constexpr int threads = 3, rounds = 60;
  Agent agent("test", "1");
  agent.on_prompt([](const Turn& turn) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::thread> waiting;
      for (int i = 0; i < threads; ++i)
        waiting.emplace_back([&turn, i] { turn.read_file("/" + std::to_string(i)).wait(); });
      for (std::thread& one : waiting) one.join();
    }
    return StopReason::end_turn;
  });
  auto [ours, theirs] = memory_pair();
  const AgentConnection served = agent.start(std::move(theirs));
  Client client("test", "1");
  client.on_read_text_file(blocking([](ClientContext, const v1::ReadTextFileRequest& request) {
    // The last answer comes when the others are delivered and the connection is quiet.
    if (request.path == "/2") let_the_connection_become_quiet();
    return v1::ReadTextFileResponse();
  }));
  auto remote = client.connect(std::move(ours)).wait();
  auto session = remote.new_session("/").wait();
  std::vector<std::jthread> busy;
  for (unsigned i = 0; i < 6 * std::thread::hardware_concurrency(); ++i)
    busy.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) continue;
    });
  EXPECT_EQ(session.prompt("go").finish().wait().stopReason, StopReason::end_turn);
}

TEST(EngineGuarantee, P2_WhatIsToFollowAnAnswerFollowsIt) {
  for (const bool plain : {false, true}) {
    const Within limit("what follows the answer to session/new");
    Agent agent = silent_agent();
    agent.commands({AvailableCommand()});
    const auto follow = [](const SessionContext& session) {
      session.after_response([later = session.background()] { (void)later.say("later"); });
    };
    if (plain)
      agent.on_new_session([=](SessionContext session, v1::NewSessionRequest) { follow(session); });
    else
      agent.on_new_session([=](SessionContext session, v1::NewSessionRequest) -> Task<void> {
        follow(session);
        co_return;
      });
    Served served(agent);
    served.raw.initialize();
    for (int i = 0; i < 20; ++i) {
      const std::string id = std::to_string(i);
      served.raw.line(
          request(std::to_string(i), "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}"));
      std::set<std::string> followed;
      const Json answer = served.raw.read();
      EXPECT_EQ(answer["id"].text(), id) << answer.text();
      for (int update = 0; update < 2; ++update) {
        const Json message = served.raw.read();
        EXPECT_EQ(message["params"]["sessionId"], answer["result"]["sessionId"]);
        followed.insert(
            message["params"]["update"]["sessionUpdate"].as_string().value_or(message.text()));
      }
      EXPECT_EQ(followed,
                (std::set<std::string>{"agent_message_chunk", "available_commands_update"}));
    }
  }
}

TEST(EngineGuarantee, P2_NothingIsSentForASessionThatIsClosed) {
  for (const std::string method : {"session/close", "session/delete"}) {
    const Within limit("an update for a session after " + method);
    Agent agent = silent_agent();
    std::optional<SessionContext> kept;
    agent.on_new_session([&](SessionContext session, v1::NewSessionRequest) -> Task<void> {
      kept = session.background();
      co_return;
    });
    agent.on_delete_session([](Context, v1::DeleteSessionRequest) -> Task<void> { co_return; });
    Served served(agent);
    served.raw.initialize();
    const std::string closed = served.raw.new_session();
    const SessionContext background = *kept;
    background.say("open").wait();
    EXPECT_EQ(served.raw.read()["method"].as_string(), "session/update");
    served.raw.line(request("7", method, "{\"sessionId\":\"" + closed + "\"}"));
    EXPECT_EQ(served.raw.read()["id"].text(), "7");

    EXPECT_THROW(background.say("closed").wait(), Refused);
    EXPECT_THROW(background.tool_call("Closed", ToolKind::edit).start().wait(), Refused);
    // Another session is not affected, and what it sends is the next that comes.
    const std::string open = served.raw.new_session();
    kept->say("open").wait();
    EXPECT_EQ(served.raw.read()["params"]["sessionId"].as_string(), open);
    kept.reset();
  }
}

// The program's main thread waits for the end, as run() does, and all others are asleep.
TEST(EngineGuarantee, P2_WhatFollowsAnAnswerIsSentWhileAThreadWaitsForTheEnd) {
  const Within limit("what another thread sends after an answer, with a thread in wait()");
  Agent agent = silent_agent();
  std::optional<SessionContext> kept;
  agent.on_new_session([&](SessionContext session, v1::NewSessionRequest) -> Task<void> {
    kept = session;
    co_return;
  });
  Served served(agent);
  std::thread waiting([&] { served.connection.wait(); });
  served.raw.initialize();
  for (int i = 0; i < 10; ++i) {
    served.raw.new_session();
    let_the_connection_become_quiet();
    kept->after_response([later = kept->background()] { (void)later.say("later"); });
    EXPECT_EQ(served.raw.read()["method"].as_string(), "session/update");
  }
  kept.reset();
  served.raw.close();
  waiting.join();
}

TEST(EngineGuarantee, P2_UpdatesOfASessionThatIsNotKnownYetAreKept) {
  const Within limit("a session whose updates come before its id");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.answer(end.read_call("initialize"), "{\"protocolVersion\":1}");
    const Json open = end.read_call("session/new");
    end.say("s", "before");
    end.send("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(open["id"].text()) +
             ",\"result\":{\"sessionId\":\"s\"}}\n");
    end.say("s", "after");
    end.answer(end.read_call("_sync"), "{}");
    end.read_to_end();
  });
  Client client("test", "1");
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  remote.peer().request("_sync", Json::object()).wait();
  Strings texts;
  for (const SessionUpdate& update : session.take_updates()) texts.push_back(text_of(update));
  EXPECT_EQ(texts, (Strings{"before", "after"}));
  remote.close();
}

// What an agent asks for right after the answer that tells the session's id.
TEST(EngineGuarantee, P2_RequestsOfASessionThatIsJustBeingOpenedAreServed) {
  const Within limit("a request right after session/new's answer");
  for (int round = 0; round < 50; ++round) {
    auto [ours, theirs] = memory_pair();
    std::string outcome;
    Script agent(std::move(theirs), [&](RawEnd& end) {
      end.answer(end.read_call("initialize"), "{\"protocolVersion\":1}");
      const Json open = end.read_call("session/new");
      end.send("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(open["id"].text()) +
               ",\"result\":{\"sessionId\":\"s\"}}\n" +
               request("7", "fs/read_text_file", "{\"sessionId\":\"s\",\"path\":\"/a\"}") + "\n");
      outcome = end.read_answer("7").text();
      end.read_to_end();
    });
    Client client("test", "1");
    client.on_read_text_file(
        [](ClientContext, v1::ReadTextFileRequest) -> Task<v1::ReadTextFileResponse> {
          v1::ReadTextFileResponse response;
          response.content = "content";
          co_return response;
        });
    const AgentHandle remote = client.connect(std::move(ours)).wait();
    const Session session = remote.new_session("/").wait();
    // An answer of the connection's own shows that the request before it has been seen.
    remote.close();
    agent.join();
    ASSERT_NE(outcome.find("content"), std::string::npos) << "round " << round << ": " << outcome;
  }
}

// ---- turns

TEST(EngineGuarantee, P3_ATurnSendsNothingAfterItsAnswer) {
  const Within limit("a turn that goes on after its end");
  Agent agent("test", "1");
  std::optional<Turn> kept;
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    kept = turn;
    co_await turn.say("within");
    co_return StopReason::end_turn;
  });
  agent.on_request("_late", [&](Context, Json) -> Task<Json> {
    try {
      co_await kept->say("too late");
    } catch (const Error& error) {
      co_return Json(error.what());
    }
    co_return Json("it went out");
  });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("1", session, "go");
  EXPECT_EQ(served.raw.read()["method"].as_string(), "session/update");
  EXPECT_EQ(served.raw.read()["id"].text(), "1");
  served.raw.line(request("2", "_late"));
  const Json answer = served.raw.read();
  EXPECT_EQ(answer["id"].text(), "2") << answer.text();
  EXPECT_NE(answer["result"].as_string().value_or("").find("nothing of it may follow"),
            std::string::npos);
  kept.reset();
}

// ---- the reader never waits

TEST(EngineGuarantee, P4_CancelReachesAHandlerThatKeepsItsThread) {
  for (const bool plain : {false, true}) {
    const Within limit("session/cancel while a handler computes");
    Gate begun;
    const auto compute = [&](const Turn& turn) {
      begun.open();
      while (!turn.cancelled()) std::this_thread::yield();
      return StopReason::end_turn;
    };
    Agent agent("test", "1");
    if (plain)
      agent.on_prompt([&](Turn turn) { return compute(turn); });
    else
      agent.on_prompt([&](Turn turn) -> Task<StopReason> { co_return compute(turn); });
    agent.on_request("_ping", blocking([](Context, Json) { return Json("pong"); }));
    Served served(agent);
    served.raw.initialize();
    const std::string session = served.raw.new_session();
    served.raw.prompt("1", session, "go");
    ASSERT_TRUE(begun.wait("the turn begins"));
    // What has a thread of its own is still served.
    served.raw.line(request("2", "_ping"));
    EXPECT_EQ(served.raw.read()["result"].as_string(), "pong");
    served.raw.line(cancel_of(session));
    EXPECT_EQ(served.raw.read_answer("1")["result"]["stopReason"].as_string(), "cancelled");
    // The session stays usable; and $/cancel_request does it, too.
    served.raw.prompt("3", session, "go");
    served.raw.line(
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":3}}");
    EXPECT_EQ(served.raw.read_answer("3")["result"]["stopReason"].as_string(), "cancelled");
  }
}

// ---- exactly one answer

TEST(EngineGuarantee, P5_EveryRequestGetsExactlyOneAnswer) {
  const Within limit("the answers to all kinds of requests");
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    if (turn.text() == "throw") throw std::runtime_error("a secret");
    if (turn.text() == "ask") co_await turn.peer().request("_refused", Json::object());
    co_return StopReason::end_turn;
  });
  agent.on_request("_throw", [](Context, Json) -> Json { throw std::runtime_error("a secret"); });
  agent.on_request("_number", [](Context, Json) -> Json { throw 5; });
  agent.on_request("_own", [](Context, Json) -> Json { throw Error(-32001, "mine"); });
  Served served(agent);
  RawEnd& raw = served.raw;
  raw.line(request("1", "session/new", "{\"cwd\":\"/\"}"));
  raw.line(request("2", "initialize", "{\"protocolVersion\":\"one\"}"));
  raw.initialize();
  const std::string session = raw.new_session();
  raw.line(request("3", "session/new", "{\"cwd\":\"relative\",\"mcpServers\":[]}"));
  raw.line(request("4", "session/new", "{\"cwd\":5}"));
  raw.line(request("5", "no/such"));
  raw.line(request("6", "session/load", "{}"));
  raw.line(request("7", "session/prompt", "{\"sessionId\":\"nobody\",\"prompt\":[]}"));
  raw.line(request("8", "session/prompt", "[1]"));
  raw.line(request("9", "_throw"));
  raw.line(request("10", "_number"));
  raw.line(request("11", "_own"));
  raw.prompt("12", session, "throw");
  raw.prompt("13", session, "ask");
  raw.prompt("14", session, "fine");
  raw.line(
      request("15", "session/set_mode", "{\"sessionId\":\"" + session + "\",\"modeId\":\"x\"}"));
  raw.line(request("16", "session/close", "{\"sessionId\":\"nobody\"}"));
  raw.line(request("17", "initialize", "{\"protocolVersion\":1}"));
  raw.line("{\"jsonrpc\":\"2.0\",\"id\":18,\"method\":5}");
  raw.line("{\"jsonrpc\":\"2.0\",\"id\":19,\"method\":\"_own\",\"params\":\"text\"}");
  const Json asked = raw.read_call("_refused");
  raw.line("{\"jsonrpc\":\"2.0\",\"id\":" + std::string(asked["id"].text()) +
           ",\"error\":{\"code\":-1,\"message\":\"no\"}}");
  raw.read_answer("14");
  raw.line(request("99", "_own"));
  raw.read_answer("99");
  raw.shut_output();
  EXPECT_TRUE(raw.read_to_end());
  std::map<std::string, std::vector<std::string>> codes;
  for (const std::string& line : raw.seen()) {
    const Json message = Json::parse(line).value();
    if (!message["method"].absent()) continue;
    const JsonView error = message["error"];
    codes[std::string(message["id"].text())].push_back(
        error.absent() ? "result" : std::string(error["code"].text()));
    EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  }
  const std::map<std::string, std::string> expected = {
      {"1", "-32600"},  {"2", "-32602"},  {"\"init\"", "result"}, {"\"new\"", "result"},
      {"3", "-32602"},  {"4", "-32602"},  {"5", "-32601"},        {"6", "-32601"},
      {"7", "-32002"},  {"8", "-32602"},  {"9", "-32603"},        {"10", "-32603"},
      {"11", "-32001"}, {"12", "-32603"}, {"13", "-32603"},       {"14", "result"},
      {"15", "-32601"}, {"16", "result"}, {"17", "-32600"},       {"18", "-32600"},
      {"19", "-32600"}, {"99", "-32001"}};
  for (const auto& [id, code] : expected) EXPECT_EQ(codes[id], Strings{code}) << "id " << id;
  EXPECT_EQ(codes.size(), expected.size());
}

// An answer that cannot be read must not leave the caller waiting.
TEST(EngineGuarantee, P5_AnAnswerThatCannotBeReadFailsItsCall) {
  const Within limit("calls whose answers are malformed");
  const std::string large(2000, 'x');
  const std::string deep(2000, '[');
  for (const std::string& answer : {
           std::string("{\"id\":ID,\"result\":{}}"),                                   // no version
           std::string("{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{},\"error\":{}}"),  // both
           std::string("{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xFF\"}"),         // no UTF-8
           std::string("{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}"),                // cut off
           "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"" + large + "\"}",  // over the limit
           "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":" + deep + "}",       // too deep
       }) {
    Agent agent("test", "1");
    std::string failure;
    agent.max_message_bytes(1500).on_prompt([&](Turn turn) -> Task<StopReason> {
      try {
        co_await turn.peer().request("_ask", Json::object());
      } catch (const CallFailed& error) {
        failure = error.what();
      }
      co_return StopReason::end_turn;
    });
    Served served(agent);
    served.raw.initialize();
    const std::string session = served.raw.new_session();
    served.raw.prompt("1", session, "go");
    const Json asked = served.raw.read_call("_ask");
    std::string text = answer;
    text.replace(text.find("ID"), 2, asked["id"].text());
    served.raw.line(text);
    EXPECT_EQ(served.raw.read_answer("1")["result"]["stopReason"].as_string(), "end_turn");
    EXPECT_NE(failure.find("the answer"), std::string::npos)
        << text.substr(0, 80) << ": " << failure;
  }
}

// ---- bytes and descriptors

TEST(EngineGuarantee, P7_TheLastLineNeedsNoEnd) {
  const Within limit("a request without a newline at the end of input");
  Agent agent = silent_agent();
  Served served(agent);
  served.raw.initialize();
  served.raw.send(request("1", "session/new", "{\"cwd\":\"/\",\"mcpServers\":[]}"));
  served.raw.shut_output();
  EXPECT_TRUE(served.raw.read_answer("1")["result"]["sessionId"].is_string());
  EXPECT_TRUE(served.raw.read_to_end());
  EXPECT_TRUE(served.connection.wait());
}

TEST(EngineGuarantee, P7_NoSigpipe) {
  const Within limit("writing to a pipe that nobody reads");
  struct sigaction before {};
  sigaction(SIGPIPE, nullptr, &before);
  ASSERT_EQ(before.sa_handler, SIG_DFL) << "this test needs SIGPIPE to be deadly";
  int to[2], from[2];
  ASSERT_EQ(pipe2(to, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(from, O_CLOEXEC), 0);
  Agent agent = silent_agent();
  Transport transport{io::Descriptor(to[0]), io::Descriptor(from[1])};
  close(from[0]);
  AgentConnection served = agent.start(std::move(transport));
  const std::string hello = request("0", "initialize", "{\"protocolVersion\":1}") + "\n";
  EXPECT_EQ(write(to[1], hello.data(), hello.size()), static_cast<ssize_t>(hello.size()));
  EXPECT_TRUE(served.wait());
  close(to[1]);
}

TEST(EngineGuarantee, P8_AnAgentAnswersInTheFramingItIsSpokenToIn) {
  const Within limit("Content-Length");
  Agent agent = silent_agent();
  agent.framing(rpc::Framing::automatic);
  Served served(agent);
  const std::string hello = request("0", "initialize", "{\"protocolVersion\":1}");
  served.raw.send("Content-Length: " + std::to_string(hello.size()) + "\r\n\r\n" + hello);
  EXPECT_TRUE(served.raw.read_line().starts_with("Content-Length: "));
}

TEST(EngineGuarantee, P8_StrayOutputGoesToStderr) {
  const Within limit("an agent that prints");
  std::atomic<int> noise = 0;
  Client client("test", "1");
  client.on_log([&](const LogEntry& entry) {
    if (entry.level != LogEntry::Level::debug) ++noise;
  });
  const AgentHandle remote = client.spawn(program("stray")).wait();
  const Session session = remote.new_session("/").wait();
  Strings said;
  for (PromptEvent& event : session.prompt("go"))
    if (const auto* update = std::get_if<SessionUpdate>(&event)) said.push_back(text_of(*update));
  EXPECT_EQ(said, Strings{"said"});
  remote.close();
  const std::string tail = remote.stderr_tail();
  for (const char* text : {"a banner", "printed", "streamed", "written"})
    EXPECT_NE(tail.find(text), std::string::npos) << text << " in:\n" << tail;
  EXPECT_EQ(noise, 0);
}

}  // namespace
}  // namespace acp
