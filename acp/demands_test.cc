// What the protocol's documents demand of an agent and of a client, as far as no other test shows
// it: docs/requirements.md names the test of each demand.
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "acp/agent.h"
#include "acp/client.h"
#include "acp/error.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using Strings = std::vector<std::string>;

// ---- agents

TEST(AgentOwes, ARefusalOfVersionsThatAreNone) {
  const Within limit("versions that are none");
  Served served(silent_agent());
  for (const char* version : {"\"1\"", "65536", "-1", "1.5", "true", "[]", "{}"}) {
    served.raw.line(
        request("1", "initialize", "{\"protocolVersion\":" + std::string(version) + "}"));
    const Json refused = served.raw.read();
    EXPECT_EQ(refused["error"]["code"].as_int64(), -32602) << version;
    EXPECT_EQ(refused["error"]["data"]["path"].as_string(), "params.protocolVersion") << version;
  }
  served.raw.line(request("2", "initialize"));
  EXPECT_EQ(served.raw.read()["error"]["code"].as_int64(), -32602);
  served.raw.line(request("3", "initialize", "{\"protocolVersion\":65535}"));
  EXPECT_EQ(served.raw.read()["result"]["protocolVersion"].as_int64(), 1);
}

TEST(AgentOwes, EverySessionAnIdOfItsOwn) {
  const Within limit("a hundred sessions");
  Served served(silent_agent());
  served.raw.initialize();
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(served.raw.new_session());
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_FALSE(ids.contains(""));
}

TEST(AgentOwes, NoHeedToWhatIsUnknown) {
  const Within limit("messages with more than belongs to them");
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) {
    turn.say(turn.text()).wait();
    return StopReason::end_turn;
  });
  Served served(agent);
  RawEnd& raw = served.raw;
  raw.line(request("1", "initialize",
                   R"({"protocolVersion":1,"_meta":{"deep":[{"x":1},null]},"later":{"a":1},)"
                   R"("clientCapabilities":{"_meta":{"y":true},"hologram":{"depth":3},)"
                   R"("fs":{"_meta":null,"watch":true}},"clientInfo":{"name":"n","version":"1",)"
                   R"("colour":"red"}})"));
  EXPECT_EQ(raw.read()["result"]["protocolVersion"].as_int64(), 1);
  raw.line(
      request("2", "session/new", R"({"cwd":"/","mcpServers":[],"_meta":{"z":[]},"later":[1,2]})"));
  const std::string session(raw.read()["result"]["sessionId"].as_string().value_or(""));
  raw.line(request("3", "session/prompt",
                   "{\"sessionId\":\"" + session +
                       R"(","_meta":{"trace":"abc"},"later":0,"prompt":[{"type":"text",)"
                       R"("text":"hello","_meta":{"k":"v"},"weight":2,)"
                       R"("annotations":{"_meta":{},"mood":"good"}}]})"));
  EXPECT_EQ(raw.read()["params"]["update"]["content"]["text"].as_string(), "hello");
  EXPECT_EQ(raw.read()["result"]["stopReason"].as_string(), "end_turn");
}

TEST(AgentOwes, WordOfItsExtensions) {
  const Within limit("agents with and without extensions");
  Agent agent = silent_agent();
  agent.on_request("_x/ask", [](Context, Json params) { return params; });
  agent.on_notification("_x/note", [](Context, const Json&) {});
  const auto told = [](Agent& agent) {
    Served served(agent);
    served.raw.line(request("1", "initialize", "{\"protocolVersion\":1}"));
    return Json(served.raw.read()["result"]["agentCapabilities"]["_meta"]);
  };
  const std::string names(told(agent).text());
  EXPECT_NE(names.find("\"_x/ask\""), std::string::npos) << names;
  EXPECT_NE(names.find("\"_x/note\""), std::string::npos) << names;
  Agent plain = silent_agent();
  EXPECT_TRUE(told(plain).absent());
}

TEST(AgentOwes, ARefusalOfContentAndServersThatItDidNotAdvertise) {
  const Within limit("content that is and is not advertised");
  const Strings blocks = {R"({"type":"image","data":"AA==","mimeType":"image/png"})",
                          R"({"type":"audio","data":"AA==","mimeType":"audio/wav"})",
                          R"({"type":"resource","resource":{"uri":"file:///a","text":"x"}})"};
  const std::string link = R"({"type":"resource_link","uri":"file:///a","name":"a"})";
  const auto prompt = [](const std::string& session, const std::string& block) {
    return request("5", "session/prompt",
                   "{\"sessionId\":\"" + session + R"(","prompt":[{"type":"text","text":"x"},)" +
                       block + "]}");
  };
  const std::string web = request(
      "6", "session/new",
      R"({"cwd":"/","mcpServers":[{"type":"http","name":"n","url":"http://x","headers":[]}]})");
  Served plain(silent_agent());
  plain.raw.initialize();
  const std::string session = plain.raw.new_session();
  for (const std::string& block : blocks) {
    plain.raw.line(prompt(session, block));
    const Json refused = plain.raw.read();
    EXPECT_EQ(refused["error"]["code"].as_int64(), -32602) << block;
    EXPECT_EQ(refused["error"]["data"]["path"].as_string(), "params.prompt[1].type") << block;
  }
  plain.raw.line(prompt(session, link));
  EXPECT_EQ(plain.raw.read()["result"]["stopReason"].as_string(), "end_turn");
  plain.raw.line(web);
  EXPECT_EQ(plain.raw.read()["error"]["data"]["path"].as_string(), "params.mcpServers[0].type");

  Agent able = silent_agent();
  able.prompt_capabilities({.image = true, .audio = true, .embeddedContext = true});
  able.mcp_capabilities({.http = true});
  Served served(able);
  served.raw.initialize();
  const std::string other = served.raw.new_session();
  for (const std::string& block : blocks) {
    served.raw.line(prompt(other, block));
    EXPECT_EQ(served.raw.read()["result"]["stopReason"].as_string(), "end_turn") << block;
  }
  served.raw.line(web);
  EXPECT_TRUE(served.raw.read()["result"]["sessionId"].is_string());
}

TEST(AgentOwes, AbsolutePathsAndLinesFromOne) {
  const Within limit("a turn with paths that are not absolute");
  Strings refused;
  Agent agent("test", "1");
  agent.on_prompt([&](Turn turn) {
    const auto attempt = [&](const std::function<void()>& act) {
      try {
        act();
        refused.emplace_back("nothing");
      } catch (const Refused& error) {
        refused.emplace_back(error.what());
      }
    };
    const ToolCall call = turn.tool_call("Edit", ToolKind::edit);
    attempt([&] { call.add_diff("astray", {}, "x").wait(); });
    attempt([&] { call.add_location("astray").wait(); });
    attempt([&] {
      v1::ToolCallUpdate update;
      update.status = ToolCallStatus::completed;
      update.locations = std::vector<v1::ToolCallLocation>{{.path = "/a", .line = 0}};
      call.update(update).wait();
    });
    attempt([&] { turn.read_file("astray").wait(); });
    attempt([&] { turn.write_file("astray", "x").wait(); });
    CommandOptions options;
    options.cwd = "astray";
    attempt([&] { turn.run_command("true", options).wait(); });
    // What was refused has left nothing behind that would be refused again.
    call.add_location("/a", 1).wait();
    call.add_diff("/a", {}, "x").wait();
    EXPECT_EQ(call.status(), ToolCallStatus::pending);
    call.complete("done").wait();
    return StopReason::end_turn;
  });
  Served served(agent);
  served.raw.initialize(R"({"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true})");
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  const Json answer = served.raw.read_answer("5");
  EXPECT_EQ(answer["result"]["stopReason"].as_string(), "end_turn") << answer.text();
  for (const std::string& line : served.raw.seen()) {
    EXPECT_EQ(line.find("astray"), std::string::npos) << line;
    EXPECT_EQ(line.find("\"line\":0"), std::string::npos) << line;
  }
  ASSERT_EQ(refused.size(), 6u);
  for (const std::string& reason : refused) EXPECT_NE(reason, "nothing");
}

// What went wrong inside stays there; by its number it is found in the log.
TEST(AgentOwes, NoMoreThanANumberForWhatWentWrongInside) {
  const Within limit("a handler that throws");
  Gate told;
  std::mutex mutex;
  std::string logged, number;
  Agent agent("test", "1");
  agent.on_prompt([](Turn) -> StopReason { throw std::runtime_error("a secret"); });
  agent.on_log([&](const LogEntry& entry) {
    const std::lock_guard lock(mutex);
    if (entry.correlation_id.empty()) return;
    logged = entry.message;
    number = entry.correlation_id;
    told.open();
  });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  served.raw.prompt("5", session, "go");
  const Json answer = served.raw.read_answer("5");
  EXPECT_EQ(answer["error"]["code"].as_int64(), -32603);
  EXPECT_EQ(answer.text().find("secret"), std::string::npos) << answer.text();
  ASSERT_TRUE(told.wait("the log's line"));
  const std::lock_guard lock(mutex);
  EXPECT_NE(logged.find("a secret"), std::string::npos) << logged;
  EXPECT_EQ(answer["error"]["data"]["correlationId"].as_string(), number);
}

// ---- clients

// The first message of a client, which then goes away.
Json first_message(Client& client) {
  auto [ours, theirs] = memory_pair();
  Json first;
  Script agent(std::move(theirs), [&](RawEnd& end) {
    first = end.read();
    end.answer(first, "{\"protocolVersion\":1}");
    end.read_to_end();
  });
  client.connect(std::move(ours)).close();
  agent.join();
  return first;
}

TEST(ClientOwes, InitializeFirstAndWordOfWhatItOffers) {
  const Within limit("the first words of clients");
  Client client("test", "1");
  const auto told = [&] {
    const Json first = first_message(client);
    EXPECT_EQ(first["method"].as_string(), "initialize");
    EXPECT_EQ(first["params"]["protocolVersion"].as_int64(), 1);
    const JsonView can = first["params"]["clientCapabilities"];
    return std::vector<bool>{can["fs"]["readTextFile"].as_bool().value_or(false),
                             can["fs"]["writeTextFile"].as_bool().value_or(false),
                             can["terminal"].as_bool().value_or(false), !can["_meta"].absent()};
  };
  EXPECT_EQ(told(), (std::vector<bool>{false, false, false, false}));
  client.on_read_text_file(
      [](const ClientContext&, const auto&) { return v1::ReadTextFileResponse(); });
  EXPECT_EQ(told(), (std::vector<bool>{true, false, false, false}));
  client.on_write_text_file(
      [](const ClientContext&, const auto&) { return v1::WriteTextFileResponse(); });
  EXPECT_EQ(told(), (std::vector<bool>{true, true, false, false}));
  TerminalHandlers terminals;
  terminals.create = [](const ClientContext&, const auto&) { return v1::CreateTerminalResponse(); };
  terminals.output = [](const ClientContext&, const auto&) { return v1::TerminalOutputResponse(); };
  terminals.wait_for_exit = [](const ClientContext&, const auto&) {
    return v1::WaitForTerminalExitResponse();
  };
  terminals.kill = [](const ClientContext&, const auto&) { return v1::KillTerminalResponse(); };
  terminals.release = [](const ClientContext&, const auto&) {
    return v1::ReleaseTerminalResponse();
  };
  client.on_terminals(std::move(terminals));
  client.on_request("_x/ask", [](const ClientContext&, Json params) { return params; });
  EXPECT_EQ(told(), (std::vector<bool>{true, true, true, true}));
}

// An agent that says no more of itself than its version: nothing it left out is taken for granted.
TEST(ClientOwes, NoCallThatTheAgentDidNotAdvertise) {
  const Within limit("calls that the agent does not know");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.answer(end.read(), "{\"protocolVersion\":1}");
    end.answer(end.read_call("session/new"), "{\"sessionId\":\"s\"}");
    // Whatever had slipped out stands before this.
    while (true) {
      const Json next = end.read();
      if (next.is_null() || next["method"].as_string() == "_sync") {
        end.answer(next, "{}");
        break;
      }
      ADD_FAILURE() << next.text();
      end.answer(next, "{}");
    }
    end.read_to_end();
  });
  Client client("test", "1");
  const RemoteAgent remote = client.connect(std::move(ours));
  const Session session = remote.new_session("/");
  const auto refused = [](const auto& act) { EXPECT_THROW(act(), Refused); };
  const auto with_server = [&](const v1::McpServer& server) {
    v1::NewSessionRequest request;
    request.cwd = "/";
    request.mcpServers = {server};
    remote.new_session(request);
  };
  refused([&] { remote.load_session("s", "/"); });
  refused([&] { remote.resume_session({.sessionId = "s", .cwd = "/"}); });
  refused([&] { remote.list_sessions(); });
  refused([&] { remote.delete_session("s"); });
  refused([&] { remote.authenticate("key"); });
  refused([&] { remote.logout(); });
  refused([&] { session.set_mode("code"); });
  refused([&] { session.set_config_option("model", std::string("large")); });
  refused([&] { session.prompt({v1::ImageContent{.data = "AA==", .mimeType = "image/png"}}); });
  refused([&] { session.prompt({v1::AudioContent{.data = "AA==", .mimeType = "audio/wav"}}); });
  v1::EmbeddedResource embedded;
  embedded.resource = v1::TextResourceContents{.text = "x", .uri = "file:///a"};
  refused([&] { session.prompt({embedded}); });
  refused([&] { with_server(v1::McpServerHttp{.name = "n", .url = "http://x"}); });
  refused([&] { with_server(v1::McpServerSse{.name = "n", .url = "http://x"}); });
  v1::NewSessionRequest wide;
  wide.cwd = "/";
  wide.additionalDirectories = {"/a"};
  refused([&] { remote.new_session(wide); });
  refused([&] { remote.new_session("relative"); });
  remote.peer().request("_sync", Json::object()).wait();
  remote.close();
}

TEST(ClientOwes, NoAnswerToANotification) {
  const Within limit("notifications of every kind");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.welcome();
    const Json prompt = end.read_call("session/prompt");
    end.say("s", "known");
    end.say("nobody", "of a session that there is not");
    end.line(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}})");
    end.line(R"({"jsonrpc":"2.0","method":"session/update","params":7})");
    end.line(R"({"jsonrpc":"2.0","method":"_x/unknown","params":{}})");
    end.line(R"({"jsonrpc":"2.0","method":"no/such"})");
    end.line(request("77", "_x/unknown"));
    // The first answer is that to the request.
    const Json answer = end.read();
    EXPECT_EQ(answer["id"].text(), "77") << answer.text();
    EXPECT_EQ(answer["error"]["code"].as_int64(), -32601);
    end.answer(prompt, "{\"stopReason\":\"end_turn\"}");
    end.read_to_end();
  });
  Client client("test", "1");
  const RemoteAgent remote = client.connect(std::move(ours));
  const Session session = remote.new_session("/");
  EXPECT_EQ(session.prompt("go").finish().wait().stopReason, StopReason::end_turn);
  remote.close();
}

TEST(ClientOwes, NoHeedToWhatIsUnknown) {
  const Within limit("answers with more than belongs to them");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.answer(end.read_call("initialize"),
               R"({"protocolVersion":1,"_meta":{"a":[1]},"later":1,"agentCapabilities":{)"
               R"("_meta":{"vendor":{"x":true}},"levitate":true,)"
               R"("promptCapabilities":{"_meta":{},"smell":true}},)"
               R"("authMethods":[{"id":"k","name":"K","_meta":{"b":2},"colour":"red"}]})");
    end.answer(end.read_call("session/new"), R"({"sessionId":"s","_meta":{"c":3},"later":[]})");
    const Json prompt = end.read_call("session/prompt");
    end.line(
        R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","_meta":{"d":4},)"
        R"("later":0,"update":{"sessionUpdate":"agent_message_chunk","_meta":{"e":5},"later":1,)"
        R"("content":{"type":"text","text":"hello","_meta":{"f":6},"later":2}}}})");
    end.answer(prompt, R"({"stopReason":"end_turn","_meta":{"g":7},"later":{}})");
    end.read_to_end();
  });
  Client client("test", "1");
  const RemoteAgent remote = client.connect(std::move(ours));
  EXPECT_EQ(remote.auth_methods().size(), 1u);
  const Session session = remote.new_session("/");
  Strings said;
  for (PromptEvent& event : session.prompt("go")) {
    if (const auto* update = std::get_if<SessionUpdate>(&event))
      said.push_back(
          std::get<v1::TextContent>(std::get<v1::AgentMessageChunk>(*update).content).text);
    else
      EXPECT_EQ(std::get<StopReason>(event), StopReason::end_turn);
  }
  EXPECT_EQ(said, Strings{"hello"});
  remote.close();
}

TEST(ClientOwes, IdDirectoryAndServersWhereItLoads) {
  const Within limit("a session that is loaded");
  auto [ours, theirs] = memory_pair();
  Script agent(std::move(theirs), [](RawEnd& end) {
    end.answer(end.read_call("initialize"),
               R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true}})");
    const Json load = end.read_call("session/load");
    const Json expected = Json::parse(R"({"sessionId":"old","cwd":"/here","mcpServers":[{"name":)"
                                      R"("n","command":"/bin/mcp","args":["-v"],"env":[]}]})")
                              .value();
    EXPECT_EQ(load["params"], expected.view()) << load.text();
    end.say("old", "what was said");
    end.answer(load, "null");  // as older agents answer
    end.read_to_end();
  });
  Client client("test", "1");
  const RemoteAgent remote = client.connect(std::move(ours));
  v1::LoadSessionRequest request;
  request.sessionId = "old";
  request.cwd = "/here";
  request.mcpServers = {v1::McpServerStdio{.name = "n", .command = "/bin/mcp", .args = {"-v"}}};
  const Session session = remote.load_session(request);
  EXPECT_EQ(session.id(), "old");
  EXPECT_EQ(session.take_updates().size(), 1u);
  remote.close();
}

}  // namespace
}  // namespace acp
