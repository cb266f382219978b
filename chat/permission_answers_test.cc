#include "chat/permission_answers.h"

#include <gtest/gtest.h>

namespace acp::chat {
namespace {

using OptionKind = v1::PermissionOptionKind;
using Kind = PermissionAnswerChoice::Kind;

v1::PermissionOption option(const char* id, const char* name, OptionKind kind) {
  v1::PermissionOption made;
  made.optionId = id;
  made.name = name;
  made.kind = kind;
  return made;
}

const std::vector<v1::PermissionOption> usual = {
    option("aa", "Sure, always", OptionKind::allow_always),
    option("ao", "Yes", OptionKind::allow_once), option("ro", "No", OptionKind::reject_once)};

// "y Allow once -> ao": the letter, what it says, and what the agent is answered.
std::vector<std::string> told(const std::vector<PermissionAnswerChoice>& answers) {
  std::vector<std::string> lines;
  for (const PermissionAnswerChoice& one : answers)
    lines.push_back(std::string(one.choice.key ? 1 : 0, one.choice.key) + " " + one.choice.label +
                    (one.choice.description.empty() ? "" : ": " + one.choice.description) +
                    (one.choice.meaning.empty() ? "" : " (" + one.choice.meaning + ")") + " -> " +
                    (one.option ? one.option->optionId : "none"));
  return lines;
}
using Texts = std::vector<std::string>;

TEST(PermissionAnswers, AreTheSameForEveryAgent) {
  const auto answers = permission_answers(usual, "all edits in src", "all edits", "acp");
  EXPECT_EQ(told(answers), (Texts{"y Allow once -> ao", "s This session: all edits in src -> ao",
                                  "p This project: all edits, from now on -> ao", "n Reject -> ro",
                                  "r Reject and say why -> ro", "o Other answers of acp -> none"}));
  EXPECT_EQ(answers[1].kind, Kind::session);
  EXPECT_EQ(answers[2].kind, Kind::project);
  EXPECT_EQ(answers[4].kind, Kind::reject_why);
  EXPECT_TRUE(answers[2].allow);
  EXPECT_FALSE(answers[3].allow);
}

TEST(PermissionAnswers, TheAgentsOwnAlwaysTakesTheirPlace) {
  EXPECT_EQ(
      told(permission_answers(usual, {}, {}, "acp")),
      (Texts{"y Allow once -> ao", "a Sure, always (the agent's own: allows from now on) -> aa",
             "n Reject -> ro", "r Reject and say why -> ro"}));
}

TEST(PermissionAnswers, OfAnAgentThatOffersLittle) {
  EXPECT_EQ(told(permission_answers({option("aa", "Go", OptionKind::allow_always)}, {}, {}, "x")),
            (Texts{"a Go (the agent's own: allows from now on) -> aa", "n Reject -> none",
                   "r Reject and say why -> none"}));
  // A rule of ours cannot stand for an answer that would be more.
  const auto answers = permission_answers({option("aa", "Go", OptionKind::allow_always),
                                           option("ra", "Never", OptionKind::reject_always)},
                                          "this", "this", "x");
  EXPECT_EQ(told(answers),
            (Texts{"n Reject (the agent's own: rejects from now on) -> ra",
                   "r Reject and say why (the agent's own: rejects from now on) -> ra",
                   "o Other answers of x -> none"}));
}

TEST(PermissionAnswers, AllOfTheAgentsStayReachable) {
  EXPECT_EQ(told(agents_answers(usual)),
            (Texts{" Sure, always (allows from now on) -> aa", " Yes (allows once) -> ao",
                   " No (rejects once) -> ro", "b Back -> none"}));
}

}  // namespace
}  // namespace acp::chat
