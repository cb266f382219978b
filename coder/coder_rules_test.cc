// The agent as a whole, in the mode that asks least, with rules that reject: no tool shows or
// touches what they keep from the model, by whatever way it goes there.
#include <gtest/gtest.h>

#include <thread>

#include "acp/testing/raw_end.h"
#include "acp/workspace/testing/scratch.h"
#include "coder/coder.h"

namespace acp::coder {
namespace {

using acp::testing::RawEnd;
using acp::testing::request;

class CoderRulesTest : public ::testing::Test {
 protected:
  CoderRulesTest() {
    options.settings_file = scratch / "config.toml";
    options.keys_file = scratch / "keys.toml";
    options.policy_file = scratch / "policy.toml";
    options.store_file = scratch / "sessions.db";
    options.mode = "code";
  }

  // What the calls of one answer come to, each as it is written to the client: its end, and nothing
  // is asked.
  std::vector<std::string> run(const std::string& calls) {
    options.scenario = R"({"turns":[[{"tool_calls":[)" + calls + R"(]},{"text":"That is all."}]]})";
    auto [ours, its] = memory_pair();
    RawEnd raw(std::move(ours));
    std::thread agent(
        [&, transport = std::move(its)]() mutable { Coder(options).run(std::move(transport)); });
    raw.initialize();
    raw.line(
        request("1", "session/new", R"({"cwd":")" + (scratch / "p") + R"(","mcpServers":[]})"));
    const std::string id = *raw.read_answer("1")["result"]["sessionId"].as_string();
    raw.prompt("2", id, "go");
    std::vector<std::string> ends;
    while (true) {
      const Json message = raw.read();
      const JsonView update = message["params"]["update"];
      const auto status = update["status"].as_string();
      if (update["sessionUpdate"].as_string() == "tool_call_update" &&
          (status == "completed" || status == "failed"))
        ends.emplace_back(message.text());
      if (message["method"].as_string() == "session/request_permission") {
        ends.push_back("asked");
        raw.answer(message, R"({"outcome":{"outcome":"cancelled"}})");
      }
      if (message.absent() || message["id"].as_uint64() == 2) break;
    }
    raw.close();
    agent.join();
    return ends;
  }
  static std::string call(const std::string& name, const std::string& arguments) {
    return R"({"name":")" + name + R"(","arguments":)" + arguments + "}";
  }
  std::string run_one(const std::string& name, const std::string& arguments) {
    const std::vector<std::string> ends = run(call(name, arguments));
    return ends.size() == 1 ? ends.front() : "(" + std::to_string(ends.size()) + " ends)";
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  workspace::testing::Scratch scratch;
  CoderOptions options;
};

TEST_F(CoderRulesTest, WhatARuleRejectsIsReachedByNoTool) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"reject\"\npath = [\"**/.env\", \"" +
                                 scratch.path().string() + "/p/secrets/**\"]\n");
  scratch.put("p/.env", "KEY=the-secret\n");
  scratch.put("p/secrets/key", "KEY=the-secret\n");
  scratch.put("p/a.txt", "KEY=public\n");
  scratch.link("p/notes.txt", ".env");
  scratch.link("p/linked", "secrets");
  const std::pair<const char*, const char*> attempts[] = {
      {"read", R"({"path":".env"})"},
      {"read", R"({"path":"notes.txt"})"},
      {"read", R"({"path":"linked/key"})"},
      {"read", R"({"path":"linked/../secrets/key"})"},
      {"grep", R"({"pattern":"KEY","path":".env"})"},
      {"grep", R"({"pattern":"KEY","path":"notes.txt"})"},
      {"move", R"({"from":"secrets","to":"pub"})"},
      {"move", R"({"from":".env","to":"pub"})"},
      {"delete", R"({"path":"secrets/key"})"},
      {"write", R"({"path":"notes.txt","content":"x"})"},
      {"write", R"({"path":"linked/new","content":"x"})"},
      // Whether the text is there is as good as the text.
      {"edit", R"({"path":".env","edits":[{"old_text":"KEY=the-","new_text":"x"}]})"},
      {"edit", R"({"path":".env","edits":[{"old_text":"KEY=no-","new_text":"x"}]})"},
  };
  for (const auto& [name, arguments] : attempts) {
    const std::string end = run_one(name, arguments);
    EXPECT_TRUE(has(end, "rule")) << name << " " << arguments << ": " << end;
    EXPECT_FALSE(has(end, "the-secret")) << name << " " << arguments << ": " << end;
    EXPECT_FALSE(has(end, "stands nowhere")) << end;
    EXPECT_TRUE(has(end, "\"failed\"")) << name << " " << arguments << ": " << end;
  }
  EXPECT_EQ(scratch.get("p/.env"), "KEY=the-secret\n");
  EXPECT_EQ(scratch.get("p/secrets/key"), "KEY=the-secret\n");
}

// What git runs later, when nobody is asked.
TEST_F(CoderRulesTest, ChangesOfWhatIsGitsOwnAreAskedAboutInModeCode) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"allow\"\n");
  scratch.put("p/.git/config", "[core]\n");
  scratch.put("p/.git/HEAD", "ref: refs/heads/main\n");
  scratch.put("p/a.txt", "a\n");
  scratch.link("p/linked", ".git");
  const std::pair<const char*, const char*> attempts[] = {
      {"write", R"({"path":".git/hooks/pre-commit","content":"x"})"},
      {"write", R"({"path":".GIT/hooks/pre-commit","content":"x"})"},
      {"write", R"({"path":"linked/hooks/pre-commit","content":"x"})"},
      {"edit", R"({"path":".git/config","edits":[{"old_text":"[core]","new_text":"[x]"}]})"},
      {"move", R"({"from":"a.txt","to":".git/hooks/pre-commit"})"},
      {"move", R"({"from":".git","to":"git"})"},
      {"delete", R"({"path":".git/config"})"},
      {"write", R"({"path":".acp/commands/x.md","content":"x"})"},
      {"write", R"({"path":".acp/config.toml","content":"x"})"},
  };
  for (const auto& [name, arguments] : attempts) {
    const std::vector<std::string> ends = run(call(name, arguments));
    ASSERT_FALSE(ends.empty());
    EXPECT_EQ(ends.front(), "asked") << name << " " << arguments;
  }
  EXPECT_EQ(run(call("write", R"({"path":"b.txt","content":"x"})")).size(), 1u) << "and no other";
  EXPECT_EQ(scratch.get("p/.git/config"), "[core]\n");
}

TEST_F(CoderRulesTest, ListsAndSearchesLeaveItOutAndSaySo) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"reject\"\npath = \"**/.env\"\n");
  scratch.put("p/.env", "KEY=the-secret\n");
  scratch.put("p/sub/.env", "KEY=the-secret\n");
  scratch.put("p/a.txt", "KEY=public\n");
  for (const auto& [name, arguments] :
       {std::pair{"grep", R"({"pattern":"KEY"})"}, std::pair{"glob", R"({"pattern":"*"})"},
        std::pair{"list", R"({})"}}) {
    const std::string end = run_one(name, arguments);
    EXPECT_TRUE(has(end, "a.txt")) << end;
    EXPECT_FALSE(has(end, "the-secret")) << end;
    EXPECT_FALSE(has(end, "/.env")) << end;
    EXPECT_TRUE(has(end, "left out: a rule of the user's")) << end;
  }
}

}  // namespace
}  // namespace acp::coder
