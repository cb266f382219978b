#include "acp/workspace/turn_answers.h"

#include <gtest/gtest.h>

namespace acp::workspace {
namespace {

Question running(const std::string& command, const std::string& directory = "/project") {
  Question made;
  made.kind = "execute";
  made.command = command;
  if (!command.empty()) made.directory = directory;
  return made;
}

Question touching(const std::string& kind, std::vector<Touched> paths) {
  Question made;
  made.kind = kind;
  made.paths = std::move(paths);
  return made;
}

TEST(TurnAnswers, ACommandThatWasRejectedIsKnownInOtherQuotes) {
  TurnAnswers answers;
  EXPECT_EQ(answers.about(running("rm -rf build")), std::nullopt);
  answers.add(running("rm -rf 'a b'"), Effect::reject);
  for (const char* spelling :
       {"rm -rf 'a b'", "rm  -rf \"a b\"", "rm -rf a\\ b ", "sh -c \"rm -rf 'a b'\"",
        "/bin/bash -lc 'rm -rf a\\ b'", "sh -e -c \"rm -rf 'a b'\"",
        "sh -c \"sh -c 'rm -rf a\\\\ b'\"", "bash --norc -c \"rm -rf 'a b'\"",
        "sh -c -e \"rm -rf 'a b'\"", "sh -c -- \"rm -rf 'a b'\"",
        "bash -o pipefail -c \"rm -rf 'a b'\"", "bash -euo pipefail -c \"rm -rf 'a b'\"",
        "bash --rcfile /dev/null -xc \"rm -rf 'a b'\""})
    EXPECT_EQ(answers.about(running(spelling)), Effect::reject) << spelling;
  EXPECT_EQ(answers.about(running("rm -rf a b")), std::nullopt);
  EXPECT_EQ(answers.about(running("rm -rf 'a b'", "/elsewhere")), Effect::reject);
}

TEST(TurnAnswers, ACommandThatWasAllowedIsSoInItsDirectory) {
  TurnAnswers answers;
  answers.add(running("make"), Effect::allow);
  EXPECT_EQ(answers.about(running("make")), Effect::allow);
  EXPECT_EQ(answers.about(running("make", "/project/vendor")), std::nullopt);
  EXPECT_EQ(answers.about(running("make install")), std::nullopt);
  answers.begin_turn();
  EXPECT_EQ(answers.about(running("make")), std::nullopt);
}

// `echo hi ';' touch x` was allowed: that is not `echo hi ; touch x`.
TEST(TurnAnswers, WhatWasAllowedIsAllowedAsItWasWritten) {
  TurnAnswers answers;
  answers.add(running("echo hi ';' touch x"), Effect::allow);
  answers.add(running("echo hi touch x"), Effect::allow);
  EXPECT_EQ(answers.about(running("echo hi ';' touch x")), Effect::allow);
  for (const char* other :
       {"echo hi ; touch x", "echo hi\ntouch x", "sh -c \"echo hi touch x\"", "echo  hi touch x"})
    EXPECT_EQ(answers.about(running(other)), std::nullopt) << other;
}

TEST(TurnAnswers, NoIsNoUnderAnyKind) {
  for (const char* kind :
       {"read", "search", "think", "fetch", "switch_mode", "execute", "delete"}) {
    TurnAnswers answers;
    answers.add(touching(kind, {"/project/a"}), Effect::reject);
    EXPECT_EQ(answers.about(touching("edit", {"/project/a"})), Effect::reject) << kind;
    Question command = running("rm x");
    command.kind = kind;
    answers.add(command, Effect::reject);
    EXPECT_EQ(answers.about(running("rm x")), Effect::reject) << kind;
  }
  TurnAnswers answers;
  answers.add(touching("delete", {"/project/a"}), Effect::allow);
  EXPECT_EQ(answers.about(touching("edit", {"/project/a"})), std::nullopt) << "yes is for its kind";
}

TEST(TurnAnswers, NoIsNeverPushedOut) {
  TurnAnswers answers;
  answers.add(running("rm x"), Effect::reject);
  for (int i = 0; i < 10'050; ++i)
    answers.add(running("echo " + std::to_string(i)), i % 2 == 0 ? Effect::allow : Effect::reject);
  EXPECT_EQ(answers.about(running("rm x")), Effect::reject);
  for (int i = 0; i < 10'050; ++i) answers.add(running("ls"), Effect::reject);
  EXPECT_EQ(answers.about(running("something else")), Effect::reject) << "too many to remember";
  answers.begin_turn();
  EXPECT_EQ(answers.about(running("something else")), std::nullopt);
}

TEST(TurnAnswers, TheLatestAnswerCounts) {
  TurnAnswers answers;
  answers.add(running("make"), Effect::reject);
  answers.add(running("make"), Effect::allow);
  EXPECT_EQ(answers.about(running("make")), Effect::allow);
  answers.add(running("make"), Effect::reject);
  EXPECT_EQ(answers.about(running("make")), Effect::reject);
}

TEST(TurnAnswers, PathsCountByEachOfTheirNames) {
  TurnAnswers answers;
  Touched link("/project/link");
  link.resolved = {"/project/secret"};
  answers.add(touching("edit", {link}), Effect::reject);
  EXPECT_EQ(answers.about(touching("edit", {"/project/link"})), Effect::reject);
  EXPECT_EQ(answers.about(touching("edit", {"/project/secret"})), Effect::reject);
  EXPECT_EQ(answers.about(touching("edit", {"/project/other"})), std::nullopt);
  EXPECT_EQ(answers.about(touching("read", {"/project/secret"})), std::nullopt)
      << "to read it was not the question";
}

// What an agent does not say may be anything.
TEST(TurnAnswers, ARejectionWithoutFactsStopsAllOfItsKindUntilOneIsAllowed) {
  TurnAnswers answers;
  answers.add(running(""), Effect::reject);
  EXPECT_EQ(answers.about(running("make")), Effect::reject);
  EXPECT_EQ(answers.about(touching("edit", {"/project/a"})), std::nullopt);
  answers.add(running(""), Effect::allow);
  EXPECT_EQ(answers.about(running("make")), std::nullopt);
  answers.add(touching("edit", {}), Effect::reject);
  EXPECT_EQ(answers.about(touching("edit", {"/project/a"})), Effect::reject);
  answers.add(touching("edit", {"/project/a"}), Effect::allow);
  EXPECT_EQ(answers.about(touching("edit", {"/project/a"})), Effect::allow);
  EXPECT_EQ(answers.about(touching("edit", {"/project/b"})), std::nullopt);
}

TEST(TurnAnswers, OneThatWasRejectedStaysSoThoughAnotherIsAllowed) {
  TurnAnswers answers;
  answers.add(running("rm x"), Effect::reject);
  answers.add(running(""), Effect::allow);
  EXPECT_EQ(answers.about(running("rm x")), Effect::reject);
}

}  // namespace
}  // namespace acp::workspace
