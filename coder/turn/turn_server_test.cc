// Model servers that were found on this machine: whose they are decides whether they are used.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "acp/testing/raw_end.h"
#include "acp/workspace/testing/scratch.h"
#include "coder/coder.h"
#include "coder/model/found_server.h"
#include "coder/model/testing/http_server.h"
#include "coder/testing/text.h"

namespace acp::coder {
namespace {

using acp::testing::RawEnd;
using acp::testing::request;
using testing::contains;
using testing::events;
using testing::HttpServer;
using testing::lacks;
using testing::response;

constexpr unsigned nobody = 65534;

// A server with one model. Its socket belongs to the user, if we may make one for another.
class ModelServer {
 public:
  explicit ModelServer(unsigned user) {
    const int before = setfsuid(user);
    server_.emplace([this](HttpServer::Connection& connection) {
      while (const auto asked = connection.read()) {
        if (asked->line().starts_with("POST")) {
          ++answers;
          connection.send(
              testing::stream_head() +
              events({R"({"choices":[{"delta":{"content":"from the server"},"index":0}]})",
                      R"({"choices":[{"delta":{},"index":0,"finish_reason":"stop"}]})", "[DONE]"}));
          return;
        }
        connection.send(asked->line().find("/models") == std::string::npos
                            ? response("404 Not Found", "{}")
                            : response("200 OK", R"({"data":[{"id":"m"}]})"));
      }
    });
    setfsuid(static_cast<uid_t>(before));
  }
  std::uint16_t port() const { return static_cast<std::uint16_t>(server_->port()); }

  std::atomic<int> answers = 0;

 private:
  std::optional<HttpServer> server_;
};

bool can_be_another() { return geteuid() == 0; }

TEST(ListenerOwner, IsTrustedIfItIsUsOrRoot) {
  const ModelServer ours(geteuid());
  const ListenerOwner owner = listener_owner(ours.port());
  EXPECT_TRUE(owner.trusted);
  EXPECT_EQ(owner.id, std::to_string(geteuid()));
  const ListenerOwner none = listener_owner(static_cast<std::uint16_t>(testing::unused_port()));
  EXPECT_FALSE(none.trusted);
  EXPECT_EQ(none.id, "");
  if (!can_be_another()) return;
  const ModelServer theirs(nobody);
  const ListenerOwner other = listener_owner(theirs.port());
  EXPECT_FALSE(other.trusted);
  EXPECT_EQ(other.id, "65534");
  EXPECT_EQ(other.who, "user nobody");
}

class CountingModel final : public Model {
 public:
  const ModelInfo& info() const override { return info_; }
  void answer(const ModelRequest&, const OnModelEvent&, std::stop_token) override { ++asked; }
  int asked = 0;

 private:
  ModelInfo info_;
};

TEST(FoundServer, IsNotAskedWhenItIsAnothersNow) {
  const auto model = std::make_shared<CountingModel>();
  const ModelServer ours(geteuid());
  FoundServerModel(model, ours.port(), "12345").answer({}, {}, {});
  EXPECT_EQ(model->asked, 1);
  if (!can_be_another()) return;
  const ModelServer theirs(nobody);
  FoundServerModel(model, theirs.port(), "65534").answer({}, {}, {});
  EXPECT_EQ(model->asked, 2) << "who was accepted";
  EXPECT_THROW(FoundServerModel(model, theirs.port(), "12345").answer({}, {}, {}), ModelError);
  EXPECT_EQ(model->asked, 2);
}

class TurnServerTest : public ::testing::Test {
 protected:
  TurnServerTest() {
    for (const char* name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL",
                             "ANTHROPIC_BASE_URL", "ACP_MODEL", "ACP_MODE"})
      unsetenv(name);
    options.settings_file = scratch / "config.toml";
    options.keys_file = scratch / "keys.toml";
    options.policy_file = scratch / "policy.toml";
    options.store_file = "";
    options.servers_file = scratch / "servers.toml";
    options.local_time = std::chrono::hours(1);
  }
  ~TurnServerTest() override { end(); }

  // A session, and a prompt in it. The question is answered with this option, if there is one; all
  // that was sent is in `told`.
  void prompt(const ModelServer& server, const std::string& option) {
    options.local_ports = {{"ollama", server.port()}};
    prompt(option);
  }
  // The session `resumed`, if there is one; else a new one, whose id stands there afterwards.
  void prompt(const std::string& option) {
    auto [ours, its] = memory_pair();
    raw = RawEnd(std::move(ours));
    agent = std::thread([this, transport = std::move(its)]() mutable {
      Coder coder(options);
      coder.run(std::move(transport));
    });
    raw.initialize(R"({"session":{"notices":{}}})");
    const std::string place = R"("cwd":")" + scratch.path().string() + R"(","mcpServers":[]})";
    raw.line(resumed.empty()
                 ? request("9", "session/new", "{" + place)
                 : request("9", "session/resume", R"({"sessionId":")" + resumed + R"(",)" + place));
    const Json opened = raw.read_answer("9");
    const std::string id = opened["result"]["sessionId"].as_string().value_or(resumed);
    last = id;
    raw.prompt("10", id, "hello");
    told.clear();
    questions = 0;
    while (true) {
      const Json message = raw.read();
      told += std::string(message.text()) + "\n";
      if (message["id"].text() == "10" || message.absent()) break;
      if (message["method"].as_string() != "session/request_permission") continue;
      ++questions;
      if (option.empty())
        raw.line(R"({"jsonrpc":"2.0","id":)" + std::string(message["id"].text()) +
                 R"(,"error":{"code":-32601,"message":"nobody is there"}})");
      else
        raw.answer(message, R"({"outcome":{"outcome":"selected","optionId":")" + option + R"("}})");
    }
    end();
  }
  void end() {
    raw.close();
    if (agent.joinable()) agent.join();
  }

  workspace::testing::Scratch scratch;
  CoderOptions options;
  RawEnd raw;
  std::thread agent;
  std::string told;
  std::string resumed, last;  // sessions
  int questions = 0;
};

TEST_F(TurnServerTest, OneOfOurOwnIsUsed) {
  ModelServer server(geteuid());
  prompt(server, "allow_always");
  EXPECT_EQ(questions, 0);
  EXPECT_EQ(server.answers, 1);
  EXPECT_PRED2(contains, told, "from the server");
}

TEST_F(TurnServerTest, OneOfAnotherUserIsAskedAboutOnce) {
  if (!can_be_another()) return;
  ModelServer server(nobody);
  prompt(server, "allow_always");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(server.answers, 1);
  EXPECT_PRED2(contains, told, "which user nobody runs");
  prompt(server, "reject_once");
  EXPECT_EQ(questions, 0) << "the answer is remembered";
  EXPECT_EQ(server.answers, 2);
  // Another port is another server.
  ModelServer other(nobody);
  prompt(other, "reject_always");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(other.answers, 0);
  EXPECT_PRED2(contains, told, "The offline model answers");
  prompt(other, "allow_always");
  EXPECT_EQ(questions, 0);
  EXPECT_EQ(other.answers, 0);
  EXPECT_PRED2(contains, told, "is not used");
}

TEST_F(TurnServerTest, AnAnswerForASessionIsNotRemembered) {
  if (!can_be_another()) return;
  ModelServer server(nobody);
  prompt(server, "allow_once");
  EXPECT_EQ(server.answers, 1);
  prompt(server, "reject_once");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(server.answers, 1);
}

TEST_F(TurnServerTest, WhereNobodyCanBeAskedItIsNotUsed) {
  if (!can_be_another()) return;
  ModelServer server(nobody);
  prompt(server, "");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(server.answers, 0);
  EXPECT_PRED2(contains, told, "[providers.ollama]");
  EXPECT_PRED2(lacks, told, "from the server");
}

// Its port may be another user's by now.
TEST_F(TurnServerTest, AStoredSessionGoesOnOnlyWithAServerThatMayBeUsed) {
  options.store_file = scratch / "sessions.db";
  ModelServer ours(geteuid());
  prompt(ours, "");
  EXPECT_EQ(ours.answers, 1);
  resumed = last;
  prompt(ours, "");
  EXPECT_EQ(ours.answers, 2);
  EXPECT_PRED2(lacks, told, "cannot be used any more");
  if (!can_be_another()) return;
  ModelServer theirs(nobody);
  prompt(theirs, "reject_once");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(theirs.answers, 0);
  EXPECT_PRED2(contains, told, "cannot be used any more");
  resumed = last;
  prompt(theirs, "allow_once");
  EXPECT_EQ(questions, 1);
  EXPECT_EQ(theirs.answers, 1);
}

TEST_F(TurnServerTest, WithoutAModelAPromptFailsIfOneIsRequired) {
  options.require_model = true;
  options.local_ports = {};
  prompt("");
  EXPECT_PRED2(contains, told, "\"reason\":\"no_model\"");
  if (!can_be_another()) return;
  ModelServer theirs(nobody);
  prompt(theirs, "reject_once");
  EXPECT_EQ(questions, 1);
  EXPECT_PRED2(contains, told, "\"reason\":\"no_model\"");
  prompt(theirs, "allow_once");
  EXPECT_EQ(theirs.answers, 1);
  options.model = "offline";
  prompt("");
  EXPECT_PRED2(contains, told, "end_turn");
}

// Said at once: before anybody has asked anything.
TEST_F(TurnServerTest, WithoutAModelThatIsSaidWhenTheSessionBegins) {
  options.local_ports = {};
  prompt("");
  const std::size_t said = told.find("No model is configured");
  EXPECT_LT(said, told.find("agent_message_chunk")) << told;
  options.model = "offline";
  prompt("");
  EXPECT_PRED2(lacks, told, "No model is configured");
}

TEST_F(TurnServerTest, WhatIsConfiguredIsTrusted) {
  if (!can_be_another()) return;
  ModelServer server(nobody);
  scratch.put("config.toml", "[providers.ollama]\nbase_url = \"http://127.0.0.1:" +
                                 std::to_string(server.port()) + "/v1\"\n");
  prompt(server, "reject_once");
  EXPECT_EQ(questions, 0);
  EXPECT_EQ(server.answers, 1);
}

// The name is the user's: what listens at the usual port is another server.
TEST_F(TurnServerTest, WhatIsConfiguredElsewhereIsNotLookedForAtTheUsualPort) {
  ModelServer server(geteuid());
  scratch.put("config.toml", "[providers.ollama]\nbase_url = \"http://127.0.0.1:" +
                                 std::to_string(testing::unused_port()) + "/v1\"\n");
  prompt(server, "allow_always");
  EXPECT_EQ(server.answers, 0);
  EXPECT_PRED2(lacks, told, "ollama answers at");
  EXPECT_PRED2(contains, told, "end_turn") << "of the offline model";
}

}  // namespace
}  // namespace acp::coder
