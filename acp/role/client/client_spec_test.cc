// What the protocol's documents demand of a client, as far as no other test shows it:
// docs/requirements.md names the test of each demand.
#include <gtest/gtest.h>

#include "acp/client.h"
#include "acp/error.h"
#include "acp/testing/gate.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using Strings = std::vector<std::string>;

// The first message of a client, which then goes away.
Json first_message(Client& client) {
  auto [ours, theirs] = memory_pair();
  Json first;
  Script agent(std::move(theirs), [&](RawEnd& end) {
    first = end.read();
    end.answer(first, "{\"protocolVersion\":1}");
    end.read_to_end();
  });
  client.connect(std::move(ours)).wait().close();
  agent.join();
  return first;
}

TEST(ClientSpec, InitializesFirstAndAdvertisesWhatItOffers) {
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
TEST(ClientSpec, AnswersNothingBeforeInitialize) {
  const Within limit("a session too early");
  auto [ours, theirs] = memory_pair();
  Client client("test", "1");
  const AgentHandle remote = client.attach(std::move(ours));
  EXPECT_THROW(remote.new_session("/").wait(), Refused);
  Strings heard;
  Script agent(std::move(theirs), [&](RawEnd& end) {
    for (const char* result : {"{\"protocolVersion\":1}", "{\"sessionId\":\"s\"}"}) {
      const Json request = end.read();
      heard.push_back(request["method"].as_string().value_or(""));
      end.answer(request, result);
    }
  });
  while (!remote.ready()) remote.dispatch();
  EXPECT_EQ(remote.new_session("/").wait().id(), "s");
  agent.join();
  EXPECT_EQ(heard, (Strings{"initialize", "session/new"}));
}

TEST(ClientSpec, ReportsThatAnAgentHasGone) {
  const Within limit("agents that go");
  std::vector<std::string> told;
  std::vector<AgentId> gone_agents;
  Gate gone;
  Client client("test", "1");
  client.on_disconnected([&](const AgentId& agent, std::string_view reason) {
    gone_agents.push_back(agent);
    told.emplace_back(reason);
    gone.open();
  });
  {
    auto [ours, theirs] = memory_pair();
    Script agent(std::move(theirs), [](RawEnd& end) { end.welcome(); });
    const AgentHandle remote = client.connect(std::move(ours)).wait();
    const Session session = remote.new_session("/").wait();
    agent.join();
    agent.end().close();
    gone.wait("the end of an agent of which nothing is asked");
    EXPECT_FALSE(remote.connected());
    EXPECT_EQ(gone_agents, std::vector{remote.id()});
  }
  EXPECT_EQ(told, Strings{"the other side closed the connection"});
  const Json first = first_message(client);
  EXPECT_EQ(first["method"].as_string(), "initialize");
  ASSERT_EQ(told.size(), 2u);  // closed here
  EXPECT_FALSE(gone_agents[0] == gone_agents[1]);
}

TEST(ClientSpec, MakesNoCallThatTheAgentDidNotAdvertise) {
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
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  const auto refused = [](const auto& act) { EXPECT_THROW(act(), Refused); };
  const auto with_server = [&](const v1::McpServer& server) {
    v1::NewSessionRequest request;
    request.cwd = "/";
    request.mcpServers = {server};
    remote.new_session(request).wait();
  };
  refused([&] { remote.load_session("s", "/").wait(); });
  refused([&] {
    v1::ResumeSessionRequest request;
    request.sessionId = "s";
    request.cwd = "/";
    remote.resume_session(request).wait();
  });
  refused([&] { remote.list_sessions().wait(); });
  refused([&] { remote.delete_session("s").wait(); });
  refused([&] { remote.authenticate("key").wait(); });
  refused([&] { remote.logout().wait(); });
  refused([&] { session.set_mode("code").wait(); });
  refused([&] { session.set_config_option("model", std::string("large")).wait(); });
  const v1::ImageContent image{.data = "AA==", .mimeType = "image/png"};
  const v1::AudioContent sound{.data = "AA==", .mimeType = "audio/wav"};
  refused([&] { session.prompt({image}); });
  refused([&] { session.prompt({"Listen:", sound}); });
  v1::EmbeddedResource embedded;
  embedded.resource = v1::TextResourceContents{.text = "x", .uri = "file:///a"};
  refused([&] { session.prompt({embedded}); });
  refused([&] { with_server(v1::McpServerHttp{.name = "n", .url = "http://x"}); });
  refused([&] { with_server(v1::McpServerSse{.name = "n", .url = "http://x"}); });
  v1::NewSessionRequest wide;
  wide.cwd = "/";
  wide.additionalDirectories = {"/a"};
  refused([&] { remote.new_session(wide).wait(); });
  refused([&] { remote.new_session("relative").wait(); });
  remote.peer().request("_sync", Json::object()).wait();
  remote.close();
}

TEST(ClientSpec, DoesNotAnswerNotifications) {
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
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  const Session session = remote.new_session("/").wait();
  EXPECT_EQ(session.prompt("go").finish().wait().stopReason, StopReason::end_turn);
  remote.close();
}

TEST(ClientSpec, IgnoresUnknownFieldsAndNotifications) {
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
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  EXPECT_EQ(remote.auth_methods().size(), 1u);
  const Session session = remote.new_session("/").wait();
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

TEST(ClientSpec, LoadsWithIdDirectoryAndServers) {
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
  const AgentHandle remote = client.connect(std::move(ours)).wait();
  v1::LoadSessionRequest request;
  request.sessionId = "old";
  request.cwd = "/here";
  request.mcpServers = {v1::McpServerStdio{.name = "n", .command = "/bin/mcp", .args = {"-v"}}};
  const Session session = remote.load_session(request).wait();
  EXPECT_EQ(session.id(), "old");
  EXPECT_EQ(session.take_updates().size(), 1u);
  remote.close();
}

}  // namespace
}  // namespace acp
