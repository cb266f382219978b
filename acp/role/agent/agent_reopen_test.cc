// A session that is opened again, or closed, while something else is asked of it: the same in both
// versions.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// A client with one session, in the words of its version.
class Both : public ::testing::TestWithParam<int> {
 protected:
  Both() : agent("test", "1") {
    agent.versions({1, 2})
        .on_request("_read", [](Context, Json) -> Task<Json> { co_return Json::object({}); })
        .on_prompt([this](Turn turn) { return work(std::move(turn)); })
        .on_load_session(acp::blocking(
            [this](SessionContext session, v1::LoadSessionRequest) { load(std::move(session)); }))
        .on_delete_session([this](Context, v1::DeleteSessionRequest) { events.add("delete"); });
  }

  bool version_2() const { return GetParam() == 2; }
  void start() {
    served.emplace(agent);
    ask("initialize", version_2() ? R"({"protocolVersion":2,"info":{"name":"c","version":"1"}})"
                                  : R"({"protocolVersion":1})");
    session = ask("session/new", R"({"cwd":"/","mcpServers":[]})")["result"]["sessionId"].text();
  }
  // The request's id.
  std::string send(const std::string& method, const std::string& params) {
    const std::string id = std::to_string(++requests_);
    served->raw.line(request(id, method, params));
    return id;
  }
  std::string send_about(const std::string& method, const std::string& more = {}) {
    return send(method, "{\"sessionId\":" + session + more + "}");
  }
  std::string send_load() {
    return send_about(version_2() ? "session/resume" : "session/load",
                      std::string(R"(,"cwd":"/","mcpServers":[])") +
                          (version_2() ? R"(,"replayFrom":{"type":"start"})" : ""));
  }
  std::string send_prompt() {
    return send_about("session/prompt", R"(,"prompt":[{"type":"text","text":"go"}])");
  }
  void cancel() {
    served->raw.line(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":)" +
                     session + "}}");
  }
  const Json answer(const std::string& id) {
    while (true) {
      const Json message = served->raw.read();
      if (message.is_null()) return message;
      seen.push_back(message);
      if (message["method"].absent() && message["id"].text() == id) return message;
    }
  }
  const Json ask(const std::string& method, const std::string& params) {
    return answer(send(method, params));
  }
  // Everything that was sent has been read.
  void all_read() { ask("_read", "{}"); }
  // How a turn ended, once it has.
  std::string end_of_turn(const std::string& id) {
    while (true) {
      for (const Json& message : seen) {
        const bool answers = message["method"].absent() && message["id"].text() == id;
        if (answers && !message["error"].absent())
          return std::string(message["error"]["code"].text());
        const JsonView update = message["params"]["update"];
        const JsonView stop = version_2()
                                  ? update["stopReason"]
                                  : (answers ? message["result"]["stopReason"] : JsonView());
        if (const auto reason = stop.as_string()) return *reason;
      }
      const Json next = served->raw.read();
      if (next.is_null()) return "nothing";
      seen.push_back(next);
    }
  }
  std::int64_t code(const Json& answer) { return answer["error"]["code"].as_int64().value_or(0); }

  std::function<StopReason(Turn)> work = [this](const Turn& turn) {
    events.add("turn");
    turn.sleep(std::chrono::hours(1)).wait();
    return StopReason::end_turn;
  };
  std::function<void(SessionContext)> load = [this](const SessionContext&) {
    loading.open();
    go.wait("the prompt was read");
    events.add("loaded");
  };

  Agent agent;
  std::optional<Served> served;
  std::string session;  // as JSON
  std::vector<Json> seen;
  Events events;
  Gate loading, go;

 private:
  int requests_ = 0;
};

using Reopened = Both;
INSTANTIATE_TEST_SUITE_P(Version, Reopened, ::testing::Values(1, 2));

TEST_P(Reopened, APromptWaitsUntilItsSessionIsOpen) {
  const Within limit("a prompt for a session that is being loaded");
  start();
  const std::string loads = send_load(), prompts = send_prompt();
  loading.wait("the load began");
  all_read();
  go.open();
  EXPECT_TRUE(answer(loads)["result"].is_object());
  // It is a turn of the session as it is now: a cancel finds it.
  cancel();
  EXPECT_EQ(end_of_turn(prompts), "cancelled");
  EXPECT_EQ(events.list(), (std::vector<std::string>{"loaded", "turn"}));
}

TEST_P(Reopened, APromptThatWaitsIsCancelled) {
  const Within limit("a prompt that is cancelled while its session is loaded");
  start();
  const std::string loads = send_load(), prompts = send_prompt();
  loading.wait("the load began");
  cancel();
  EXPECT_EQ(end_of_turn(prompts), version_2() ? "-32800" : "cancelled");
  go.open();
  EXPECT_TRUE(answer(loads)["result"].is_object());
  EXPECT_EQ(events.list(), std::vector<std::string>{"loaded"});
}

TEST_P(Reopened, APromptIsOfTheOldSessionIfTheLoadFails) {
  const Within limit("a load that fails");
  load = [this](const SessionContext&) {
    loading.open();
    go.wait("the prompt was read");
    throw Error(rpc::internal_error, "no such file");
  };
  work = [](const Turn&) { return StopReason::end_turn; };
  start();
  const std::string loads = send_load(), prompts = send_prompt();
  all_read();
  go.open();
  EXPECT_EQ(code(answer(loads)), -32603);
  EXPECT_EQ(end_of_turn(prompts), "end_turn");
}

TEST_P(Reopened, ACloseEndsTheLoad) {
  const Within limit("a session that is closed while it is loaded");
  std::optional<SessionContext> kept;
  load = [&](const SessionContext& session) {
    kept = session.background();
    loading.open();
    try {
      session.sleep(std::chrono::hours(1)).wait();
    } catch (const Cancelled&) {
    }
    go.wait("the close was read");
    EXPECT_THROW(session.set_title("late").wait(), Refused);
    events.add("loaded");
  };
  start();
  const std::string loads = send_load(), prompts = send_prompt();
  loading.wait("the load began");
  const std::string closes = send_about("session/close");
  EXPECT_EQ(end_of_turn(prompts), version_2() ? "-32800" : "cancelled");
  all_read();
  go.open();
  EXPECT_EQ(code(answer(loads)), -32800);
  EXPECT_TRUE(answer(closes)["result"].is_object());
  EXPECT_EQ(events.list(), std::vector<std::string>{"loaded"});
  EXPECT_EQ(code(answer(send_prompt())), -32002);
  EXPECT_THROW(kept->set_title("late").wait(), Refused);
  kept.reset();
}

TEST_P(Reopened, WhatWasBoundToItBeforeEndsWithIt) {
  const Within limit("a context from before the load");
  std::optional<SessionContext> kept;
  agent.on_new_session(
      [&](SessionContext session, v1::NewSessionRequest) { kept = session.background(); });
  start();
  go.open();
  answer(send_load());
  answer(send_load());
  kept->set_title("still open").wait();
  EXPECT_TRUE(answer(send_about("session/close"))["result"].is_object());
  EXPECT_THROW(kept->set_title("closed").wait(), Refused);
  // Another session, though it has the same id.
  answer(send_load());
  EXPECT_THROW(kept->set_title("closed").wait(), Refused);
  kept.reset();
}

using Closed = Both;
INSTANTIATE_TEST_SUITE_P(Version, Closed, ::testing::Values(1, 2));

// None of them is answered before the turn has ended.
TEST_P(Closed, ASecondRequestWaitsForTheEnd) {
  const Within limit("a session that is closed twice, and deleted");
  work = [this](const Turn& turn) {
    loading.open();
    try {
      turn.sleep(std::chrono::hours(1)).wait();
    } catch (const Cancelled&) {
    }
    go.wait("all was read");
    turn.set_title("last words").wait();
    events.add("turn");
    return StopReason::end_turn;
  };
  start();
  const std::string prompts = send_prompt();
  loading.wait("the turn began");
  const std::string first = send_about("session/close"), second = send_about("session/close"),
                    deletes = send_about("session/delete"), loads = send_load();
  EXPECT_EQ(code(answer(loads)), -32600);
  all_read();
  seen.clear();
  go.open();
  EXPECT_TRUE(answer(deletes)["result"].is_object());
  std::string order;
  for (const Json& message : seen) {
    const std::string id(message["id"].text());
    const bool ends = !message["params"]["update"]["stopReason"].absent() ||
                      !message["result"]["stopReason"].absent();
    if (ends) order += "turn ";
    if (id == first) order += "first ";
    if (id == second) order += "second ";
    if (id == deletes) order += "deleted";
  }
  EXPECT_EQ(order, "turn first second deleted");
  EXPECT_EQ(events.list(), (std::vector<std::string>{"turn", "delete"}));
  EXPECT_EQ(code(answer(send_prompt())), -32002);
}

}  // namespace
}  // namespace acp
