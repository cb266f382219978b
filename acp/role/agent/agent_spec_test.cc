// What the protocol's documents demand of an agent, as far as no other test shows
// it: docs/requirements.md names the test of each demand.
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "acp/agent.h"
#include "acp/error.h"
#include "acp/schema/v1.h"
#include "acp/testing/gate.h"
#include "acp/testing/served.h"

namespace acp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

using Strings = std::vector<std::string>;

TEST(AgentSpec, RefusesInvalidProtocolVersions) {
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

TEST(AgentSpec, GivesEverySessionAnIdOfItsOwn) {
  const Within limit("a hundred sessions");
  Served served(silent_agent());
  served.raw.initialize();
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(served.raw.new_session());
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_FALSE(ids.contains(""));
}

TEST(AgentSpec, RefusesValuesThatAreNotListedUnlessTheOptionIsOpen) {
  const Within limit("values that are not listed");
  const auto option = [](const char* id) {
    v1::SessionConfigSelectOption listed;
    listed.value = listed.name = "small";
    v1::SessionConfigSelect select;
    select.currentValue = "small";
    select.options = std::vector{listed};
    v1::SessionConfigOption made;
    made.id = made.name = id;
    made.type = select;
    return made;
  };
  Agent agent = silent_agent();
  std::vector<std::string> asked;
  agent.config_options({option("model"), option("size")})
      .open_option("model")
      .on_set_config_option([&](SessionContext, const v1::SetSessionConfigOptionRequest& request) {
        asked.push_back(std::get<v1::SetSessionConfigValueId>(request.value).value);
        if (asked.back() == "none") throw invalid_params("model", "one that there is", "none");
        return v1::SetSessionConfigOptionResponse();
      });
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  const auto set = [&](const char* id, const std::string& what) {
    served.raw.line(request(id, "session/set_config_option",
                            "{\"sessionId\":\"" + session + "\"," + what + "}"));
    return served.raw.read_answer(id);
  };
  const Json refused = set("5", R"("configId":"size","value":"huge")");
  EXPECT_EQ(refused["error"]["code"].as_int64(), -32602);
  const Json unknown = set("6", R"("configId":"model","value":"none")");
  EXPECT_EQ(unknown["error"]["code"].as_int64(), -32602);
  const Json taken = set("7", R"("configId":"model","value":"huge")");
  EXPECT_EQ(taken["result"]["configOptions"][0]["currentValue"].as_string(), "huge")
      << taken.text();
  EXPECT_EQ(asked, (Strings{"none", "huge"}));
}

TEST(AgentSpec, IgnoresUnknownFieldsAndNotifications) {
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

TEST(AgentSpec, AdvertisesItsExtensions) {
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

TEST(AgentSpec, RefusesContentAndServersThatItDidNotAdvertise) {
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

  // Bytes that cannot be read are no content.
  const auto blob = [](const std::string& text) {
    return R"({"type":"resource","resource":{"uri":"file:///a","blob":")" + text + "\"}}";
  };
  const auto image = [](const std::string& text) {
    return R"({"type":"image","mimeType":"image/png","data":")" + text + "\"}";
  };
  for (const char* right : {"", "AA==", "AAA=", "AAAA", "AA", "+/az09AZ"}) {
    served.raw.line(prompt(other, image(right)));
    EXPECT_EQ(served.raw.read()["result"]["stopReason"].as_string(), "end_turn") << right;
  }
  const auto path_of_refusal = [&](const std::string& block) {
    served.raw.line(prompt(other, block));
    const Json refused = served.raw.read();
    EXPECT_EQ(refused["error"]["code"].as_int64(), -32602) << block;
    return refused["error"]["data"]["path"].as_string().value_or("");
  };
  for (const char* wrong : {"A", "AAAAA", "=", "A=", "AA=", "AAA==", "A===", "AA==AA", "AA-_",
                            "A A", "AAAA\\n", "data:image/png;base64,AAAA", "ä"}) {
    EXPECT_EQ(path_of_refusal(image(wrong)), "params.prompt[1].data") << wrong;
    EXPECT_EQ(path_of_refusal(blob(wrong)), "params.prompt[1].resource.blob") << wrong;
  }
  EXPECT_EQ(path_of_refusal(R"({"type":"audio","mimeType":"audio/wav","data":"?"})"),
            "params.prompt[1].data");
}

TEST(AgentSpec, SendsAbsolutePathsAndLinesFromOne) {
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
TEST(AgentSpec, AnswersInternalFailuresWithACorrelationIdOnly) {
  const Within limit("a handler that throws");
  Gate told;
  std::mutex mutex;
  std::string logged, number;
  Agent agent("test", "1");
  agent.on_prompt([](Turn turn) -> StopReason {
    if (turn.text() == "open a file") throw LocalFailure("/home/a secret: permission denied");
    throw std::runtime_error("a secret");
  });
  agent.on_log([&](const LogEntry& entry) {
    const std::lock_guard lock(mutex);
    if (entry.correlation_id.empty() || !number.empty()) return;
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
  served.raw.prompt("6", session, "open a file");
  const Json of_file = served.raw.read_answer("6");
  EXPECT_EQ(of_file["error"]["message"].as_string(), "Internal error");
  EXPECT_EQ(of_file.text().find("secret"), std::string::npos) << of_file.text();
}

// A program that takes no log still has the reason: on stderr, under the same number, on one line.
TEST(AgentSpec, WritesFailuresToStderrWithoutALogHook) {
  const Within limit("a handler that throws");
  ::testing::internal::CaptureStderr();
  std::string number;
  {
    Agent agent("my-agent", "1");
    agent.on_prompt([](Turn) -> StopReason { throw std::runtime_error("no\nspace \x1b[31mleft"); });
    Served served(agent);
    served.raw.initialize();
    const std::string session = served.raw.new_session();
    served.raw.line(R"({"jsonrpc":"2.0","method":"unheard/of"})");
    served.raw.prompt("5", session, "go");
    number = served.raw.read_answer("5")["error"]["data"]["correlationId"].as_string().value_or("");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "my-agent: " + number + ": a handler failed: no\u240Aspace \u241B[31mleft\n");
}

// Upstream has removed it; an agent may still take it from a client that has not heard of that.
TEST(AgentSpec, KnowsSetModelOnlyIfTheProgramAcceptsIt) {
  const Within limit("session/set_model");
  v1::SessionConfigSelect select;
  select.currentValue = "small";
  std::vector<v1::SessionConfigSelectOption> values(2);
  values[0].value = values[0].name = "small";
  values[1].value = values[1].name = "large";
  select.options = values;
  v1::SessionConfigOption option;
  option.id = "which";
  option.name = "Model";
  option.category = v1::SessionConfigOptionCategory(v1::SessionConfigOptionCategory::model);
  option.type = select;
  const auto code = [](Served& served, const std::string& session,
                       const std::string& model) -> const Json& {
    served.raw.line(
        R"({"jsonrpc":"2.0","id":6,"method":"session/set_model","params":{"sessionId":")" +
        session + R"(","modelId":")" + model + R"("}})");
    return served.raw.read_answer("6");
  };
  Agent agent("test", "1");
  agent.on_prompt([](Turn) { return StopReason::end_turn; }).config_options({option});
  {
    Served served(agent);
    served.raw.initialize();
    const std::string session = served.raw.new_session();
    EXPECT_EQ(code(served, session, "large")["error"]["code"].as_int64(), -32601);
  }
  agent.accept_set_model();
  Served served(agent);
  served.raw.initialize();
  const std::string session = served.raw.new_session();
  const Json changed = code(served, session, "large");
  EXPECT_EQ(changed["result"]["configOptions"][0]["currentValue"].as_string(), "large")
      << changed.text();
  EXPECT_EQ(code(served, session, "huge")["error"]["code"].as_int64(), -32602);
  EXPECT_EQ(code(served, "nowhere", "large")["error"]["code"].as_int64(), -32002);
  served.raw.line(R"({"jsonrpc":"2.0","id":7,"method":"session/set_model","params":{}})");
  EXPECT_EQ(served.raw.read_answer("7")["error"]["code"].as_int64(), -32602);
}

}  // namespace
}  // namespace acp
