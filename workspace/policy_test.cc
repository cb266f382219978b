#include "workspace/policy.h"

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

Question editing(std::vector<std::string> paths) {
  Question question;
  question.agent = "gemini";
  question.project = "/home/me/project";
  question.kind = "edit";
  question.paths = std::move(paths);
  return question;
}

Rule rule(Decision decision) {
  Rule made;
  made.decision = decision;
  return made;
}

TEST(Rule, CommandsOfARuleThatAllows) {
  Rule npm = rule(Decision::allow);
  npm.command = "npm *";
  for (const char* command : {"npm test", "npm run build -- --fast", "npm "})
    EXPECT_TRUE(npm.matches(running(command))) << command;
  for (const char* command :
       {"npm", "npx test", " npm test", "npm test; rm -rf ~", "npm test && evil", "npm test | sh",
        "npm $(evil)", "npm `evil`", "npm test\nevil", "npm test > /etc/passwd", "npm <(evil)",
        "npm \"a\" 'b'", "npm ${EVIL}", "npm a\\\nb", "npm test & evil", "npm {a,b}"})
    EXPECT_FALSE(npm.matches(running(command))) << command;
  EXPECT_FALSE(npm.matches(editing({"/a"}))) << "no command at all";
  Rule exact = rule(Decision::allow);
  exact.command = "make check && ./run";
  EXPECT_TRUE(exact.matches(running("make check && ./run"))) << "as it stands there";
}

TEST(Rule, CommandsOfARuleThatRejects) {
  Rule remove = rule(Decision::reject);
  remove.command = "*rm -rf*";
  for (const char* command : {"rm -rf /", "true; rm -rf ~", "sh -c 'rm -rf /'"})
    EXPECT_TRUE(remove.matches(running(command))) << command;
  EXPECT_FALSE(remove.matches(running("ls")));
}

TEST(Rule, Paths) {
  Rule source = rule(Decision::allow);
  source.path = "/home/me/project/src/**";
  EXPECT_TRUE(source.matches(editing({"/home/me/project/src/a.cc"})));
  EXPECT_TRUE(source.matches(editing({"/home/me/project/src/a.cc", "/home/me/project/src/b/c"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/src/a.cc", "/etc/passwd"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/src/../../.ssh/config"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/srcs/a"})));
  EXPECT_FALSE(source.matches(editing({}))) << "who knows what it touches";
  source.path = "/home/me/project/*.md";
  EXPECT_TRUE(source.matches(editing({"/home/me/project/README.md"})));
  EXPECT_FALSE(source.matches(editing({"/home/me/project/docs/a.md"})));
  Rule secret = rule(Decision::reject);
  secret.path = "**/.env";
  EXPECT_TRUE(secret.matches(editing({"/home/me/project/a", "/home/me/project/.env"})));
  EXPECT_TRUE(secret.matches(editing({"/home/me/project/a/../.env"})));
  EXPECT_TRUE(secret.matches(editing({"/home/me/project/a/../b"}))) << "to be on the safe side";
  EXPECT_FALSE(secret.matches(editing({"/home/me/project/a"})));
}

TEST(Rule, AgentProjectKindAndTool) {
  Rule all = rule(Decision::allow);
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

TEST(Rule, StarsAreNeverSlow) {
  Rule many = rule(Decision::reject);
  for (int i = 0; i < 100; ++i) many.command += "*a";
  many.command += "*b";
  EXPECT_FALSE(many.matches(running(std::string(10'000, 'a'))));
}

TEST(Policy, RemembersWhatWasDecidedAndNoMore) {
  const Question asked = running("rm *.o \\* ; make");
  const Rule here = rule_for(asked, Decision::allow, Scope::project);
  EXPECT_TRUE(here.matches(asked));
  EXPECT_FALSE(here.matches(running("rm x.o \\* ; make"))) << "a star in a command is a star";
  Question elsewhere = asked;
  elsewhere.project = "/home/me/other";
  EXPECT_FALSE(here.matches(elsewhere));
  const Rule everywhere = rule_for(asked, Decision::allow, Scope::global);
  EXPECT_TRUE(everywhere.matches(elsewhere));
  elsewhere.agent = "another";
  EXPECT_FALSE(everywhere.matches(elsewhere));
  EXPECT_EQ(here.describe(),
            "allow execute `rm \\*.o \\\\\\* ; make` by gemini in "
            "/home/me/project");
}

TEST(Policy, TheFirstMatchDecidesAndIsTold) {
  Rule reject_make = rule(Decision::reject);
  reject_make.command = "make *";
  Policy policy({{reject_make, "policy.toml:3"}, {rule(Decision::allow), "policy.toml:7"}});
  Judgement judged = policy.judge(running("make install"));
  EXPECT_EQ(judged.decision, Decision::reject);
  EXPECT_EQ(judged.source, "policy.toml:3");
  EXPECT_EQ(judged.rule, reject_make);
  EXPECT_EQ(policy.judge(running("ls")).source, "policy.toml:7");
  // What the session decided comes before what was decided earlier, the latest first.
  policy.remember_for_session(rule_for(running("make install"), Decision::allow, Scope::session));
  judged = policy.judge(running("make install"));
  EXPECT_EQ(judged.decision, Decision::allow);
  EXPECT_EQ(judged.source, "this session");
  policy.remember_for_session(rule_for(running("make install"), Decision::reject, Scope::session));
  EXPECT_EQ(policy.judge(running("make install")).decision, Decision::reject);
  EXPECT_EQ(Policy().judge(running("ls")).decision, std::nullopt) << "else it is asked";
}

}  // namespace
}  // namespace acp::workspace
