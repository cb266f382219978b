// What may be done without asking, what is asked, and what is not done: by modes, rules and
// answers.
#include "coder/session/permission_gate.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>

#include "acp/testing/served.h"
#include "acp/workspace/testing/scratch.h"
#include "coder/testing/text.h"

namespace acp::coder {
namespace {

using testing::begins_with;
using testing::contains;
using v1::ToolKind;

class GateTest : public ::testing::Test {
 protected:
  GateTest() {
    Agent agent("test", "1");
    agent.on_prompt([this](const Turn& turn) -> StopReason {
      v1::ToolCall call;
      call.toolCallId = "call" + std::to_string(++call_count);
      call.title = "A call";
      call.kind = asked.kind;
      verdict = gate().pass(turn.tool_call(call), mode, asked, turn.stop_token());
      return StopReason::end_turn;
    });
    served = std::make_unique<acp::testing::Served>(agent);
    served->raw.initialize();
    session = served->raw.new_session();
  }

  PermissionGate& gate() {
    if (!made)
      made = std::make_unique<PermissionGate>(
          std::vector<std::string>{"/project"}, policy_file,
          [this](const std::string& path, bool, const std::stop_token&) {
            workspace::Touched touched(path);
            const bool unknown = path.find("/../") != std::string::npos;
            if (!unknown) touched.resolved = {leads_to.contains(path) ? leads_to[path] : path};
            return touched;
          });
    return *made;
  }
  void rules(const std::string& text) { scratch.put("policy.toml", text); }

  // The question, if there was one: the ids of its options; else nothing.
  std::string pass(const std::string& in_mode, ToolKind kind, const std::string& outcome) {
    mode = in_mode;
    asked.kind = kind;
    verdict = {};
    std::string offered;
    served->raw.prompt("7", session, "go");
    while (true) {
      const Json message = served->raw.read();
      if (message["method"].as_string() == "session/request_permission") {
        for (const JsonView option : message["params"]["options"].elements()) {
          const std::string id = *option["optionId"].as_string();
          offered += (offered.empty() ? "" : " ") + id;
          names[id] = *option["name"].as_string();
        }
        while_asked();
        served->raw.answer(message, R"({"outcome":)" + outcome + "}");
      } else if (!message["result"].absent() || !message["error"].absent()) {
        stop = message["result"]["stopReason"].as_string().value_or("(error)");
        return offered;
      } else if (message.absent()) {
        return "(the connection has ended)";
      }
    }
  }
  static std::string selected(const std::string& option) {
    return R"({"outcome":"selected","optionId":")" + option + "\"}";
  }
  std::string allow_once() const { return selected("allow_once"); }

  workspace::testing::Scratch scratch;
  std::string policy_file = scratch / "policy.toml";
  std::unique_ptr<PermissionGate> made;
  std::string mode;
  Asked asked;
  int call_count = 0;
  GateAnswer verdict;
  std::map<std::string, std::string> leads_to;  // links
  std::function<void()> while_asked = [] {};
  std::map<std::string, std::string> names;  // of the options that were offered last, and before
  std::string stop;
  std::unique_ptr<acp::testing::Served> served;
  std::string session;
};

constexpr ToolKind all_kinds[] = {
    ToolKind::read,    ToolKind::edit,  ToolKind::delete_, ToolKind::move,        ToolKind::search,
    ToolKind::execute, ToolKind::think, ToolKind::fetch,   ToolKind::switch_mode, ToolKind::other};

const std::string all_options =
    "allow_once allow_session allow_project reject_once reject_session reject_project";

// What each mode allows, in full: n(othing), a(sks), - (never).
TEST_F(GateTest, ModesDecideWhatIsAsked) {
  const std::pair<const char*, const char*> table[] = {
      // read edit delete move search execute think fetch switch_mode other
      {"ask", "naaananaaa"},
      {"code", "nnnnnanaaa"},
      {"architect", "n---n-naaa"},
      {"one that nobody knows", "naaananaaa"},
  };
  for (const auto& [in_mode, row] : table)
    for (std::size_t i = 0; i < std::size(all_kinds); ++i) {
      const Need expected = row[i] == 'n'   ? Need::nothing
                            : row[i] == 'a' ? Need::permission
                                            : Need::another_mode;
      EXPECT_EQ(need_of(in_mode, all_kinds[i]), expected) << in_mode << " " << i;
      const std::string question = pass(in_mode, all_kinds[i], allow_once());
      EXPECT_EQ(!question.empty(), row[i] == 'a') << in_mode << " " << i << " " << question;
      EXPECT_EQ(verdict.allowed, row[i] != '-') << in_mode << " " << i;
      EXPECT_EQ(contains(verdict.reason, "does not allow this"), row[i] == '-') << verdict.reason;
    }
}

TEST_F(GateTest, AnswersHoldAsFarAsTheySay) {
  asked.command = "make";
  asked.directory = "/project";
  EXPECT_EQ(pass("ask", ToolKind::execute, selected("reject_once")), all_options);
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.reason, "permission was denied");
  EXPECT_EQ(pass("ask", ToolKind::execute, allow_once()), all_options) << "once is once";
  EXPECT_TRUE(verdict.allowed);
  EXPECT_EQ(verdict.reason, "");
  EXPECT_EQ(pass("ask", ToolKind::execute, selected("allow_session")), all_options);
  EXPECT_EQ(pass("ask", ToolKind::execute, ""), "");
  EXPECT_TRUE(verdict.allowed);
  EXPECT_PRED2(begins_with, verdict.reason, "allowed by a rule: ");
  EXPECT_PRED2(contains, verdict.reason, "this session");
  asked.command = "make install";
  EXPECT_EQ(pass("code", ToolKind::execute, selected("reject_session")), all_options)
      << "another command is another question";
  EXPECT_EQ(pass("ask", ToolKind::execute, ""), "");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(scratch.get("policy.toml"), "") << "what is for the session is not kept";
  // What is for the project holds in its next session, too.
  asked.command = "make test";
  pass("ask", ToolKind::execute, selected("allow_project"));
  made.reset();
  EXPECT_EQ(pass("ask", ToolKind::execute, ""), "");
  EXPECT_TRUE(verdict.allowed);
  EXPECT_PRED2(contains, verdict.reason, "policy.toml");
  asked.command = "make";
  EXPECT_EQ(pass("ask", ToolKind::execute, allow_once()), all_options);
}

TEST_F(GateTest, ARuleOfAServersPageIsForThatServer) {
  asked.origin = "https://example.org:443";
  pass("code", ToolKind::fetch, selected("allow_project"));
  EXPECT_EQ(pass("code", ToolKind::fetch, ""), "");
  asked.origin = "https://elsewhere.org:443";
  EXPECT_EQ(pass("code", ToolKind::fetch, selected("reject_once")), all_options);
}

TEST_F(GateTest, ARuleThatRejectsHoldsInEveryMode) {
  rules("[[rule]]\ndecision = \"reject\"\npath = \"/project/secret/**\"\n");
  asked.paths = {"/project/secret/key"};
  for (const char* in_mode : {"ask", "code", "architect"})
    for (const ToolKind kind : all_kinds) {
      EXPECT_EQ(pass(in_mode, kind, allow_once()), "") << in_mode;
      EXPECT_FALSE(verdict.allowed) << in_mode;
    }
  asked.paths = {"/project/src/../secret/key"};
  pass("code", ToolKind::read, allow_once());
  EXPECT_FALSE(verdict.allowed) << "where a way up leads to is not to be seen";
  asked.paths = {"/project/src"};
  EXPECT_EQ(pass("code", ToolKind::read, ""), "");
  EXPECT_TRUE(verdict.allowed);
}

TEST_F(GateTest, ARuleThatRejectsWinsOverAnAnswer) {
  for (const char* answer : {"allow_session", "allow_project"}) {
    rules("");
    asked.paths = {"/project/a"};
    EXPECT_EQ(pass("ask", ToolKind::edit, selected(answer)), all_options) << answer;
    rules(scratch.get("policy.toml") + "\n[[rule]]\ndecision = \"reject\"\npath = \"**/.env\"\n");
    EXPECT_EQ(pass("ask", ToolKind::edit, ""), "");
    EXPECT_TRUE(verdict.allowed);
    asked.paths = {"/project/.env"};
    EXPECT_EQ(pass("ask", ToolKind::edit, allow_once()), "");
    EXPECT_FALSE(verdict.allowed) << answer;
    EXPECT_PRED2(contains, verdict.reason, "rejected by a rule");
    rules("[[rule]]\ndecision = \"reject\"\nkind = \"edit\"\n");
    asked.paths = {"/project/a"};
    EXPECT_EQ(pass("ask", ToolKind::edit, allow_once()), "");
    EXPECT_FALSE(verdict.allowed) << answer;
    made.reset();
  }
}

TEST_F(GateTest, ARuleThatAllowsDoesNotReachWhatTheModeForbids) {
  rules("[[rule]]\ndecision = \"allow\"\n");
  EXPECT_EQ(pass("architect", ToolKind::execute, ""), "");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(pass("ask", ToolKind::execute, ""), "");
  EXPECT_TRUE(verdict.allowed);
  // Modes are the user's own affair.
  EXPECT_EQ(pass("ask", ToolKind::switch_mode, allow_once()), "allow_once reject_once");
}

// The directory is part of what was allowed.
TEST_F(GateTest, ACommandThatWasAllowedIsAskedAgainElsewhere) {
  asked.command = "sh build.sh";
  asked.directory = "/project";
  pass("ask", ToolKind::execute, selected("allow_session"));
  EXPECT_EQ(pass("ask", ToolKind::execute, ""), "");
  asked.directory = "/project/vendor";
  EXPECT_EQ(pass("ask", ToolKind::execute, selected("reject_once")), all_options);
}

TEST_F(GateTest, ADeleteThatWasAllowedIsForItsPath) {
  asked.paths = {"/project/a"};
  pass("ask", ToolKind::delete_, selected("allow_session"));
  EXPECT_EQ(pass("ask", ToolKind::delete_, ""), "");
  asked.paths = {"/project/b"};
  EXPECT_EQ(pass("ask", ToolKind::delete_, selected("reject_once")), all_options);
}

TEST_F(GateTest, AnswersSayHowFarTheyReach) {
  asked.paths = {"/project/src/a"};
  pass("ask", ToolKind::edit, selected("allow_session"));
  EXPECT_EQ(names["allow_session"], "Always allow in this session: all edits in this project");
  EXPECT_EQ(names["allow_project"], "Allow in this project from now on: all edits in this project");
  asked.paths = {"/project/b"};
  EXPECT_EQ(pass("ask", ToolKind::edit, ""), "") << "as it says";
  asked.paths = {};
  asked.command = "make test";
  asked.directory = "/project/src";
  pass("ask", ToolKind::execute, allow_once());
  EXPECT_EQ(names["allow_session"], "Always allow in this session: `make test` in src");
}

// What a question does not say cannot be remembered.
TEST_F(GateTest, WithoutFactsThereIsNoRule) {
  for (const ToolKind kind : {ToolKind::edit, ToolKind::delete_, ToolKind::execute, ToolKind::fetch,
                              ToolKind::other, ToolKind::switch_mode})
    EXPECT_EQ(pass("ask", kind, allow_once()), "allow_once reject_once");
}

TEST_F(GateTest, WhatAlwaysAsksDoesSoInEveryModeThatAllowsChanges) {
  rules("[[rule]]\ndecision = \"allow\"\n");
  asked.paths = {"/project/.git/config"};
  asked.ask_reason = "git runs commands that stand in this file";
  const std::string options = "allow_once reject_once reject_session reject_project";
  for (const char* in_mode : {"ask", "code"}) {
    EXPECT_EQ(pass(in_mode, ToolKind::edit, allow_once()), options) << in_mode;
    EXPECT_TRUE(verdict.allowed);
  }
  EXPECT_EQ(pass("architect", ToolKind::edit, allow_once()), "");
  EXPECT_FALSE(verdict.allowed);
}

// Another session, or a command, exchanges a link while the person reads the question.
TEST_F(GateTest, WhatLeadsElsewhereAfterTheQuestionIsNotDone) {
  asked.paths = {"/project/dir/pre-commit"};
  while_asked = [&] { leads_to[asked.paths[0]] = "/project/.git/hooks/pre-commit"; };
  for (const ToolKind kind : {ToolKind::edit, ToolKind::delete_, ToolKind::move}) {
    leads_to.clear();
    EXPECT_NE(pass("ask", kind, allow_once()), "");
    EXPECT_FALSE(verdict.allowed);
    EXPECT_PRED2(contains, verdict.reason, "has changed while the user was asked");
  }
  asked.paths.clear();
  asked.command = "make";
  asked.directory = "/project/dir";
  while_asked = [&] { leads_to[asked.directory] = "/project/vendor"; };
  leads_to.clear();
  pass("ask", ToolKind::execute, allow_once());
  EXPECT_FALSE(verdict.allowed);
}

TEST_F(GateTest, AKeyIsNeitherNamedInAnAnswerNorRemembered) {
  asked.command = "echo sk-secret";
  asked.directory = "/project";
  asked.secret = true;
  EXPECT_EQ(pass("ask", ToolKind::execute, selected("allow_project")), "allow_once reject_once");
  EXPECT_EQ(scratch.get("policy.toml"), "");
}

TEST_F(GateTest, WhatRulesKeepFromTheModelIsFiltered) {
  EXPECT_FALSE(gate().path_filter(ToolKind::search)) << "without rules there is no filter";
  rules("[[rule]]\ndecision = \"reject\"\nkind = \"read\"\npath = \"**/.env\"\n");
  const auto filter = gate().path_filter(ToolKind::search);
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter("/project/.env")) << "to search is to read";
  EXPECT_FALSE(filter("/project/a"));
  EXPECT_TRUE(gate().why_unreadable("/project/.env"));
  EXPECT_FALSE(gate().why_unreadable("/project/a"));
}

TEST_F(GateTest, AnOptionThatWasNotOfferedIsNoApproval) {
  asked.paths = {"/project/a"};
  EXPECT_EQ(pass("ask", ToolKind::edit, selected("allow_everything")), all_options);
  EXPECT_FALSE(verdict.allowed);
  EXPECT_PRED2(contains, verdict.reason, "was not offered: allow_everything");
  pass("ask", ToolKind::edit, selected(""));
  EXPECT_FALSE(verdict.allowed);
  // One of ours, but not for this question.
  EXPECT_EQ(pass("ask", ToolKind::switch_mode, selected("allow_session")),
            "allow_once reject_once");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_PRED2(contains, verdict.reason, "was not offered");
  policy_file.clear();
  made.reset();
  EXPECT_EQ(pass("ask", ToolKind::edit, selected("allow_project")),
            "allow_once allow_session reject_once reject_session");
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(pass("ask", ToolKind::edit, selected("reject_once")),
            "allow_once allow_session reject_once reject_session")
      << "and it is not remembered";
}

TEST_F(GateTest, WhatIsNoAnswerIsNoApproval) {
  pass("ask", ToolKind::edit, R"({"outcome":"cancelled"})");
  EXPECT_EQ(stop, "cancelled");
  EXPECT_FALSE(verdict.allowed);
  // One that nobody knows means no, and the turn goes on.
  pass("ask", ToolKind::edit, R"({"outcome":"_whatever","optionId":"allow_once"})");
  EXPECT_EQ(stop, "end_turn");
  EXPECT_FALSE(verdict.allowed);
}

// Nobody knows what they would have rejected.
TEST_F(GateTest, WithRulesThatCannotBeReadEverythingIsAsked) {
  asked.paths = {"/project/a"};
  rules("[[rule]]\ndecision = \"maybe\"\n");
  EXPECT_EQ(pass("code", ToolKind::edit, allow_once()), all_options);
  EXPECT_TRUE(verdict.allowed);
  EXPECT_EQ(pass("code", ToolKind::read, selected("reject_once")), all_options);
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(pass("code", ToolKind::think, ""), "") << "a plan touches nothing";
  const auto problem = gate().take_problem();
  ASSERT_TRUE(problem);
  EXPECT_PRED2(contains, *problem, "policy.toml");
  EXPECT_EQ(gate().take_problem(), std::nullopt) << "it is said once";
  // What cannot be kept holds in this session.
  EXPECT_EQ(pass("code", ToolKind::edit, selected("allow_project")), all_options);
  EXPECT_EQ(pass("code", ToolKind::edit, ""), "");
  EXPECT_TRUE(verdict.allowed);
  rules("");
  made.reset();
  EXPECT_EQ(pass("code", ToolKind::edit, ""), "");
}

}  // namespace
}  // namespace acp::coder
