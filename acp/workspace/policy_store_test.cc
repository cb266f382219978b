#include "acp/workspace/policy_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

using testing::Scratch;

Rule rule(Effect decision, const std::string& command) {
  Rule made;
  made.decision = decision;
  made.kind = "execute";
  made.command = command;
  return made;
}

class PolicyStoreTest : public ::testing::Test {
 protected:
  std::string failure(const std::function<void()>& action) {
    try {
      action();
    } catch (const PolicyStoreError& error) {
      const std::string what = error.what();
      return what.starts_with(store.path()) ? what.substr(store.path().size()) : what;
    }
    return "no failure";
  }
  std::string refusal(const std::string& text) {
    scratch.put("policy.toml", text);
    chmod(store.path().c_str(), 0600);
    return failure([&] { store.load(); });
  }
  std::vector<Rule> rules() const {
    std::vector<Rule> all;
    for (const Policy::Placed& placed : store.load()) all.push_back(placed.rule);
    return all;
  }

  Scratch scratch;
  PolicyStore store{scratch / "policy.toml"};
};

TEST_F(PolicyStoreTest, KeepsRulesInOrder) {
  EXPECT_TRUE(store.load().empty());
  Rule all = rule(Effect::reject, "a \"b\" \\* \x7F \n\t\xC3\xA4");
  all.tool = "server/tool";
  all.directory = "/home/me/\\*";
  all.origin = "https://example.org:443";
  all.paths = {"/home/me/**", "/srv/\"b\""};
  all.agent = "gemini";
  all.project = "/home/me";
  all.answered = true;
  store.add(rule(Effect::allow, "make"));
  store.add(all);
  store.add(rule(Effect::allow, "make"));
  EXPECT_EQ(rules(), (std::vector<Rule>{rule(Effect::allow, "make"), all}));
  EXPECT_EQ(store.load()[0].source, store.path() + ":3");
  struct stat about;
  ASSERT_EQ(stat(store.path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_TRUE(scratch.get("policy.toml")
                  .starts_with("# What acp may do without asking, and what it must not do. The "
                               "first rule that matches decides.\n\n[[rule]]\ndecision = "
                               "\"allow\"\nkind = \"execute\"\ncommand = \"make\"\n"))
      << scratch.get("policy.toml");
}

TEST_F(PolicyStoreTest, MakesTheDirectory) {
  const PolicyStore deeper(scratch / "config/acp/policy.toml");
  deeper.add(rule(Effect::allow, "make"));
  EXPECT_EQ(deeper.load().size(), 1u);
}

TEST_F(PolicyStoreTest, RevokesOneAndLeavesTheRestAsItIs) {
  const std::string text =
      "# mine\n"
      "\n"
      "[[rule]]  # first\n"
      "decision = \"allow\"\n"
      "command = \"one\"\n"
      "\n"
      "# about the second\n"
      "[[rule]]\n"
      "command = \"two\"   # of three\n"
      "decision = \"reject\"\n"
      "# about the third\n"
      "[[rule]]\n"
      "decision = \"allow\"\n"
      "command = \"three\"";
  scratch.put("policy.toml", text);
  chmod(store.path().c_str(), 0600);
  EXPECT_EQ(store.revoke(2).command, "two");
  EXPECT_EQ(scratch.get("policy.toml"),
            "# mine\n\n[[rule]]  # first\ndecision = \"allow\"\ncommand = \"one\"\n\n# about the "
            "second\n# about the third\n[[rule]]\ndecision = \"allow\"\ncommand = \"three\"");
  EXPECT_EQ(failure([&] { store.revoke(3); }), ": there is no rule 3; it has 2");
  EXPECT_EQ(failure([&] { store.revoke(0); }), ": there is no rule 0; it has 2");
  EXPECT_EQ(store.revoke(2).command, "three");
  EXPECT_EQ(store.revoke(1).command, "one");
  EXPECT_TRUE(store.load().empty());
  // All in one line: what cannot be cut out is left alone.
  const std::string one_line =
      "rule = [{decision = \"allow\", command = \"a\"}, {decision = \"allow\", command = \"b\"}]\n";
  scratch.put("policy.toml", one_line);
  EXPECT_EQ(store.load().size(), 2u);
  EXPECT_NE(failure([&] { store.revoke(1); }), "no failure");
  EXPECT_EQ(scratch.get("policy.toml"), one_line);
}

TEST_F(PolicyStoreTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"maybe\"\n"),
            ":2: decision: expected \"allow\" or \"reject\", got \"maybe\"");
  EXPECT_EQ(refusal("[[rule]]\ncommand = \"x\"\n"), ":1: a rule without a decision");
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"allow\"\ncomand = \"x\"\n"),
            ":3: a rule has no \"comand\"");
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"allow\"\ncommand = \"\"\n"),
            ":3: command: empty; leave it out to match anything");
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"allow\"\nkind = 3\n"), ":3: kind: expected a string");
  EXPECT_TRUE(refusal("[[rule]]\ndecision = \"reject\"\nkind = \"exec\"\n")
                  .starts_with(":3: kind: there is no \"exec\", only: read, edit, delete, move, "))
      << "it would never hold";
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"reject\"\npath = [\"/a\",\n\".env\"]\n"),
            ":4: path: paths are absolute, and \".env\" matches none; \"**/.env\" matches it in "
            "every directory");
  EXPECT_TRUE(refusal("[[rule]]\ndecision = \"reject\"\ndirectory = \"*.x\"\n")
                  .starts_with(":3: directory: paths are absolute, and \"*.x\" matches none"));
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"allow\"\nproject = \"here\"\n"),
            ":3: project: expected an absolute path, got \"here\"");
  EXPECT_EQ(refusal("[[rule]]\ndecision = \"allow\"\nanswered = \"yes\"\n"),
            ":3: answered: expected true or false");
  EXPECT_EQ(refusal("[rules]\na = 1\n"), ":1: expected [[rule]], got \"rules\"");
  EXPECT_TRUE(refusal("[[rule]]\ndecision = \"allow\n").starts_with(":2: ")) << "no TOML";
  EXPECT_NE(failure([&] { store.add(rule(Effect::allow, "x")); }), "no failure")
      << "what cannot be read is not added to";
  EXPECT_EQ(scratch.get("policy.toml"), "[[rule]]\ndecision = \"allow\n");
}

TEST_F(PolicyStoreTest, AnAgentsOwnKindAndPatternsOfEveryDirectoryAreRead) {
  scratch.put("policy.toml",
              "[[rule]]\ndecision = \"allow\"\nkind = \"_paint\"\n[[rule]]\ndecision = "
              "\"reject\"\nkind = \"switch_mode\"\npath = [\"*/x\", \"**.key\", \"/a\"]\n");
  EXPECT_EQ(store.load().size(), 2u);
}

TEST_F(PolicyStoreTest, APathThatCannotBeIsNoFile) {
  scratch.put("file", "");
  EXPECT_TRUE(PolicyStore(scratch / "file/acp/policy.toml").load().empty());
}

TEST_F(PolicyStoreTest, DoesNotFollowWhatOthersMayWrite) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"allow\"\n");
  chmod(store.path().c_str(), 0666);
  EXPECT_TRUE(failure([&] { store.load(); }).starts_with(": others may write to it"));
}

TEST_F(PolicyStoreTest, SeveralProgramsLoseNothing) {
  std::vector<std::thread> threads;
  for (int who = 0; who < 4; ++who)
    threads.emplace_back([&, who] {
      for (int i = 0; i < 10; ++i)
        store.add(rule(Effect::allow, std::to_string(who) + " " + std::to_string(i)));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.load().size(), 40u);
}

}  // namespace
}  // namespace acp::workspace
