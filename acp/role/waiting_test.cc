// Waiting for the other side: with limits, in coroutines and in plain functions; and values that
// are awaited with temporaries, which a compiler may get wrong.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/testing/gate.h"
#include "acp/testing/raw_end.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

// ---- a client's requests

// An agent that never answers what is asked for after the session: it returns once the client has
// cancelled that.
void never_answer(RawEnd& end) {
  end.welcome();
  const Json asked = end.read_call("_never");
  const Json& cancelled = end.read_call("$/cancel_request");
  EXPECT_EQ(cancelled["params"]["requestId"], asked["id"]);
}

// Waits for it by this function.
void wait_in_vain(const std::function<void(Task<Json>)>& wait) {
  const Within limit("a request that is not answered");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), never_answer);
  const Client client("test", "1");
  const AgentHandle handle = client.connect(std::move(ours)).wait();
  const Session session = handle.new_session("/").wait_for(std::chrono::hours(1));
  wait(handle.peer().request("_never", Json::object()));
  agent.join();
}

TEST(WaitingForAnAgent, OutOfTimeTheRequestIsCancelled) {
  wait_in_vain([](Task<Json> answer) {
    EXPECT_THROW(std::move(answer).wait_for(milliseconds(5)), TimedOut);
  });
}

TEST(WaitingForAnAgent, StoppedTheRequestIsCancelled) {
  wait_in_vain([](Task<Json> answer) {
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });
    EXPECT_THROW(std::move(answer).wait(stop.get_token()), Cancelled);
  });
}

// In a program's own loop nobody but the waiting thread reads.
TEST(WaitingForAnAgent, HasATimeInALoopOfOnesOwn) {
  const Within limit("a request that is not answered, without threads");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), never_answer);
  const Client client("test", "1");
  const AgentHandle handle = client.attach(std::move(ours));
  while (!handle.ready()) handle.dispatch();
  const Session session = handle.new_session("/").wait();
  EXPECT_THROW(handle.peer().request("_never", Json::object()).wait_for(milliseconds(5)), TimedOut);
  agent.join();
}

TEST(WaitingForAnAgent, ASilentOneIsNotWaitedForWithoutLimit) {
  const Within limit("an agent that does not answer initialize");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) { end.read_to_end(); });
  const Client client("test", "1");
  EXPECT_THROW(client.connect(std::move(ours)).wait_for(milliseconds(5)), TimedOut);
}

// ---- ask()

TEST(Ask, GivesTheTextAndTheStopReason) {
  const Within limit("a turn");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    end.say("s", "one ");
    end.line(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":)"
             R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}}})");
    end.say("s", "two");
    end.answer(prompt, R"({"stopReason":"max_tokens"})");
  });
  const Client client("test", "1");
  const AgentHandle handle = client.connect(std::move(ours)).wait();
  const Answer answer = handle.new_session("/").wait().ask("go").wait();
  EXPECT_EQ(answer.text, "one two");
  EXPECT_EQ(answer.stop_reason, StopReason::max_tokens);
}

TEST(Ask, OutOfTimeTheTurnIsCancelled) {
  const Within limit("a turn that does not end");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    end.read_call("session/prompt");
    end.say("s", "working");
    EXPECT_EQ(end.read_call("session/cancel")["params"]["sessionId"].as_string(), "s");
  });
  const Client client("test", "1");
  const AgentHandle handle = client.connect(std::move(ours)).wait();
  const Session session = handle.new_session("/").wait();
  EXPECT_THROW(session.ask("go").wait_for(milliseconds(5)), TimedOut);
  agent.join();
}

// A coroutine has no wait_for().
TEST(Ask, HasATimeOfItsOwn) {
  const Within limit("a turn that does not end");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    end.read_call("session/prompt");
    EXPECT_EQ(end.read_call("session/cancel")["params"]["sessionId"].as_string(), "s");
    end.answer(end.read_call("session/prompt"), R"({"stopReason":"end_turn"})");
  });
  const Client client("test", "1");
  const AgentHandle handle = client.connect(std::move(ours)).wait();
  const Session session = handle.new_session("/").wait();
  const auto twice = [](Session session) -> Task<std::string> {
    std::string failed;
    try {
      co_await session.ask("go", milliseconds(5));
    } catch (const TimedOut& error) {
      failed = error.what();
    }
    const Answer answer = co_await session.ask("go on", std::chrono::minutes(1));
    EXPECT_EQ(answer.stop_reason, StopReason::end_turn);
    co_return failed;
  };
  EXPECT_EQ(twice(session).wait(), "the turn did not end within 5 ms");
  agent.join();
}

TEST(Ask, AFailedTurnIsNotCancelled) {
  const Within limit("a turn that fails");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    end.line(R"({"jsonrpc":"2.0","id":)" + std::string(prompt["id"].text()) +
             R"(,"error":{"code":-32603,"message":"no"}})");
    EXPECT_EQ(end.read()["method"].as_string(), "_next");
  });
  const Client client("test", "1");
  const AgentHandle handle = client.connect(std::move(ours)).wait();
  const Session session = handle.new_session("/").wait();
  EXPECT_THROW(session.ask("go").wait(), CallFailed);
  handle.peer().notify("_next", Json::object()).wait();
  agent.join();
}

// ---- an agent's pauses and threads

// The answer to a prompt that this handler works on.
template <class Handler>
std::string answer_of(Handler handler, bool cancel = false) {
  Agent agent("test", "1");
  agent.on_prompt(std::move(handler));
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  if (cancel) {
    EXPECT_EQ(served.raw.read()["method"].as_string(), "session/update");  // it has begun
    served.raw.line(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":")" +
                    session + "\"}}");
  }
  const Json& answer = served.raw.read_answer("5");
  return std::string(answer["result"]["stopReason"].as_string().value_or(answer.text()));
}

TEST(Sleep, EndsByItself) {
  const Within limit("a pause");
  EXPECT_EQ(answer_of([](Turn turn) -> Task<StopReason> {
              co_await turn.sleep(milliseconds(1));
              co_return StopReason::end_turn;
            }),
            "end_turn");
  EXPECT_EQ(answer_of([](Turn turn) {
              turn.sleep(milliseconds(1)).wait();
              return StopReason::end_turn;
            }),
            "end_turn");
}

TEST(Sleep, EndsWithTheTurn) {
  const Within limit("a pause in a turn that is cancelled");
  for (const bool plain : {false, true}) {
    bool cancelled = false;
    const auto note = [&](const Cancelled&) { cancelled = true; };
    if (plain)
      EXPECT_EQ(answer_of(
                    [&](Turn turn) {
                      turn.say("begun").wait();
                      try {
                        turn.sleep(std::chrono::hours(1)).wait();
                      } catch (const Cancelled& reason) {
                        note(reason);
                      }
                      return StopReason::end_turn;
                    },
                    true),
                "cancelled");
    else
      EXPECT_EQ(answer_of(
                    [&](Turn turn) -> Task<StopReason> {
                      co_await turn.say("begun");
                      try {
                        co_await turn.sleep(std::chrono::hours(1));
                      } catch (const Cancelled& reason) {
                        note(reason);
                      }
                      co_return StopReason::end_turn;
                    },
                    true),
                "cancelled");
    EXPECT_TRUE(cancelled);
  }
}

// What else the agent does goes on meanwhile.
TEST(OnThread, GivesWhatTheFunctionReturns) {
  const Within limit("a function that blocks");
  Gate gate;
  std::string text;
  Agent agent("test", "1");
  agent.on_request("_open", [&](Context, Json params) -> Task<Json> {
    gate.open();
    co_return params;
  });
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    const std::string own = "long enough for the heap, surely";
    const auto work = [own, &gate] {
      gate.wait("another handler");
      return own;
    };
    text = co_await turn.on_thread(work);
    co_return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  served.raw.line(request("6", "_open"));
  EXPECT_EQ(served.raw.read_answer("6")["error"].absent(), true);
  EXPECT_EQ(served.raw.read_answer("5")["result"]["stopReason"].as_string(), "end_turn");
  EXPECT_EQ(text, "long enough for the heap, surely");
}

TEST(OnThread, ThrowsWhatTheFunctionThrows) {
  const Within limit("a function that throws on a thread of its own");
  bool thrown = false;
  EXPECT_EQ(answer_of([&](Turn turn) -> Task<StopReason> {
              const auto fails = [] { throw Refused("no"); };
              try {
                co_await turn.on_thread(fails);
              } catch (const Refused&) {
                thrown = true;
              }
              co_return StopReason::end_turn;
            }),
            "end_turn");
  EXPECT_TRUE(thrown);
}

// A background context may outlive its connection.
TEST(Background, DoesNotWaitForAConnectionThatHasEnded) {
  const Within limit("a pause and a function after the end");
  std::optional<SessionContext> kept;
  Agent agent = silent_agent();
  agent.on_new_session([&](SessionContext session, v1::NewSessionRequest) -> Task<void> {
    kept = session.background();
    co_return;
  });
  {
    Served served(agent);
    served.raw.initialize();
    served.raw.new_session();
    std::jthread sleeper([background = *kept] {
      EXPECT_THROW(background.sleep(std::chrono::hours(1)).wait(), ConnectionClosed);
    });
    served.raw.close();
    served.connection.wait();
  }
  EXPECT_THROW(kept->sleep(std::chrono::hours(1)).wait(), ConnectionClosed);
  EXPECT_THROW(kept->on_thread([] {}).wait(), ConnectionClosed);
}

// ---- temporaries in a co_await expression

// Every shape is freed once. g++ 12 does not get the temporaries right, so it does not compile them
// (scripts/compile_test.py): there the values have names.
Task<std::string> every_shape(Turn turn, std::string file) {
#if ACP_TEMPORARIES_BREAK
  CommandOptions in_root;
  in_root.cwd = "/a directory with a long enough name";
  CommandResult result = co_await turn.run_command("ls", in_root);
  CommandOptions with_args;
  with_args.args = {"-l", file};
  result = co_await turn.run_command("wc", with_args);
  v1::ReadTextFileRequest request;
  request.sessionId = turn.session_id();
  request.path = file;
  const v1::ReadTextFileResponse read = co_await turn.peer().request(request);
#else
  CommandResult result =
      co_await turn.run_command("ls", {.cwd = "/a directory with a long enough name"});
  result = co_await turn.run_command("wc", {.args = {"-l", file}});
  const v1::ReadTextFileResponse read = co_await turn.peer().request(
      v1::ReadTextFileRequest{.sessionId = turn.session_id(), .path = file});
#endif
  co_return result.output + read.content;
}

TEST(Temporaries, OfAnAgentAreFreedOnce) {
  const Within limit("an agent's calls");
  std::string text;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) -> Task<StopReason> {
    text = co_await every_shape(turn, "/a file with a name that is long enough for the heap");
    co_return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.initialize(R"({"terminal":true,"fs":{"readTextFile":true}})");
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  std::string last;
  while (true) {
    const Json message = served.raw.read();
    last = message.text();
    if (message["method"].absent()) break;
    const std::string method = message["method"].as_string().value_or("");
    served.raw.answer(message, method == "terminal/create" ? R"({"terminalId":"t"})"
                               : method == "terminal/output"
                                   ? R"({"output":"out","truncated":false})"
                               : method == "fs/read_text_file" ? R"({"content":"read"})"
                                                               : R"({"exitCode":0})");
  }
  EXPECT_EQ(text, "outread") << last;
}

Task<std::size_t> every_shape(AgentHandle agent, std::string cwd) {
#if ACP_TEMPORARIES_BREAK
  v1::NewSessionRequest request;
  request.cwd = cwd;
  const Session session = co_await agent.new_session(request);
  v1::ListSessionsRequest filter;
  filter.cwd = cwd;
  const auto sessions = co_await agent.list_sessions(filter);
#else
  const Session session = co_await agent.new_session(v1::NewSessionRequest{.cwd = cwd});
  const Session other = co_await agent.new_session({.cwd = cwd});
  const auto sessions = co_await agent.list_sessions({.cwd = cwd});
#endif
  co_return sessions.size() + session.cwd().size();
}

TEST(Temporaries, OfAClientAreFreedOnce) {
  const Within limit("a client's calls");
  Agent agent = silent_agent();
  agent.on_list_sessions([](Context, v1::ListSessionsRequest) -> Task<v1::ListSessionsResponse> {
    co_return v1::ListSessionsResponse();
  });
  auto [ours, theirs] = memory_pair();
  const AgentConnection served = agent.start(std::move(theirs));
  const Client client("test", "1");
  const AgentHandle handle = client.connect(std::move(ours)).wait();
  const std::string cwd = "/a directory with a name that is long enough for the heap";
  EXPECT_EQ(every_shape(handle, cwd).wait(), cwd.size());
}

}  // namespace
}  // namespace acp
