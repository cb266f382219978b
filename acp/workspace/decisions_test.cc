#include "acp/workspace/decisions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "acp/error.h"
#include "acp/workspace/testing/scratch.h"
#include "acp/workspace/touched.h"

namespace acp::workspace {
namespace {

class DecisionsTest : public ::testing::Test {
 protected:
  Question running(const std::string& command) const {
    Question made;
    made.agent = "gemini";
    made.project = "/project";
    made.kind = "execute";
    made.command = command;
    made.directory = "/project";
    return made;
  }
  testing::Scratch scratch;
  std::string file = scratch / "policy.toml";
};

TEST_F(DecisionsTest, WhatIsForTheSessionEndsWithIt) {
  {
    Decisions decisions(file);
    const auto remembered = decisions.remember(running("make"), Effect::allow, Scope::session);
    ASSERT_TRUE(remembered);
    EXPECT_EQ(remembered->where, "for this session");
    EXPECT_EQ(decisions.judge(running("make")).decision, Effect::allow);
    EXPECT_EQ(decisions.judge(running("make all")).decision, std::nullopt);
    EXPECT_EQ(decisions.all().size(), 1u);
  }
  EXPECT_EQ(Decisions(file).judge(running("make")).decision, std::nullopt);
}

TEST_F(DecisionsTest, WhatIsForTheProjectIsKept) {
  const auto remembered = Decisions(file).remember(running("make"), Effect::reject, Scope::project);
  ASSERT_TRUE(remembered);
  EXPECT_EQ(remembered->where, "in " + file);
  EXPECT_EQ(Decisions(file).judge(running("make")).decision, Effect::reject);
}

TEST_F(DecisionsTest, ARuleThatRejectsWinsOverAnAnswer) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"reject\"\npath = \"**/.env\"\n");
  const auto editing = [](const char* path) {
    Question made;
    made.agent = "gemini";
    made.project = "/project";
    made.kind = "edit";
    made.paths = {path};
    return made;
  };
  for (const Scope scope : {Scope::session, Scope::project}) {
    Decisions decisions(file);
    ASSERT_TRUE(decisions.remember(editing("/project/a"), Effect::allow, scope));
    EXPECT_EQ(decisions.judge(editing("/project/b")).decision, Effect::allow);
    EXPECT_EQ(decisions.judge(editing("/project/.env")).decision, Effect::reject);
    PathFilter filter = decisions.path_filter(editing("/project/a"));
    ASSERT_TRUE(filter);
    EXPECT_TRUE(filter("/project/.env"));
  }
  // One that is written after the answer was given.
  Rule later;
  later.paths = {"**/b"};
  PolicyStore(file).add(later);
  EXPECT_EQ(Decisions(file).judge(editing("/project/b")).decision, Effect::reject);
}

TEST_F(DecisionsTest, WhatCannotBeRememberedIsNotOffered) {
  Decisions decisions(file);
  Question vague = running("");
  vague.directory = {};
  EXPECT_FALSE(decisions.offered(vague, Effect::allow, Scope::session));
  EXPECT_FALSE(decisions.remember(vague, Effect::allow, Scope::session));
  EXPECT_EQ(decisions.judge(running("anything")).decision, std::nullopt);
  Decisions without_a_file;
  EXPECT_TRUE(without_a_file.offered(running("make"), Effect::allow, Scope::session));
  EXPECT_FALSE(without_a_file.offered(running("make"), Effect::allow, Scope::project));
}

TEST_F(DecisionsTest, AFileThatCannotBeUsedIsReportedOnce) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"maybe\"\n");
  Decisions decisions(file);
  EXPECT_EQ(decisions.judge(running("make")).decision, std::nullopt);
  EXPECT_TRUE(decisions.is_broken());
  EXPECT_TRUE(decisions.take_problem());
  EXPECT_FALSE(decisions.take_problem());
  const auto remembered = decisions.remember(running("make"), Effect::allow, Scope::project);
  ASSERT_TRUE(remembered);
  EXPECT_TRUE(remembered->where.starts_with("for this session only: ")) << remembered->where;
  EXPECT_EQ(decisions.judge(running("make")).decision, Effect::allow);
}

// `read notes.txt` through a link, `move secrets pub` and then read, a write through a linked
// directory: what counts is where the path leads.
TEST_F(DecisionsTest, LinksDoNotEvadeARule) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"reject\"\npath = [\"**/.env\", \"" +
                                 scratch.path().string() + "/p/secrets/**\"]\n");
  scratch.put("p/.env", "KEY=1\n");
  scratch.put("p/secrets/key", "1\n");
  scratch.put("p/docs/a", "1\n");
  ASSERT_EQ(symlink(".env", (scratch / "p/notes.txt").c_str()), 0);
  ASSERT_EQ(symlink("secrets", (scratch / "p/linked").c_str()), 0);
  Decisions decisions(file);
  const Boundary boundary({scratch / "p"});
  const auto decision = [&](const char* kind, const std::string& path, Ends ends) {
    Question question;
    question.project = scratch / "p";
    question.kind = kind;
    question.paths = {touched(boundary, scratch / ("p/" + path), ends)};
    return decisions.judge(question).decision;
  };
  EXPECT_EQ(decision("read", ".env", Ends::followed), Effect::reject);
  EXPECT_EQ(decision("read", "notes.txt", Ends::followed), Effect::reject);
  EXPECT_EQ(decision("read", "docs/../notes.txt", Ends::followed), Effect::reject);
  EXPECT_EQ(decision("read", "linked/key", Ends::followed), Effect::reject);
  EXPECT_EQ(decision("edit", "linked/new", Ends::followed), Effect::reject);
  EXPECT_EQ(decision("move", "secrets", Ends::as_it_is), Effect::reject);
  EXPECT_EQ(decision("delete", "secrets", Ends::as_it_is), Effect::reject);
  EXPECT_EQ(decision("move", "notes.txt", Ends::as_it_is), std::nullopt)
      << "the link itself is nothing secret";
  EXPECT_EQ(decision("read", "docs/a", Ends::followed), std::nullopt);
  EXPECT_EQ(decision("move", "docs", Ends::as_it_is), std::nullopt);
}

TEST_F(DecisionsTest, ToListWhatIsBelowCanBeCancelled) {
  scratch.put("p/docs/a", "1\n");
  const Boundary boundary({scratch / "p"});
  std::stop_source stopped;
  EXPECT_EQ(touched(boundary, scratch / "p/docs", Ends::as_it_is, stopped.get_token()).below,
            (std::vector<std::string>{"a"}));
  stopped.request_stop();
  EXPECT_THROW(touched(boundary, scratch / "p/docs", Ends::as_it_is, stopped.get_token()),
               Cancelled);
}

TEST_F(DecisionsTest, ARuleThatAllowsEndsWhereALinkLeavesIt) {
  scratch.put("policy.toml", "[[rule]]\ndecision = \"allow\"\nkind = \"edit\"\npath = \"" +
                                 scratch.path().string() + "/p/docs/**\"\n");
  scratch.put("p/docs/a", "1\n");
  scratch.put("p/src/b", "1\n");
  ASSERT_EQ(symlink("../src", (scratch / "p/docs/linked").c_str()), 0);
  ASSERT_EQ(symlink("../src/new", (scratch / "p/docs/dangling").c_str()), 0);
  Decisions decisions(file);
  const Boundary boundary({scratch / "p"});
  const auto decision = [&](const std::string& path) {
    Question question;
    question.kind = "edit";
    question.paths = {touched(boundary, scratch / ("p/docs/" + path))};
    return decisions.judge(question).decision;
  };
  EXPECT_EQ(decision("a"), Effect::allow);
  EXPECT_EQ(decision("new"), Effect::allow);
  EXPECT_EQ(decision("linked/b"), std::nullopt);
  EXPECT_EQ(decision("dangling"), std::nullopt);
}

// A home that is reached by a link is not asked for again and again.
TEST_F(DecisionsTest, ADirectoryThatIsALinkIsKnownByItsName) {
  scratch.put("real/docs/a", "1\n");
  ASSERT_EQ(symlink("real", (scratch / "p").c_str()), 0);
  Decisions decisions(file);
  const Boundary boundary({scratch / "p"});
  Question question;
  question.agent = "gemini";
  question.project = scratch / "p";
  question.kind = "edit";
  question.paths = {touched(boundary, scratch / "p/docs/a")};
  ASSERT_TRUE(decisions.remember(question, Effect::allow, Scope::session));
  EXPECT_EQ(decisions.judge(question).decision, Effect::allow);
  // And a rule by the real path holds as well.
  scratch.put("policy.toml", "[[rule]]\ndecision = \"reject\"\npath = \"" +
                                 scratch.path().string() + "/real/docs/**\"\n");
  EXPECT_EQ(Decisions(file).judge(question).decision, Effect::reject);
}

}  // namespace
}  // namespace acp::workspace
