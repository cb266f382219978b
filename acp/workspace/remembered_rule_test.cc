#include "acp/workspace/remembered_rule.h"

#include <gtest/gtest.h>

namespace acp::workspace {
namespace {

Question question(const std::string& kind) {
  Question made;
  made.agent = "gemini";
  made.project = "/project";
  made.kind = kind;
  return made;
}

Question running(const std::string& command, const std::string& directory = "/project") {
  Question made = question("execute");
  made.command = command;
  made.directory = directory;
  return made;
}

Rule made_for(const Question& asked) {
  const auto rule = rule_for(asked, Effect::allow, Scope::session);
  EXPECT_TRUE(rule) << asked.kind;
  return rule.value_or(Rule());
}

// An agent asks {title: "ls", kind: "execute"}, and nothing else: "always" would mean everything.
TEST(RememberedRule, NothingIsMadeOfAQuestionThatLacksTheFacts) {
  for (const char* kind : {"execute", "fetch", "edit", "delete", "move", "read", "search", "other",
                           "think", "switch_mode", "_its_own"})
    for (const Effect decision : {Effect::allow, Effect::reject})
      for (const Scope scope : {Scope::session, Scope::project})
        EXPECT_FALSE(rule_for(question(kind), decision, scope)) << kind;
  Question nowhere = question("execute");
  nowhere.command = "ls";
  EXPECT_FALSE(rule_for(nowhere, Effect::allow, Scope::session)) << "where does it run?";
  Question named = question("execute");
  named.tool = "bash";
  EXPECT_FALSE(rule_for(named, Effect::allow, Scope::session)) << "a shell is no command";
}

TEST(RememberedRule, ACommandInItsDirectory) {
  const Question asked = running("rm *.o \\* ; make");
  const Rule rule = made_for(asked);
  EXPECT_TRUE(rule.matches(asked));
  EXPECT_FALSE(rule.matches(running("rm x.o \\* ; make"))) << "a star in a command is a star";
  EXPECT_FALSE(rule.matches(running("rm *.o \\* ; make", "/project/vendor")));
  EXPECT_EQ(rule.describe(), "allow execute `rm \\*.o \\\\\\* ; make` run in /project by gemini");
}

// A walk over the whole rule for each character would hold the question for hours.
TEST(RememberedRule, ACommandOfAMegabyte) {
  std::string command = "echo ";
  while (command.size() < 1024 * 1024) command += "*\\ \n";
  const Rule rule = made_for(running(command));
  EXPECT_TRUE(rule.matches(running(command)));
  EXPECT_FALSE(rule.matches(running(command + "x")));
}

// Of a few hundred thousand, each compared with each would hold the question for hours.
TEST(RememberedRule, NoneIsMadeOfMorePathsThanAnybodyReads) {
  for (const char* kind : {"delete", "move", "read", "search"}) {
    Question asked = question(kind);
    while (asked.paths.size() < 100)
      asked.paths.emplace_back("/project/" + std::to_string(asked.paths.size()));
    EXPECT_TRUE(made_for(asked).matches(asked));
    while (asked.paths.size() < 300'000)
      asked.paths.emplace_back("/project/" + std::to_string(asked.paths.size()));
    EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session)) << kind;
    EXPECT_FALSE(rule_for(asked, Effect::reject, Scope::project)) << kind;
  }
}

TEST(RememberedRule, AnyAgentIsItself) {
  Question asked = running("make");
  const Rule rule = made_for(asked);
  asked.agent = "another";
  EXPECT_FALSE(rule.matches(asked));
}

TEST(RememberedRule, WithoutAnAgentOrAProjectThereIsNone) {
  Question asked = running("make");
  asked.agent.clear();
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session)) << "it would be for all agents";
  asked = running("make");
  asked.project.clear();
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::project)) << "it would be everywhere";
}

TEST(RememberedRule, OfAProjectItHoldsThere) {
  Question asked = running("make");
  const Rule rule = *rule_for(asked, Effect::allow, Scope::project);
  EXPECT_TRUE(rule.matches(asked));
  asked.project = "/other";
  EXPECT_FALSE(rule.matches(asked));
}

TEST(RememberedRule, AFetchIsForItsOrigin) {
  Question asked = question("fetch");
  asked.tool = "WebFetch";
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session)) << "every host has this name";
  asked.origin = "https://example.org:443";
  const Rule rule = made_for(asked);
  asked.origin = "https://evil.example:443";
  EXPECT_FALSE(rule.matches(asked));
}

TEST(RememberedRule, DeleteAndMoveAreForTheirPaths) {
  for (const char* kind : {"delete", "move"}) {
    Question asked = question(kind);
    asked.paths = {"/project/a*", "/project/b"};
    const Rule rule = made_for(asked);
    EXPECT_TRUE(rule.matches(asked));
    asked.paths = {"/project/ab"};
    EXPECT_FALSE(rule.matches(asked)) << "a star in a name is a star";
    asked.paths = {"/project/a*", "/project/c"};
    EXPECT_FALSE(rule.matches(asked));
  }
}

TEST(RememberedRule, EditsAreAllEditsOfTheDirectoryAndSaySo) {
  Question asked = question("edit");
  asked.more_directories = {"/more"};
  asked.paths = {"/project/src/a"};
  Rule rule = made_for(asked);
  EXPECT_EQ(reach_of(rule, asked), "all edits in this project");
  asked.paths = {"/project/b"};
  EXPECT_TRUE(rule.matches(asked));
  asked.paths = {"/projects/b"};
  EXPECT_FALSE(rule.matches(asked));
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session)) << "outside";
  asked.paths = {"/more/a"};
  EXPECT_EQ(reach_of(made_for(asked), asked), "all edits in /more");
  asked.paths = {"/project/../etc/passwd"};
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session));
  Touched linked("/project/link");
  linked.resolved = {"/etc/passwd"};
  asked.paths = {linked};
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session));
  EXPECT_FALSE(rule.matches(asked));
}

TEST(RememberedRule, AToolIsItsName) {
  Question asked = question("other");
  asked.tool = "github/create_*";
  const Rule rule = made_for(asked);
  EXPECT_EQ(reach_of(rule, asked), "the tool github/create_*");
  asked.tool = "github/create_issue";
  EXPECT_FALSE(rule.matches(asked));
  // A command of an agent that does not say that it is one.
  asked.command = "ls";
  asked.directory = "/project";
  EXPECT_EQ(made_for(asked).command, "ls");
}

TEST(RememberedRule, WhatAlwaysAsksIsNotAllowedForLater) {
  Question asked = question("edit");
  asked.paths = {"/project/.git/config"};
  asked.always_ask = "git runs what it says";
  EXPECT_FALSE(rule_for(asked, Effect::allow, Scope::session));
  EXPECT_TRUE(rule_for(asked, Effect::reject, Scope::session));
}

TEST(RememberedRule, SaysHowFarItReaches) {
  const auto reach = [](const Question& asked) { return reach_of(made_for(asked), asked); };
  EXPECT_EQ(reach(running("npm test")), "`npm test` in this directory");
  EXPECT_EQ(reach(running("npm test", "/project/vendor")), "`npm test` in vendor");
  EXPECT_EQ(reach(running("npm test", "/elsewhere")), "`npm test` in /elsewhere");
  EXPECT_EQ(reach(running("a\nb")), "this command in this directory");
  EXPECT_EQ(reach(running(std::string(500, 'x'))), "this command in this directory");
  Question asked = question("move");
  asked.paths = {"/project/a", "/project/b/c"};
  EXPECT_EQ(reach(asked), "move a, b/c");
  asked = question("other");
  asked.tool = "server/a\nAllowed: all";
  EXPECT_EQ(reach(asked), "the tool server/a␊Allowed: all");
}

}  // namespace
}  // namespace acp::workspace
