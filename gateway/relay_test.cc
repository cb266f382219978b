#include "gateway/relay.h"

#include <gtest/gtest.h>

#include <vector>

#include "acp/rpc/engine.h"

namespace acp::gateway {
namespace {

using Strings = std::vector<std::string>;

// An editor and an agent that the test plays.
struct RelayTest : ::testing::Test {
  void start(RelayOptions options = {}) {
    relay.emplace(std::move(options),
                  Relay::Ends{[this](std::string_view text) { editor.emplace_back(text); },
                              [this](std::string_view text) { agent.emplace_back(text); },
                              [this](const std::string& text) { said.push_back(text); }});
    relay->connected();
  }
  static std::string call(const std::string& id, const std::string& method,
                          const std::string& params = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" +
           params + "}";
  }
  static std::string answer(const std::string& id, const std::string& result = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}";
  }
  // Takes the last message of a side, or what it has at these members, and forgets the others.
  template <class... Members>
  static Json last(Strings& side, const Members&... members) {
    Json value = side.empty() ? Json() : *Json::parse(side.back());
    side.clear();
    ((value = Json(value[members])), ...);
    return value;
  }
  void initialize(const std::string& capabilities) {
    relay->from_editor(call(
        "1", "initialize",
        R"({"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"terminal":true}})"));
    relay->from_agent(
        answer("1", R"({"protocolVersion":1,"agentCapabilities":)" + capabilities + "}"));
  }
  void new_session() {
    relay->from_editor(call("2", "session/new", R"({"cwd":"/here","mcpServers":[]})"));
    relay->from_agent(answer("2", R"({"sessionId":"s"})"));
    editor.clear();
    agent.clear();
  }

  void refuse(const Json& id, int code) {
    relay->from_agent(R"({"jsonrpc":"2.0","id":)" + std::string(id.text()) +
                      R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":"no"}})");
  }

  // After a break, until the agent has answered initialize.
  void come_back(const std::string& capabilities) {
    relay->lost("the cable");
    relay->connected();
    editor.clear();
    const Json id = last(agent, "id");
    relay->from_agent(
        answer(std::string(id.text()), R"({"agentCapabilities":)" + capabilities + "}"));
  }

  Strings editor, agent, said;
  std::optional<Relay> relay;
};

TEST_F(RelayTest, PassesEverything) {
  start();
  relay->from_editor(call("1", "_x", R"({"n":1})"));
  EXPECT_EQ(agent, Strings{call("1", "_x", R"({"n":1})")});
  relay->from_agent(answer("1", R"({"m":2})"));
  EXPECT_EQ(editor, Strings{answer("1", R"({"m":2})")});
  editor.clear();
  relay->from_agent(R"({"jsonrpc":"2.0","method":"_note","params":[1]})");
  EXPECT_EQ(editor, Strings{R"({"jsonrpc":"2.0","method":"_note","params":[1]})"});
}

TEST_F(RelayTest, QuestionsHaveIdsOfTheirOwn) {
  start();
  relay->from_agent(call("7", "fs/read_text_file", R"({"path":"/a"})"));
  const Json asked = last(editor);
  EXPECT_NE(asked["id"].text(), "7");
  relay->from_agent(R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}})");
  EXPECT_EQ(last(editor, "params", "requestId"), asked["id"]);
  relay->from_editor(answer(std::string(asked["id"].text()), R"({"content":"x"})"));
  EXPECT_EQ(agent, Strings{answer("7", R"({"content":"x"})")});
}

// It would run this program, here, with the words of an agent elsewhere.
TEST_F(RelayTest, LoginsInTheTerminalAreNotOffered) {
  start();
  relay->from_editor(
      call("1", "initialize",
           R"({"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":true}}})"));
  EXPECT_EQ(last(agent, "params", "clientCapabilities", "auth", "terminal").as_bool(), false);
  relay->from_agent(answer("1", R"({"protocolVersion":1,"authMethods":[{"id":"a","name":"A"},
      {"type":"terminal","id":"b","name":"B","args":["--ssh-option","ProxyCommand=x"]},
      {"type":"agent","id":"c","name":"C","type":"terminal"}],
      "authMethods":[{"type":"terminal","id":"d","name":"D"}]})"));
  const Json shown = last(editor);
  EXPECT_EQ(shown.text().find("terminal"), std::string_view::npos) << shown.text();
  EXPECT_EQ(shown["result"]["protocolVersion"].as_int64(), 1);
}

TEST_F(RelayTest, ABreakEndsWhatWasUnderWay) {
  start();
  initialize("{}");
  new_session();
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  relay->from_agent(call("7", "session/request_permission", R"({"sessionId":"s"})"));
  const Json question = last(editor);
  relay->lost("the cable");
  ASSERT_EQ(editor.size(), 2u);
  const Json taken_back = *Json::parse(editor[0]), failed = *Json::parse(editor[1]);
  EXPECT_EQ(taken_back["method"].as_string(), "$/cancel_request");
  EXPECT_EQ(taken_back["params"]["requestId"], question["id"]);
  EXPECT_EQ(failed["id"].text(), "3");
  EXPECT_EQ(failed["error"]["message"].as_string(),
            "the connection to the remote agent was lost: the cable");
  // Its answer comes too late.
  agent.clear();
  relay->from_editor(answer(std::string(question["id"].text())));
  EXPECT_TRUE(agent.empty());
}

TEST_F(RelayTest, SessionsAreResumed) {
  start();
  initialize(R"({"sessionCapabilities":{"resume":{}},"loadSession":true})");
  new_session();
  relay->lost("the cable");
  // What is asked meanwhile waits.
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  EXPECT_TRUE(agent.empty());
  relay->connected();
  const Json again = last(agent);
  EXPECT_EQ(again["method"].as_string(), "initialize");
  EXPECT_EQ(again["params"]["clientCapabilities"]["terminal"].as_bool(), true);
  relay->from_agent(
      answer(std::string(again["id"].text()),
             R"({"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}})"));
  const Json resume = last(agent);
  EXPECT_EQ(resume["method"].as_string(), "session/resume");
  EXPECT_EQ(resume["params"].text(), R"({"sessionId":"s","cwd":"/here","mcpServers":[]})");
  relay->from_agent(answer(std::string(resume["id"].text())));
  EXPECT_EQ(agent, Strings{call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})")});
  EXPECT_TRUE(editor.empty());
}

TEST_F(RelayTest, AReplayIsNotShownTwice) {
  start();
  initialize(R"({"loadSession":true})");
  new_session();
  relay->lost("the cable");
  relay->connected();
  relay->from_agent(answer(std::string(last(agent, "id").text()),
                           R"({"agentCapabilities":{"loadSession":true}})"));
  const Json load = last(agent);
  EXPECT_EQ(load["method"].as_string(), "session/load");
  const std::string update =
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{}}})";
  relay->from_agent(update);
  EXPECT_TRUE(editor.empty());
  relay->from_agent(answer(std::string(load["id"].text())));
  relay->from_agent(update);
  EXPECT_EQ(editor, Strings{update});
}

TEST_F(RelayTest, SaysWhatWasLost) {
  start();
  initialize(R"({"loadSession":true})");
  new_session();
  relay->lost("the cable");
  relay->connected();
  relay->from_agent(answer(std::string(last(agent, "id").text()),
                           R"({"agentCapabilities":{"loadSession":true}})"));
  relay->from_agent(R"({"jsonrpc":"2.0","id":)" + std::string(last(agent, "id").text()) +
                    R"(,"error":{"code":-32002,"message":"no such session"}})");
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  EXPECT_TRUE(agent.empty());
  EXPECT_EQ(last(editor, "error", "message").as_string(),
            "this session did not survive the break of the connection: no such session");
  // Another one can be opened.
  relay->from_editor(call("4", "session/new", R"({"cwd":"/here"})"));
  EXPECT_EQ(last(agent, "method").as_string(), "session/new");
}

TEST_F(RelayTest, ASecondBreakWhileItComesBackLosesNothing) {
  start();
  initialize(R"({"sessionCapabilities":{"resume":{}}})");
  new_session();
  relay->lost("the cable");
  relay->from_editor(call("3", "_x"));
  relay->connected();
  relay->lost("the cable again");
  EXPECT_TRUE(editor.empty());
  EXPECT_EQ(relay->pending(), 1u);
  relay->given_up("enough");
  EXPECT_EQ(last(editor, "id").text(), "3");
  EXPECT_EQ(relay->pending(), 0u);
}

TEST_F(RelayTest, AnAgentMayAskWhileItIsRestored) {
  start();
  initialize(R"({"loadSession":true})");
  new_session();
  come_back(R"({"loadSession":true})");
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  const Json load = last(agent);
  relay->from_agent(call("7", "fs/read_text_file", R"({"sessionId":"s","path":"/a"})"));
  EXPECT_TRUE(relay->has_questions());
  relay->from_editor(answer(std::string(last(editor, "id").text()), R"({"content":"x"})"));
  EXPECT_EQ(agent, Strings{answer("7", R"({"content":"x"})")});
  EXPECT_FALSE(relay->has_questions());
  agent.clear();
  relay->from_agent(answer(std::string(load["id"].text())));
  EXPECT_EQ(last(agent, "method").as_string(), "session/prompt");
}

TEST_F(RelayTest, ASessionThatTakesTooLongIsLostAlone) {
  start();
  initialize(R"({"loadSession":true})");
  relay->from_editor(call("2", "session/new", R"({"cwd":"/other"})"));
  relay->from_agent(answer("2", R"({"sessionId":"a"})"));
  new_session();
  come_back(R"({"loadSession":true})");
  ASSERT_EQ(agent.size(), 2u);
  const Json slow = *Json::parse(agent[0]);
  EXPECT_EQ(slow["params"]["sessionId"].as_string(), "a");
  relay->from_agent(answer(std::string(last(agent, "id").text())));
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"a","prompt":[]})"));
  relay->from_editor(call("4", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  EXPECT_TRUE(relay->is_restoring());
  relay->too_slow();
  EXPECT_TRUE(relay->is_here());
  EXPECT_EQ(last(agent, "id").text(), "4");
  ASSERT_EQ(editor.size(), 1u);
  const Json failed = last(editor);
  EXPECT_EQ(failed["id"].text(), "3");
  EXPECT_EQ(
      failed["error"]["message"].as_string(),
      "this session did not survive the break of the connection: the agent did not answer in time");
  EXPECT_EQ(relay->pending(), 1u);
  // It comes too late, with the replay that the editor has.
  relay->from_agent(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a"}})");
  relay->from_agent(answer(std::string(slow["id"].text())));
  EXPECT_TRUE(editor.empty());
  relay->from_editor(call("5", "session/load", R"({"sessionId":"a","cwd":"/other"})"));
  relay->from_agent(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a"}})");
  EXPECT_EQ(editor.size(), 1u);
}

TEST_F(RelayTest, AnAgentThatNeverAnswersInitializeIsLost) {
  start();
  initialize("{}");
  relay->lost("the cable");
  relay->connected();
  relay->from_editor(call("3", "_x"));
  relay->too_slow();
  EXPECT_TRUE(relay->is_over());
  EXPECT_EQ(last(editor, "error", "message").as_string(),
            "the connection to the remote agent was lost: the agent does not answer initialize");
}

TEST_F(RelayTest, AnAgentThatForgetsTheLoginIsToldAgain) {
  start();
  initialize(R"({"loadSession":true})");
  relay->from_editor(call("9", "authenticate", R"({"methodId":"key"})"));
  relay->from_agent(answer("9"));
  new_session();
  come_back(R"({"loadSession":true})");
  refuse(last(agent, "id"), rpc::auth_required);
  const Json again = last(agent);
  EXPECT_EQ(again["method"].as_string(), "authenticate");
  EXPECT_EQ(again["params"].text(), R"({"methodId":"key"})");
  relay->from_agent(answer(std::string(again["id"].text())));
  const Json load = last(agent);
  EXPECT_EQ(load["method"].as_string(), "session/load");
  relay->from_agent(answer(std::string(load["id"].text())));
  EXPECT_TRUE(relay->is_here());
  EXPECT_EQ(said.back(), "connected again, with 1 sessions");
  // It is asked once, and a refusal is the session's.
  come_back(R"({"loadSession":true})");
  refuse(last(agent, "id"), rpc::auth_required);
  refuse(last(agent, "id"), rpc::internal_error);
  EXPECT_TRUE(relay->is_here());
  EXPECT_EQ(said.back(), "connected again, with 0 sessions");
}

// Its process of before may still hold it.
TEST_F(RelayTest, ASessionThatCannotBeOpenedYetIsTriedAgain) {
  start();
  initialize(R"({"loadSession":true})");
  new_session();
  come_back(R"({"loadSession":true})");
  refuse(last(agent, "id"), rpc::invalid_request);
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  EXPECT_TRUE(relay->is_restoring() && relay->has_failed_sessions());
  EXPECT_TRUE(agent.empty());
  relay->try_again(false);
  EXPECT_FALSE(relay->has_failed_sessions());
  relay->from_agent(answer(std::string(last(agent, "id").text())));
  EXPECT_TRUE(relay->is_here());
  EXPECT_EQ(last(agent, "method").as_string(), "session/prompt");
  // It ends: after the last time it is lost.
  come_back(R"({"loadSession":true})");
  refuse(last(agent, "id"), rpc::invalid_request);
  relay->try_again(true);
  refuse(last(agent, "id"), rpc::invalid_request);
  EXPECT_TRUE(relay->is_here());
  EXPECT_EQ(said.back(), "connected again, with 0 sessions");
}

TEST_F(RelayTest, ACopyOfALostSessionDoesNotBringItBack) {
  start();
  initialize("{}");
  new_session();
  come_back("{}");
  relay->from_editor(call("3", "session/fork", R"({"sessionId":"s","cwd":"/here"})"));
  EXPECT_EQ(last(agent, "method").as_string(), "session/fork");
  relay->from_editor(call("4", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  EXPECT_TRUE(agent.empty());
  EXPECT_EQ(last(editor, "id").text(), "4");
}

TEST_F(RelayTest, AnAnswerWithoutASessionOpensNone) {
  start();
  initialize(R"({"loadSession":true})");
  relay->from_editor(call("2", "session/new", R"({"cwd":"/here"})"));
  relay->from_agent(answer("2"));
  come_back(R"({"loadSession":true})");
  EXPECT_TRUE(agent.empty());
  EXPECT_TRUE(relay->is_here());
}

TEST_F(RelayTest, HidesTheEditorsFilesAndTerminals) {
  RelayOptions options;
  options.no_files = options.no_terminals = true;
  start(std::move(options));
  initialize("{}");
  const Json sent = last(agent);
  EXPECT_EQ(sent["params"]["clientCapabilities"].text(), R"({"fs":{},"terminal":false})");
}

TEST_F(RelayTest, TranslatesPaths) {
  RelayOptions options;
  options.paths.add("/home/me=/srv/me");
  start(std::move(options));
  relay->from_editor(
      call("2", "session/new", R"({"cwd":"/home/me/a","mcpServers":[{"name":"/home/me"}]})"));
  EXPECT_EQ(last(agent, "params").text(),
            R"({"cwd":"/srv/me/a","mcpServers":[{"name":"/home/me"}]})");
  relay->from_editor(call("3", "session/new", R"({"cwd":"/elsewhere"})"));
  EXPECT_TRUE(agent.empty());
  EXPECT_EQ(last(editor, "error", "code").as_int64(), rpc::invalid_params);
  relay->from_agent(call("7", "fs/read_text_file", R"({"path":"/srv/me/b"})"));
  EXPECT_EQ(last(editor, "params", "path").as_string(), "/home/me/b");
  relay->from_agent(call("8", "fs/read_text_file", R"({"path":"/etc/passwd"})"));
  EXPECT_TRUE(editor.empty());
  EXPECT_EQ(last(agent, "error", "code").as_int64(), rpc::invalid_params);
}

// The editor would look for them where no --map leads.
TEST_F(RelayTest, AFileOfTheEditorHasAnAbsolutePath) {
  RelayOptions options;
  options.paths.add("/home/me=/srv/me");
  start(std::move(options));
  for (const char* params :
       {R"({"path":"../../etc/passwd"})", R"({"path":"~/x"})", R"({"path":""})",
        R"({"path":"\\etc"})", R"({"path":"/srv/me/a","path":"a"})", R"({"path":["/etc"]})",
        R"(["s","/etc/passwd"])", R"("/etc/passwd")"})
    for (const char* method : {"fs/read_text_file", "fs/write_text_file"}) {
      relay->from_agent(call("7", method, params));
      EXPECT_TRUE(editor.empty()) << params;
      EXPECT_EQ(last(agent, "error", "code").as_int64(), rpc::invalid_params) << params;
    }
  relay->from_agent(call("7", "terminal/create", R"({"command":"make","cwd":"a"})"));
  EXPECT_TRUE(editor.empty());
  EXPECT_EQ(last(agent, "error", "code").as_int64(), rpc::invalid_params);
  for (const char* params : {R"({"command":"make"})", R"({"command":"make","cwd":null})",
                             R"({"command":"make","cwd":"/srv/me"})"}) {
    relay->from_agent(call("7", "terminal/create", params));
    EXPECT_EQ(last(editor, "params", "command").as_string(), "make") << params;
  }
  // What is only shown passes.
  relay->from_agent(call("8", "session/request_permission",
                         R"({"toolCall":{"locations":[{"path":"a"},{"path":"/etc"}]}})"));
  EXPECT_EQ(last(editor, "params").text(),
            R"({"toolCall":{"locations":[{"path":"a"},{"path":"/etc"}]}})");
  // Without --map, paths are the editor's own.
  start();
  relay->from_agent(call("7", "fs/read_text_file", R"({"path":"a"})"));
  EXPECT_EQ(last(editor, "params", "path").as_string(), "a");
}

TEST_F(RelayTest, NotificationsAboutForeignFilesAreNotSent) {
  RelayOptions options;
  options.paths.add("/home/me=/srv/me");
  start(std::move(options));
  const auto open = [&](const std::string& path) {
    relay->from_editor(R"({"jsonrpc":"2.0","method":"document/didOpen","params":{"uri":"file://)" +
                       path + R"("}})");
  };
  open("/home/me/a");
  EXPECT_EQ(last(agent, "params", "uri").as_string(), "file:///srv/me/a");
  open("/etc/hosts");
  open("/etc/hosts");
  EXPECT_TRUE(agent.empty());
  EXPECT_EQ(said, Strings{"/etc/hosts has no name on the agent's machine: notifications about it "
                          "are not sent"});
}

TEST_F(RelayTest, ACancelEndsThePromptsThatWaitForTheNetwork) {
  start();
  initialize(R"({"loadSession":true})");
  new_session();
  relay->lost("the cable");
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  relay->from_editor(call("4", "session/prompt", R"({"sessionId":"other","prompt":[]})"));
  editor.clear();
  relay->from_editor(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})");
  EXPECT_EQ(editor, Strings{answer("3", R"({"stopReason":"cancelled"})")});
  EXPECT_EQ(relay->pending(), 1u);
  editor.clear();
  relay->connected();
  relay->from_agent(answer(std::string(last(agent, "id").text()),
                           R"({"agentCapabilities":{"loadSession":true}})"));
  const Json load = last(agent);
  EXPECT_EQ(load["method"].as_string(), "session/load");
  relay->from_agent(answer(std::string(load["id"].text())));
  // Neither the prompt nor its end: the agent knows nothing of it.
  ASSERT_EQ(agent.size(), 1u);
  EXPECT_EQ(last(agent, "id").text(), "4");
  EXPECT_TRUE(relay->is_here());
  // From now on it is the agent's.
  relay->from_editor(call("5", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  relay->from_editor(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})");
  EXPECT_EQ(last(agent, "method").as_string(), "session/cancel");
}

// ---- version 2

constexpr const char* version2 =
    R"({"protocolVersion":2,"info":{"name":"a","version":"1"},)"
    R"("capabilities":{"session":{}},"authMethods":[{"methodId":"m"}]})";

struct RelayVersion2Test : RelayTest {
  void SetUp() override {
    start({.no_files = true, .no_terminals = true});
    relay->from_editor(call("1", "initialize", R"({"protocolVersion":2,"capabilities":{}})"));
    EXPECT_TRUE(last(agent, "params", "clientCapabilities").absent());
    relay->from_agent(answer("1", version2));
    new_session();
  }
  // After a break, until the agent has answered initialize.
  void come_back(const std::string& result = version2) {
    relay->connected();
    relay->from_agent(answer(std::string(last(agent, "id").text()), result));
  }
  void report(const std::string& session, const std::string& state) {
    relay->from_agent(R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":")" +
                      session + R"(","update":{"sessionUpdate":"state_update","state":")" + state +
                      R"("}}})");
  }
};

TEST_F(RelayVersion2Test, SessionsAreResumedWithTheirChoices) {
  relay->lost("the cable");
  come_back();
  const Json resume = last(agent);
  EXPECT_EQ(resume["method"].as_string(), "session/resume");
  EXPECT_TRUE(resume["params"]["replayFrom"].absent());
  editor.clear();
  report("s", "idle");
  ASSERT_EQ(editor.size(), 1u);  // its state passes
  relay->from_agent(answer(std::string(resume["id"].text()),
                           R"({"configOptions":[{}],"availableCommands":[{"name":"c"}]})"));
  ASSERT_EQ(editor.size(), 3u);
  EXPECT_NE(editor[1].find("config_option_update"), std::string::npos);
  EXPECT_NE(editor[2].find("available_commands_update"), std::string::npos);
}

TEST_F(RelayVersion2Test, ABreakEndsATurnWhosePromptWasAnswered) {
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  relay->from_agent(answer("3", R"({"messageId":"m"})"));
  // One that is at work may say so before the answer.
  for (const char* id : {"t", "u"}) {
    relay->from_editor(
        call("4", "session/resume", R"({"cwd":"/here","sessionId":")" + std::string(id) + R"("})"));
    report(id, "running");
    relay->from_agent(answer("4"));
  }
  report("u", "idle");
  editor.clear();
  relay->lost("the cable");
  ASSERT_EQ(editor.size(), 2u);
  const Json first = *Json::parse(editor[0]), second = *Json::parse(editor[1]);
  EXPECT_EQ(first["params"]["sessionId"].as_string(), "s");
  EXPECT_EQ(first["params"]["update"]["stopReason"].as_string(), "error");
  EXPECT_EQ(first["params"]["update"]["error"]["message"].as_string(),
            "the connection to the remote agent was lost: the cable");
  EXPECT_EQ(second["params"]["sessionId"].as_string(), "t");
  editor.clear();
  relay->connected();
  relay->lost("the cable");
  EXPECT_TRUE(editor.empty());  // once is enough
}

TEST_F(RelayVersion2Test, ATurnOfASessionThatNobodyOpenedIsNotKept) {
  report("invented", "running");
  EXPECT_NE(editor.back().find("invented"), std::string::npos);  // it passes
  editor.clear();
  relay->lost("the cable");
  EXPECT_TRUE(editor.empty());
}

TEST_F(RelayVersion2Test, ACancelEndsThePromptsThatWaitForTheNetwork) {
  relay->lost("the cable");
  relay->from_editor(call("3", "session/prompt", R"({"sessionId":"s","prompt":[]})"));
  editor.clear();
  relay->from_editor(R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})");
  ASSERT_EQ(editor.size(), 2u);
  const Json taken = *Json::parse(editor[0]), ended = *Json::parse(editor[1]);
  EXPECT_EQ(taken["id"].text(), "3");
  EXPECT_TRUE(taken["result"]["messageId"].is_string());
  EXPECT_EQ(ended["params"]["update"]["state"].as_string(), "idle");
  EXPECT_EQ(ended["params"]["update"]["stopReason"].as_string(), "cancelled");
}

TEST_F(RelayVersion2Test, ALoginIsRepeated) {
  relay->from_editor(call("3", "auth/login", R"({"methodId":"m"})"));
  relay->from_agent(answer("3"));
  relay->lost("the cable");
  come_back();
  refuse(last(agent, "id"), rpc::auth_required);
  EXPECT_EQ(last(agent, "method").as_string(), "auth/login");
}

TEST_F(RelayVersion2Test, AnotherVersionAfterTheBreakIsTheEnd) {
  relay->lost("the cable");
  come_back(R"({"protocolVersion":1,"agentCapabilities":{"loadSession":true}})");
  EXPECT_TRUE(relay->is_over());
  EXPECT_NE(said.back().find("speaks version 1"), std::string::npos) << said.back();
}

}  // namespace
}  // namespace acp::gateway
