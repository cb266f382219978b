#include "acp/workspace/policy.h"

#include <gtest/gtest.h>

namespace acp::workspace {
namespace {

Question running(const std::string& command) {
  Question question;
  question.agent = "gemini";
  question.project = "/home/me/project";
  question.kind = "execute";
  question.command = command;
  return question;
}

Question editing(std::vector<Touched> paths) {
  Question question;
  question.agent = "gemini";
  question.project = "/home/me/project";
  question.kind = "edit";
  question.paths = std::move(paths);
  return question;
}

Rule rule(Effect decision) {
  Rule made;
  made.decision = decision;
  return made;
}

TEST(Rule, CommandsOfARuleThatAllows) {
  Rule npm = rule(Effect::allow);
  npm.command = "npm *";
  for (const char* command : {"npm test", "npm run build -- --fast", "npm "})
    EXPECT_TRUE(npm.matches(running(command))) << command;
  for (const char* command :
       {"npm", "npx test", " npm test", "npm test; rm -rf ~", "npm test && evil", "npm test | sh",
        "npm $(evil)", "npm `evil`", "npm test\nevil", "npm test > /etc/passwd", "npm <(evil)",
        "npm \"a\" 'b'", "npm ${EVIL}", "npm a\\\nb", "npm test & evil", "npm {a,b}"})
    EXPECT_FALSE(npm.matches(running(command))) << command;
  EXPECT_FALSE(npm.matches(editing({"/a"}))) << "no command at all";
  Rule exact = rule(Effect::allow);
  exact.command = "make check && ./run";
  EXPECT_TRUE(exact.matches(running("make check && ./run"))) << "as it stands there";
}

TEST(Rule, CommandsOfARuleThatRejects) {
  Rule remove = rule(Effect::reject);
  remove.command = "*rm -rf*";
  for (const char* command : {"rm -rf /", "true; rm -rf ~", "sh -c 'rm -rf /'"})
    EXPECT_TRUE(remove.matches(running(command))) << command;
  EXPECT_FALSE(remove.matches(running("ls")));
}

// A walk over the whole pattern for each character would take hours.
TEST(Rule, ACommandOfAMegabyteIsCompared) {
  std::string command = "echo ";
  while (command.size() < 1024 * 1024) command += "a \n";
  Rule same = rule(Effect::allow);
  same.command = literal_pattern(command);
  EXPECT_TRUE(same.matches(running(command)));
  EXPECT_FALSE(same.matches(running(command + "a")));
  EXPECT_FALSE(same.matches(running(command.substr(0, command.size() - 1))));
  EXPECT_FALSE(same.matches(running("ls")));
  Rule beginning = rule(Effect::reject);
  beginning.command = literal_pattern(command) + "*";
  EXPECT_TRUE(beginning.matches(running(command + "; ls")));
  EXPECT_FALSE(beginning.matches(running(command.substr(0, command.size() - 1))));
  Rule end = rule(Effect::reject);
  end.command = "*e" + literal_pattern(command.substr(1));
  EXPECT_TRUE(end.matches(running("cd; " + command)));
  EXPECT_FALSE(end.matches(running(command + "a")));
  Rule stars = rule(Effect::reject);
  stars.command = "*a*b*c*d*";
  EXPECT_FALSE(stars.matches(running(command)));
  EXPECT_TRUE(stars.matches(running(command + "bcd")));
  Rule path = rule(Effect::reject);
  path.paths = {"/" + command + "/*.cc"};
  EXPECT_TRUE(path.matches(editing({"/" + command + "/a.cc"})));
  EXPECT_FALSE(path.matches(editing({"/" + command + "/a/b.cc"})));
}

TEST(Rule, StarsMeetInEveryWay) {
  const auto matches = [](const std::string& pattern, const std::string& text) {
    Rule made = rule(Effect::reject);
    made.command = pattern;
    return made.matches(running(text));
  };
  for (const char* pattern : {"*", "**", "a*", "*c", "a*c", "*a*b*c*", "a**bc", "abc*", "*abc"})
    EXPECT_TRUE(matches(pattern, "abc")) << pattern;
  for (const char* pattern : {"b*", "*b", "abc?", "*d*", "abcd*", "*abc*c", "a\\*c", "ab"})
    EXPECT_FALSE(matches(pattern, "abc")) << pattern;
  EXPECT_TRUE(matches("*aab*", "aaab"));
  EXPECT_TRUE(matches("a\\*c", "a*c"));
  EXPECT_TRUE(matches("a\\\\*", "a\\c"));
  EXPECT_TRUE(matches("a\\", "a\\"));
}

TEST(Rule, Paths) {
  Rule source = rule(Effect::allow);
  source.paths = {"/home/me/project/src/**"};
  EXPECT_TRUE(source.matches(editing({"/home/me/project/src/a.cc"})));
  EXPECT_TRUE(source.matches(editing({"/home/me/project/src/a.cc", "/home/me/project/src/b/c"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/src/a.cc", "/etc/passwd"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/src/../../.ssh/config"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/srcs/a"})));
  EXPECT_FALSE(source.matches(editing({}))) << "who knows what it touches";
  source.paths = {"/home/me/project/*.md"};
  EXPECT_TRUE(source.matches(editing({"/home/me/project/README.md"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/docs/a.md"})));
  Rule secret = rule(Effect::reject);
  secret.paths = {"**/.env"};
  EXPECT_TRUE(secret.matches(editing({"/home/me/project/a", "/home/me/project/.env"})));
  EXPECT_TRUE(secret.matches(editing({"/home/me/project/a/../.env"})));
  EXPECT_TRUE(secret.matches(editing({"/home/me/project/a/../b"}))) << "to be on the safe side";
  EXPECT_FALSE(secret.matches(editing({"/home/me/project/a"})));
}

TEST(Rule, AgentProjectKindAndTool) {
  Rule all = rule(Effect::allow);
  EXPECT_TRUE(all.matches(running("ls")));
  all.agent = "claude";
  EXPECT_FALSE(all.matches(running("ls")));
  all.agent = "gemini";
  all.kind = "edit";
  EXPECT_FALSE(all.matches(running("ls")));
  all.kind = "execute";
  all.project = "/home/me";
  EXPECT_TRUE(all.matches(running("ls")));
  all.project = "/home/me/proj";
  EXPECT_FALSE(all.matches(running("ls"))) << "a name that begins alike";
  all.project = "";
  all.tool = "github/*";
  EXPECT_FALSE(all.matches(running("ls")));
  Question question = running("");
  question.tool = "github/create_issue";
  EXPECT_TRUE(all.matches(question));
}

Touched leading(const std::string& written, const std::string& resolved) {
  Touched touched(written);
  touched.resolved = {resolved};
  return touched;
}

TEST(Rule, AllowsWhereThePathLeadsAsWellAsWhereItIsWritten) {
  Rule docs = rule(Effect::allow);
  docs.paths = {"/project/docs/**"};
  EXPECT_TRUE(docs.matches(editing({leading("/project/docs/a", "/project/docs/a")})));
  EXPECT_FALSE(docs.matches(editing({leading("/project/docs/a", "/project/src/a")})));
  EXPECT_FALSE(docs.matches(editing({leading("/project/src/a", "/project/docs/a")})));
  // One file, two names: the session's own and the one without links.
  Touched both("/project/docs/a");
  both.resolved = {"/data/project/docs/a", "/project/docs/a"};
  EXPECT_TRUE(docs.matches(editing({both})));
}

TEST(Rule, RejectsByAnyNameAndWithWhatIsBelow) {
  Rule secret = rule(Effect::reject);
  secret.paths = {"**/.env", "/project/secrets/**"};
  EXPECT_TRUE(secret.matches(editing({leading("/project/notes.txt", "/project/.env")})));
  EXPECT_TRUE(secret.matches(editing({leading("/project/.env", "/project/notes.txt")})));
  EXPECT_FALSE(secret.matches(editing({leading("/project/a/../b", "/project/b")})))
      << "it is known where the way up leads";
  Touched moved("/project/secrets");
  EXPECT_FALSE(secret.matches(editing({moved}))) << "nothing is in it";
  moved.below = {{"key"}};
  EXPECT_TRUE(secret.matches(editing({moved})));
  moved.below = std::nullopt;
  EXPECT_TRUE(secret.matches(editing({moved}))) << "nobody knows what is in it";
  Touched config("/project/config");
  config.below = {{"a", "b/.env"}};
  EXPECT_TRUE(secret.matches(editing({config})));
  secret.paths = {"/project/secrets/**"};
  config.below = std::nullopt;
  EXPECT_FALSE(secret.matches(editing({config}))) << "none of it can be in secrets/";
}

TEST(Rule, ACommandHoldsInItsDirectory) {
  Rule build = rule(Effect::allow);
  build.command = "sh build.sh";
  build.directory = "/home/me/project";
  Question question = running("sh build.sh");
  EXPECT_FALSE(build.matches(question)) << "nobody knows where it runs";
  question.directory = "/home/me/project";
  EXPECT_TRUE(build.matches(question));
  question.directory = "/home/me/project/vendor";
  EXPECT_FALSE(build.matches(question));
  question.directory = leading("/home/me/project", "/home/me/other");
  EXPECT_FALSE(build.matches(question));
  build.decision = Effect::reject;
  EXPECT_FALSE(build.matches(running("ls")));
  EXPECT_TRUE(build.matches(running("sh build.sh"))) << "to be on the safe side";
}

TEST(Policy, WhatAlwaysAsksIsAllowedByNoRule) {
  Policy policy({{rule(Effect::allow), "policy.toml:1"}});
  Question question = editing({"/home/me/project/.git/config"});
  EXPECT_EQ(policy.judge(question).decision, Effect::allow);
  question.always_ask = "git runs what this file says";
  EXPECT_EQ(policy.judge(question).decision, std::nullopt);
  policy = Policy({{rule(Effect::reject), "policy.toml:1"}});
  EXPECT_EQ(policy.judge(question).decision, Effect::reject);
}

TEST(Rule, StarsAreNeverSlow) {
  Rule many = rule(Effect::reject);
  for (int i = 0; i < 100; ++i) many.command += "*a";
  many.command += "*b";
  EXPECT_FALSE(many.matches(running(std::string(10'000, 'a'))));
}

TEST(Policy, TheFirstMatchDecidesAndIsTold) {
  Rule reject_make = rule(Effect::reject);
  reject_make.command = "make *";
  Policy policy({{reject_make, "policy.toml:3"}, {rule(Effect::allow), "policy.toml:7"}});
  Judgement judged = policy.judge(running("make install"));
  EXPECT_EQ(judged.decision, Effect::reject);
  EXPECT_EQ(judged.source, "policy.toml:3");
  EXPECT_EQ(judged.rule, reject_make);
  EXPECT_EQ(policy.judge(running("ls")).source, "policy.toml:7");
  EXPECT_EQ(Policy().judge(running("ls")).decision, std::nullopt) << "else it is asked";
}

TEST(Policy, ARuleThatRejectsWinsOverAnAnswerThatAllows) {
  Rule secret = rule(Effect::reject);
  secret.paths = {"**/.env"};
  Rule edits = rule(Effect::allow);
  edits.kind = "edit";
  edits.paths = {"/home/me/project/**"};
  const Question env = editing({"/home/me/project/.env"});
  const Question other = editing({"/home/me/project/a"});
  Policy policy({{secret, "policy.toml:3"}});
  policy.remember_for_session(edits);
  EXPECT_EQ(policy.judge(env).decision, Effect::reject);
  EXPECT_EQ(policy.judge(env).source, "policy.toml:3");
  EXPECT_EQ(policy.judge(other).decision, Effect::allow);
  EXPECT_EQ(policy.judge(other).source, "this session");
  // The answer is kept in the file, and the rule that rejects stands after it.
  edits.answered = true;
  policy = Policy({{edits, "policy.toml:3"}, {secret, "policy.toml:7"}});
  EXPECT_EQ(policy.judge(env).decision, Effect::reject);
  EXPECT_EQ(policy.judge(other).decision, Effect::allow);
  EXPECT_EQ(policy.judge(other).source, "policy.toml:3");
  // What a person wrote there holds in its order.
  edits.answered = false;
  policy = Policy({{edits, "policy.toml:3"}, {secret, "policy.toml:7"}});
  EXPECT_EQ(policy.judge(env).decision, Effect::allow);
}

// `move .env x` and then `read x`.
TEST(Policy, ToMoveIsToRead) {
  Rule secret = rule(Effect::reject);
  secret.kind = "read";
  secret.paths = {"**/.env"};
  Rule all = rule(Effect::allow);
  const Policy policy({{secret, "policy.toml:3"}, {all, "policy.toml:7"}});
  Question question = editing({"/home/me/project/.env", "/home/me/project/x"});
  EXPECT_EQ(policy.judge(question).decision, Effect::allow) << "not to write";
  question.kind = "move";
  EXPECT_EQ(policy.judge(question).decision, Effect::reject);
  Touched directory("/home/me/project/config");
  directory.below = {{"a", "b/.env"}};
  question.paths = {directory, "/home/me/project/x"};
  EXPECT_EQ(policy.judge(question).decision, Effect::reject);
  question.paths = {"/home/me/project/a", "/home/me/project/x"};
  EXPECT_EQ(policy.judge(question).decision, Effect::allow);
}

TEST(Policy, WhatWasRejectedInTheSessionCountsAtOnce) {
  Rule install = rule(Effect::allow);
  install.command = "make install";
  Policy policy({{install, "policy.toml:3"}});
  install.decision = Effect::reject;
  policy.remember_for_session(install);
  const Judgement judged = policy.judge(running("make install"));
  EXPECT_EQ(judged.decision, Effect::reject);
  EXPECT_EQ(judged.source, "this session");
  install.decision = Effect::allow;
  policy.remember_for_session(install);
  EXPECT_EQ(policy.judge(running("make install")).decision, Effect::reject)
      << "however late it was allowed";
}

}  // namespace
}  // namespace acp::workspace
