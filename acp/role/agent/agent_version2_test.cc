// An agent that speaks version 2: what clients may ask in odd ways. The usual is tried with the
// official SDK (interop/version2).
#include <gtest/gtest.h>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr const char* introduction =
    R"({"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}})";

Agent agent_of(std::vector<int> versions) {
  Agent agent = silent_agent();
  agent.versions(std::move(versions));
  return agent;
}

std::int64_t version_for(std::vector<int> versions, const std::string& asked) {
  Served served(agent_of(std::move(versions)));
  served.raw.line(request("1", "initialize",
                          "{\"protocolVersion\":" + asked +
                              R"(,"info":{"name":"c","version":"1"},"clientCapabilities":{}})"));
  const Json answer = served.raw.read();
  if (!answer["error"].absent()) {
    EXPECT_EQ(answer["error"]["data"]["requested"].text(), asked);
    EXPECT_TRUE(answer["error"]["data"]["supported"].is_array());
    return answer["error"]["code"].as_int64().value_or(0);
  }
  return answer["result"]["protocolVersion"].as_int64().value_or(0);
}

TEST(AgentVersion2, TheHighestVersionThatBothSpeak) {
  const Within limit("versions of both sides");
  for (const char* asked : {"0", "1", "2", "65535"}) EXPECT_EQ(version_for({1}, asked), 1) << asked;
  EXPECT_EQ(version_for({1, 2}, "0"), -32022);
  EXPECT_EQ(version_for({1, 2}, "1"), 1);
  EXPECT_EQ(version_for({1, 2}, "2"), 2);
  EXPECT_EQ(version_for({1, 2}, "65535"), 2);
  EXPECT_EQ(version_for({2}, "1"), -32022);
  EXPECT_EQ(version_for({2}, "2"), 2);
}

TEST(AgentVersion2, InitializeMayBeRepeatedBeforeAnythingElse) {
  const Within limit("initialize, again and again");
  Served served(agent_of({1, 2}));
  // The version, or the error's code.
  const auto initialize = [&](const char* params) {
    served.raw.line(request("1", "initialize", params));
    const Json answer = served.raw.read();
    return answer["error"]["code"].as_int64().value_or(
        answer["result"]["protocolVersion"].as_int64().value_or(0));
  };
  // One that fails leaves everything as it was.
  EXPECT_EQ(initialize(R"({"protocolVersion":2})"), -32602);
  EXPECT_EQ(initialize(introduction), 2);
  EXPECT_EQ(initialize(R"({"protocolVersion":1})"), -32600);
  EXPECT_EQ(initialize(R"({"protocolVersion":2})"), -32602);
  EXPECT_EQ(initialize(introduction), 2);
  served.raw.line(request("2", "session/list"));
  EXPECT_TRUE(served.raw.read()["result"]["sessions"].is_array());
  EXPECT_EQ(initialize(introduction), -32600);
}

// A version that nobody knows yet: what cannot be read of it is passed over.
TEST(AgentVersion2, ARequestOfALaterVersionIsTakenAsFarAsItGoes) {
  const Within limit("a later version");
  Served served(agent_of({1, 2}));
  served.raw.line(
      request("1", "initialize", R"({"protocolVersion":3,"info":7,"capabilities":[]})"));
  EXPECT_EQ(served.raw.read()["result"]["protocolVersion"].as_int64(), 2);
}

TEST(AgentVersion2, AnIdIsAStringOrAnInteger) {
  const Within limit("ids");
  Served served(agent_of({1, 2}));
  served.raw.line(request("1", "initialize", introduction));
  served.raw.read();
  for (const char* id : {"null", "1.5"}) {
    served.raw.line(request(id, "session/list"));
    const Json answer = served.raw.read();
    EXPECT_EQ(answer["error"]["code"].as_int64(), -32600) << id;
    EXPECT_TRUE(answer["id"].is_null()) << id;
  }
  served.raw.line(request("\"x\"", "session/list"));
  EXPECT_EQ(served.raw.read()["id"].as_string(), "x");
}

// The handler of version 1 sees no difference; a later request may use the prompt's id again.
TEST(AgentVersion2, APromptsIdIsFreeOnceItIsAnswered) {
  const Within limit("an id that is used twice");
  Agent agent("test", "1");
  Gate go;
  agent.versions({2}).on_prompt([&](Turn turn) {
    go.wait("the second request");
    turn.say("hello").wait();
    turn.after_response([peer = turn.peer()] {
      [[maybe_unused]] const Sent sent = peer.notify("_test/after", Json::object({}));
    });
    return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.line(request("1", "initialize", introduction));
  served.raw.read();
  served.raw.line(request("2", "session/new", R"({"cwd":"/"})"));
  const std::string session = served.raw.read()["result"]["sessionId"].as_string().value_or("");
  served.raw.line(
      request("3", "session/prompt",
              "{\"sessionId\":\"" + session + R"(","prompt":[{"type":"text","text":"x"}]})"));
  EXPECT_FALSE(served.raw.read_answer("3")["result"]["messageId"].as_string().value_or("").empty());
  served.raw.line(request("3", "session/list"));
  EXPECT_TRUE(served.raw.read_answer("3")["result"]["sessions"].is_array());
  served.raw.line(R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}})");
  go.open();
  std::string seen;
  while (true) {
    const Json update = served.raw.read();
    if (update["method"].as_string() == "_test/after") break;
    seen += update["params"]["update"]["sessionUpdate"].as_string().value_or("?") + " " +
            update["params"]["update"]["stopReason"].as_string().value_or("") + ",";
  }
  EXPECT_EQ(seen, "agent_message_chunk ,state_update end_turn,");
}

// What a client gets for a prompt of an agent that inserts it by its handler, until the turn is
// over or the prompt is refused. `then` is sent after the prompt.
std::string seen_of_prompt(Agent& agent, const std::string& then = "") {
  agent.versions({2}).prompt_insertion(PromptInsertion::by_handler);
  Served served(agent);
  served.raw.line(request("1", "initialize", introduction));
  served.raw.read();
  served.raw.line(request("2", "session/new", R"({"cwd":"/"})"));
  const std::string session = served.raw.read()["result"]["sessionId"].as_string().value_or("");
  served.raw.line(
      request("3", "session/prompt",
              "{\"sessionId\":\"" + session + R"(","prompt":[{"type":"text","text":"x"}]})"));
  if (!then.empty()) served.raw.line(then);
  std::string seen;
  while (true) {
    const Json message = served.raw.read();
    if (!message["error"].absent()) return seen + std::string(message["error"]["code"].text());
    const JsonView update = message["params"]["update"];
    seen += update.absent() ? "answer" : update["sessionUpdate"].as_string().value_or("?");
    if (update["state"].as_string() == "idle")
      return seen + " " + update["stopReason"].as_string().value_or("?");
    seen += ", ";
  }
}

constexpr const char* whole_turn =
    "answer, user_message, state_update, agent_message_chunk, state_update end_turn";

TEST(AgentVersion2, APromptIsInsertedByItsHandler) {
  const Within limit("a prompt that is inserted");
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) {
    turn.set_title("before").wait();
    turn.insert_prompt();
    turn.insert_prompt();
    turn.say("hello").wait();
    return StopReason::end_turn;
  });
  EXPECT_EQ(seen_of_prompt(agent), std::string("session_info_update, ") + whole_turn);
}

TEST(AgentVersion2, APromptIsInsertedByTheFirstMessage) {
  const Within limit("a prompt that is inserted by a message");
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) {
    turn.say("hello").wait();
    return StopReason::end_turn;
  });
  EXPECT_EQ(seen_of_prompt(agent), whole_turn);
}

TEST(AgentVersion2, APromptIsInsertedAtTheLatestWhenItsTurnEnds) {
  const Within limit("a prompt that nothing inserts");
  Agent agent = silent_agent();
  EXPECT_EQ(seen_of_prompt(agent), "answer, user_message, state_update, state_update end_turn");
}

TEST(AgentVersion2, APromptThatIsNotInsertedIsRefused) {
  const Within limit("a prompt that is refused");
  Agent agent("test", "1");
  agent.on_prompt([](Turn) -> StopReason { throw Error(rpc::invalid_params, "not this one"); });
  EXPECT_EQ(seen_of_prompt(agent), "-32602");
}

TEST(AgentVersion2, APromptThatIsNotInsertedIsCancelledByItsRequest) {
  const Within limit("a prompt that is cancelled");
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> Task<StopReason> {
    co_await turn.sleep(std::chrono::hours(1));
    co_return StopReason::end_turn;
  });
  const char* const cancel =
      R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}})";
  EXPECT_EQ(seen_of_prompt(agent, cancel), "-32800");
}

TEST(AgentVersion2, WhatIsOfAnUnknownTypeIsRefused) {
  const Within limit("unknown types");
  Agent agent = agent_of({2});
  v1::SessionConfigBoolean flag;
  v1::SessionConfigOption option;
  option.id = "flag";
  option.name = "Flag";
  option.type = std::move(flag);
  agent.config_options({option}).on_set_config_option(
      [](SessionContext, v1::SetSessionConfigOptionRequest) {
        return v1::SetSessionConfigOptionResponse();
      });
  Served served(agent);
  served.raw.line(request("1", "initialize", introduction));
  served.raw.read();
  served.raw.line(request("2", "session/new", R"({"cwd":"/"})"));
  const std::string session = served.raw.read()["result"]["sessionId"].as_string().value_or("");
  const auto code = [&](const char* method, const std::string& params) {
    served.raw.line(request("3", method, "{\"sessionId\":\"" + session + "\"," + params + "}"));
    return served.raw.read_answer("3")["error"]["code"].as_int64();
  };
  EXPECT_EQ(code("session/prompt", R"("prompt":[{"type":"_odd"}])"), -32602);
  EXPECT_EQ(code("session/set_config_option", R"("configId":"flag","type":"_odd","value":true)"),
            -32602);
}

// An agent that only replays resumes without showing it.
TEST(AgentVersion2, ResumesByALoadThatIsNotShown) {
  const Within limit("a silent load");
  Agent agent = agent_of({2});
  agent.on_load_session([](SessionContext session, v1::LoadSessionRequest) {
    session.say("what was said").wait();
    session.set_title("a title").wait();
  });
  Served served(agent);
  served.raw.line(request("1", "initialize", introduction));
  served.raw.read();
  const auto resume = [&](const char* more) {
    served.raw.line(request("2", "session/resume",
                            std::string(R"({"sessionId":"old","cwd":"/")") + more + "}"));
    std::string seen;
    while (true) {
      const Json message = served.raw.read();
      if (message["method"].absent()) return seen + (message["error"].absent() ? "" : "error");
      seen += message["params"]["update"]["sessionUpdate"].as_string().value_or("?") + " ";
    }
  };
  EXPECT_EQ(resume(""), "state_update ");
  EXPECT_EQ(resume(R"(,"replayFrom":{"type":"start"})"),
            "agent_message_chunk session_info_update state_update ");
  EXPECT_EQ(resume(R"(,"replayFrom":{"type":"_odd"})"), "error");
}

// What is replayed is the message that was inserted.
TEST(AgentVersion2, AMessageKeepsItsIdWhenItIsReplayed) {
  const Within limit("a message that is replayed");
  Agent agent("test", "1");
  std::string kept;
  agent.versions({1, 2})
      .on_prompt([&](Turn turn) {
        kept = turn.message_id();
        return StopReason::end_turn;
      })
      .on_load_session([&](SessionContext session, v1::LoadSessionRequest) {
        session.user_said(ContentBlock("x"), kept).wait();
      });
  {
    Served served(agent);
    served.raw.line(request("1", "initialize", introduction));
    served.raw.read();
    served.raw.line(request("2", "session/new", R"({"cwd":"/"})"));
    const std::string session = served.raw.read()["result"]["sessionId"].as_string().value_or("");
    served.raw.line(
        request("3", "session/prompt",
                "{\"sessionId\":\"" + session + R"(","prompt":[{"type":"text","text":"x"}]})"));
    const auto inserted = served.raw.read_answer("3")["result"]["messageId"].as_string();
    const Json echo = served.raw.read();
    EXPECT_EQ(echo["params"]["update"]["messageId"].as_string(), inserted);
    while (served.raw.read()["params"]["update"]["state"].as_string() != "idle") {
    }
    EXPECT_EQ(kept, inserted);
    served.raw.line(
        request("4", "session/resume",
                "{\"sessionId\":\"" + session + R"(","cwd":"/","replayFrom":{"type":"start"}})"));
    const Json replayed = served.raw.read();
    EXPECT_EQ(replayed["params"]["update"]["sessionUpdate"].as_string(), "user_message_chunk");
    EXPECT_EQ(replayed["params"]["update"]["messageId"].as_string(), inserted);
  }
  // Version 1 has none.
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.line(
      request("3", "session/prompt",
              "{\"sessionId\":\"" + session + R"(","prompt":[{"type":"text","text":"x"}]})"));
  served.raw.read_answer("3");
  EXPECT_EQ(kept, "");
}

// What every agent of version 2 has, without a handler.
TEST(AgentVersion2, ListsAndResumesWhatIsOpen) {
  const Within limit("an agent without handlers");
  Served served(agent_of({2}));
  served.raw.line(request("1", "initialize", introduction));
  served.raw.read();
  const auto ask = [&](const char* method, const std::string& params) -> Json {
    served.raw.line(request("2", method, params));
    return served.raw.read_answer("2");
  };
  const Json made = ask("session/new", R"({"cwd":"/a"})");
  const std::string id = made["result"]["sessionId"].as_string().value_or("");
  const auto count = [&](const std::string& params) {
    const Json list = ask("session/list", params);
    return list["error"]["code"].as_int64().value_or(
        static_cast<std::int64_t>(list["result"]["sessions"].size()));
  };
  EXPECT_EQ(count("{}"), 1);
  EXPECT_EQ(count(R"({"cwd":"/a"})"), 1);
  EXPECT_EQ(count(R"({"cwd":"/b"})"), 0);
  EXPECT_EQ(count(R"({"cursor":"x"})"), -32602);
  const Json resumed = ask("session/resume", "{\"sessionId\":\"" + id + "\",\"cwd\":\"/a\"}");
  EXPECT_TRUE(resumed["result"].is_object());
  const Json unknown = ask("session/resume", R"({"sessionId":"x","cwd":"/a"})");
  EXPECT_EQ(unknown["error"]["code"].as_int64(), -32002);
  // By the name that the client used.
  const Json login = ask("auth/login", R"({"methodId":"x"})");
  EXPECT_EQ(login["error"]["code"].as_int64(), -32601);
  EXPECT_EQ(login["error"]["data"]["method"].as_string(), "auth/login");
}

TEST(AgentVersion2, MessagesOfVersion2AreRefusedInVersion1) {
  const Within limit("the wrong version");
  Agent agent("test", "1");
  agent.versions({1, 2}).on_prompt([](Turn) { return StopReason::end_turn; });
  Served served(agent);
  served.raw.initialize();
  served.raw.line(request("7", "session/resume", R"({"sessionId":"x","cwd":"/"})"));
  EXPECT_EQ(served.raw.read_answer("7")["error"]["code"].as_int64(), -32601);
}

}  // namespace
}  // namespace acp
