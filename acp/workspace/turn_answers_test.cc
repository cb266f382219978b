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

std::shared_ptr<const TextChange> change(std::optional<std::string> before, std::string after) {
  return std::make_shared<TextChange>(TextChange{std::move(before), std::move(after)});
}

// A question about /project/a that showed these changes.
Question showing(std::vector<std::shared_ptr<const TextChange>> changes) {
  Question made = touching("edit", {"/project/a"});
  for (auto& one : changes) made.shown.push_back({"/project/a", std::move(one)});
  return made;
}

// A write of /project/a: its text now, and then.
Question writing(std::optional<std::string> before, std::string after) {
  Question made = touching("edit", {"/project/a"});
  made.change = change(std::move(before), std::move(after));
  return made;
}

TEST(TurnAnswers, AWriteIsAllowedOnceWithTheContentThatWasShown) {
  TurnAnswers answers;
  answers.add(showing({change("all: test\n", "all: build\n")}), Effect::allow);
  EXPECT_EQ(answers.take(writing("all: test\n", "all: evil\n")), Answered::otherwise);
  EXPECT_EQ(answers.take(writing("all: test\n", "all: build\n")), Answered::allowed);
  EXPECT_EQ(answers.take(writing("all: build\n", "all: build\n")), Answered::allowed)
      << "nothing is changed";
  EXPECT_EQ(answers.take(writing("all: test\n", "all: build\n")), Answered::otherwise)
      << "once is once";
}

TEST(TurnAnswers, ANewFileTakesThePlaceOfNone) {
  for (const auto& shown : {std::optional<std::string>(), std::optional<std::string>("")}) {
    TurnAnswers answers;
    answers.add(showing({change(shown, "new")}), Effect::allow);
    EXPECT_EQ(answers.take(writing(std::nullopt, "newer")), Answered::otherwise);
    EXPECT_EQ(answers.take(writing("a text that nobody saw", "new")), Answered::otherwise);
    Question over_other = writing(std::nullopt, "new");
    over_other.change = std::make_shared<TextChange>(TextChange{std::nullopt, "new", true});
    EXPECT_EQ(answers.take(over_other), Answered::otherwise);
    EXPECT_EQ(answers.take(writing(std::nullopt, "new")), Answered::allowed);
    answers.add(showing({change(shown, "new")}), Effect::allow);
    EXPECT_EQ(answers.take(writing("", "new")), Answered::allowed) << "it is empty";
    // In two steps, each of which was shown.
    answers.add(showing({change(shown, "one"), change("one", "two")}), Effect::allow);
    EXPECT_EQ(answers.take(writing(std::nullopt, "two")), Answered::allowed);
  }
}

// Agents show the part that they change, and write all of the file.
TEST(TurnAnswers, AWriteIsAllowedIfItReplacesThePartThatWasShown) {
  const std::string text = "one\ntwo\nthree\ntwo\n";
  TurnAnswers answers;
  const auto shown = [&](std::vector<std::shared_ptr<const TextChange>> changes) {
    answers.begin_turn();
    answers.add(showing(std::move(changes)), Effect::allow);
  };
  shown({change("one", "1")});
  EXPECT_EQ(answers.take(writing(text, "1")), Answered::otherwise) << "the rest would be gone";
  EXPECT_EQ(answers.take(writing(text, "1\ntwo\nthree\ntwo\nevil\n")), Answered::otherwise);
  EXPECT_EQ(answers.take(writing(text, "1\ntwo\nthree\ntwo\n")), Answered::allowed);
  shown({change("two", "2")});
  EXPECT_EQ(answers.take(writing(text, "one\ntwo\nthree\n2\n")), Answered::otherwise)
      << "which of them was not shown";
  EXPECT_EQ(answers.take(writing(text, "one\n2\nthree\n2\n")), Answered::otherwise)
      << "one place was shown";
  EXPECT_EQ(answers.take(writing("two", "2")), Answered::allowed) << "all of the text";
  shown({change("aa", "b")});
  EXPECT_EQ(answers.take(writing("aaa", "ba")), Answered::otherwise) << "or ab";
  shown({change("four", "4")});
  EXPECT_EQ(answers.take(writing(text, "4")), Answered::otherwise) << "there is no such part";
  EXPECT_EQ(answers.take(writing(std::nullopt, "4")), Answered::otherwise);
  // Several parts: all of them at once, or one after the other.
  shown({change("one", "1"), change("three", "3")});
  EXPECT_EQ(answers.take(writing(text, "1\ntwo\n3\ntwo\n")), Answered::allowed);
  EXPECT_EQ(answers.take(writing(text, "1\ntwo\nthree\ntwo\n")), Answered::otherwise);
  shown({change("one", "1"), change("three", "3")});
  EXPECT_EQ(answers.take(writing(text, "one\ntwo\n3\ntwo\n")), Answered::allowed);
  EXPECT_EQ(answers.take(writing("one\ntwo\n3\ntwo\n", "1\ntwo\n3\ntwo\n")), Answered::allowed);
}

TEST(TurnAnswers, WhatWasShownOfAnotherPathSaysNothing) {
  TurnAnswers answers;
  Question asked = showing({change(std::nullopt, "new")});
  asked.paths.push_back("/project/b");
  answers.add(asked, Effect::allow);
  Question other = writing(std::nullopt, "new");
  other.paths = {"/project/b"};
  EXPECT_EQ(answers.take(other), Answered::nothing) << "no content was shown";
  other.paths = {"/project/c"};
  EXPECT_EQ(answers.take(other), Answered::nothing);
  // A link that was exchanged since then.
  answers.begin_turn();
  Touched was("/project/a"), is("/project/a");
  was.resolved = {"/project/a"};
  is.resolved = {"/project/.git/hooks/a"};
  asked = touching("edit", {was});
  asked.shown = {{was, change(std::nullopt, "new")}};
  answers.add(asked, Effect::allow);
  other.paths = {is};
  EXPECT_EQ(answers.take(other), Answered::nothing);
  other.paths = {was};
  EXPECT_EQ(answers.take(other), Answered::allowed);
}

TEST(TurnAnswers, TheAgentsAlwaysCoversItsPaths) {
  TurnAnswers answers;
  answers.add(showing({change("a", "b")}), Effect::allow, TurnAnswers::Covers::its_paths);
  EXPECT_EQ(answers.take(writing("a", "c")), Answered::allowed);
  EXPECT_EQ(answers.take(writing("c", "d")), Answered::allowed);
}

TEST(TurnAnswers, NoIsNoToEveryContent) {
  TurnAnswers answers;
  answers.add(showing({change("a", "b")}), Effect::reject);
  EXPECT_EQ(answers.take(writing("a", "c")), Answered::rejected);
  answers.add(showing({change("a", "d")}), Effect::allow);
  EXPECT_EQ(answers.take(writing("a", "c")), Answered::rejected);
  EXPECT_EQ(answers.take(writing("a", "d")), Answered::allowed);
}

TEST(TurnAnswers, MoreTextThanCanBeKeptCoversNothing) {
  TurnAnswers answers;
  answers.add(showing({change("a", "b")}), Effect::allow);
  answers.add(showing({change("a", "c")}), Effect::allow);
  answers.add(showing({change("a", std::string(64 * 1024 * 1024 - 1, 'x'))}), Effect::allow);
  EXPECT_EQ(answers.take(writing("a", "b")), Answered::otherwise);
  EXPECT_EQ(answers.take(writing("a", std::string(64 * 1024 * 1024 - 1, 'x'))), Answered::allowed);
}

TEST(TurnAnswers, ACommandThatWasRejectedIsKnownInOtherQuotes) {
  TurnAnswers answers;
  EXPECT_EQ(answers.take(running("rm -rf build")), Answered::nothing);
  answers.add(running("rm -rf 'a b'"), Effect::reject);
  for (const char* spelling :
       {"rm -rf 'a b'", "rm  -rf \"a b\"", "rm -rf a\\ b ", "sh -c \"rm -rf 'a b'\"",
        "/bin/bash -lc 'rm -rf a\\ b'", "sh -e -c \"rm -rf 'a b'\"",
        "sh -c \"sh -c 'rm -rf a\\\\ b'\"", "bash --norc -c \"rm -rf 'a b'\"",
        "sh -c -e \"rm -rf 'a b'\"", "sh -c -- \"rm -rf 'a b'\"",
        "bash -o pipefail -c \"rm -rf 'a b'\"", "bash -euo pipefail -c \"rm -rf 'a b'\"",
        "bash --rcfile /dev/null -xc \"rm -rf 'a b'\""})
    EXPECT_EQ(answers.take(running(spelling)), Answered::rejected) << spelling;
  EXPECT_EQ(answers.take(running("rm -rf a b")), Answered::nothing);
  EXPECT_EQ(answers.take(running("rm -rf 'a b'", "/elsewhere")), Answered::rejected);
}

TEST(TurnAnswers, ACommandThatWasAllowedIsSoInItsDirectory) {
  TurnAnswers answers;
  answers.add(running("make"), Effect::allow);
  EXPECT_EQ(answers.take(running("make")), Answered::allowed);
  EXPECT_EQ(answers.take(running("make", "/project/vendor")), Answered::nothing);
  EXPECT_EQ(answers.take(running("make install")), Answered::nothing);
  answers.begin_turn();
  EXPECT_EQ(answers.take(running("make")), Answered::nothing);
}

// `echo hi ';' touch x` was allowed: that is not `echo hi ; touch x`.
TEST(TurnAnswers, WhatWasAllowedIsAllowedAsItWasWritten) {
  TurnAnswers answers;
  answers.add(running("echo hi ';' touch x"), Effect::allow);
  answers.add(running("echo hi touch x"), Effect::allow);
  EXPECT_EQ(answers.take(running("echo hi ';' touch x")), Answered::allowed);
  for (const char* other :
       {"echo hi ; touch x", "echo hi\ntouch x", "sh -c \"echo hi touch x\"", "echo  hi touch x"})
    EXPECT_EQ(answers.take(running(other)), Answered::nothing) << other;
}

TEST(TurnAnswers, NoIsNoUnderAnyKind) {
  for (const char* kind :
       {"read", "search", "think", "fetch", "switch_mode", "execute", "delete"}) {
    TurnAnswers answers;
    answers.add(touching(kind, {"/project/a"}), Effect::reject);
    EXPECT_EQ(answers.take(touching("edit", {"/project/a"})), Answered::rejected) << kind;
    Question command = running("rm x");
    command.kind = kind;
    answers.add(command, Effect::reject);
    EXPECT_EQ(answers.take(running("rm x")), Answered::rejected) << kind;
  }
  TurnAnswers answers;
  answers.add(touching("delete", {"/project/a"}), Effect::allow);
  EXPECT_EQ(answers.take(touching("edit", {"/project/a"})), Answered::nothing)
      << "yes is for its kind";
}

TEST(TurnAnswers, NoIsNeverPushedOut) {
  TurnAnswers answers;
  answers.add(running("rm x"), Effect::reject);
  for (int i = 0; i < 10'050; ++i)
    answers.add(running("echo " + std::to_string(i)), i % 2 == 0 ? Effect::allow : Effect::reject);
  EXPECT_EQ(answers.take(running("rm x")), Answered::rejected);
  for (int i = 0; i < 10'050; ++i) answers.add(running("ls"), Effect::reject);
  EXPECT_EQ(answers.take(running("something else")), Answered::rejected) << "too many to remember";
  answers.begin_turn();
  EXPECT_EQ(answers.take(running("something else")), Answered::nothing);
}

TEST(TurnAnswers, TheLatestAnswerCounts) {
  TurnAnswers answers;
  answers.add(running("make"), Effect::reject);
  answers.add(running("make"), Effect::allow);
  EXPECT_EQ(answers.take(running("make")), Answered::allowed);
  answers.add(running("make"), Effect::reject);
  EXPECT_EQ(answers.take(running("make")), Answered::rejected);
}

TEST(TurnAnswers, PathsCountByEachOfTheirNames) {
  TurnAnswers answers;
  Touched link("/project/link");
  link.resolved = {"/project/secret"};
  answers.add(touching("edit", {link}), Effect::reject);
  EXPECT_EQ(answers.take(touching("edit", {"/project/link"})), Answered::rejected);
  EXPECT_EQ(answers.take(touching("edit", {"/project/secret"})), Answered::rejected);
  EXPECT_EQ(answers.take(touching("edit", {"/project/other"})), Answered::nothing);
  EXPECT_EQ(answers.take(touching("read", {"/project/secret"})), Answered::nothing)
      << "to read it was not the question";
}

// What an agent does not say may be anything.
TEST(TurnAnswers, ARejectionWithoutFactsStopsAllOfItsKindUntilOneIsAllowed) {
  TurnAnswers answers;
  answers.add(running(""), Effect::reject);
  EXPECT_EQ(answers.take(running("make")), Answered::rejected);
  EXPECT_EQ(answers.take(touching("edit", {"/project/a"})), Answered::nothing);
  answers.add(running(""), Effect::allow);
  EXPECT_EQ(answers.take(running("make")), Answered::nothing);
  answers.add(touching("edit", {}), Effect::reject);
  EXPECT_EQ(answers.take(touching("edit", {"/project/a"})), Answered::rejected);
  answers.add(touching("edit", {"/project/a"}), Effect::allow);
  EXPECT_EQ(answers.take(touching("edit", {"/project/a"})), Answered::nothing)
      << "no content was shown";
  EXPECT_EQ(answers.take(touching("edit", {"/project/b"})), Answered::nothing);
}

TEST(TurnAnswers, OneThatWasRejectedStaysSoThoughAnotherIsAllowed) {
  TurnAnswers answers;
  answers.add(running("rm x"), Effect::reject);
  answers.add(running(""), Effect::allow);
  EXPECT_EQ(answers.take(running("rm x")), Answered::rejected);
}

}  // namespace
}  // namespace acp::workspace
