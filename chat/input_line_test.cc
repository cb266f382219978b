// The input line without a terminal: keys in, rows out.
#include "chat/input_line.h"

#include <gtest/gtest.h>

#include "workspace/testing/scratch.h"

namespace acp::chat {
namespace {

using Wish = InputLine::Wish;

struct Typed {
  std::vector<CommandHelp> commands = {{"/help", "", "What there is"}, {"/history", "", "Old"}};
  std::string cwd = "/nowhere";
  InputLine input{[this](std::string_view text, std::size_t cursor) {
    return complete(text, cursor, commands, cwd);
  }};

  Wish press(const std::string& name) { return input.key({Key::Kind::named, name}); }
  void type(std::string_view text) {
    for (const char c : text) input.key({Key::Kind::text, std::string(1, c)});
  }
  std::string rows() { return to_plain(input.rows(40, 10).rows); }
  std::string list() { return to_plain(input.list(60)); }
};

TEST(InputLine, EnterSendsUnlessABackslashMakesALine) {
  Typed typed;
  typed.type("one\\");
  EXPECT_EQ(typed.press("Enter"), Wish::nothing);
  typed.type("two");
  EXPECT_EQ(typed.rows(), "❯ one\n  two\n");
  EXPECT_EQ(typed.press("Enter"), Wish::send);
  EXPECT_EQ(typed.input.take(), "one\ntwo");
  EXPECT_TRUE(typed.input.empty());
}

TEST(InputLine, WhatWasTakenIsInTheHistory) {
  Typed typed;
  typed.type("first");
  static_cast<void>(typed.input.take());
  typed.type("draft");
  typed.press("Up");
  EXPECT_EQ(typed.input.text(), "first");
  typed.press("Down");
  EXPECT_EQ(typed.input.text(), "draft");
}

TEST(InputLine, TheHistoryIsKeptInAFile) {
  workspace::testing::Scratch scratch;
  const std::string file = scratch / "state/history";
  {
    Typed typed;
    typed.input.open_history(file);
    typed.type("say it");
    static_cast<void>(typed.input.take());
    typed.input.keep_history();
  }
  Typed typed;
  typed.input.open_history(file);
  typed.press("Up");
  EXPECT_EQ(typed.input.text(), "say it");
}

TEST(InputLine, AHistoryThatCannotBeWrittenIsReportedOnce) {
  workspace::testing::Scratch scratch;
  Typed typed;
  typed.input.open_history(scratch / "state/history");
  scratch.put("state", "in the way");
  typed.type("say it");
  static_cast<void>(typed.input.take());
  EXPECT_THROW(typed.input.keep_history(), std::runtime_error);
  EXPECT_NO_THROW(typed.input.keep_history());
}

TEST(InputLine, KeysAskForMoreThanText) {
  Typed typed;
  EXPECT_EQ(typed.press("C-d"), Wish::leave);
  EXPECT_EQ(typed.press("Escape"), Wish::interrupt);
  typed.type("ab");
  typed.press("Home");
  EXPECT_EQ(typed.press("C-d"), Wish::nothing);
  EXPECT_EQ(typed.input.text(), "b");
}

TEST(InputLine, TabWritesWhatAllCandidatesShare) {
  Typed typed;
  typed.type("/h");
  typed.press("Tab");
  EXPECT_EQ(typed.input.text(), "/h");
  EXPECT_EQ(typed.list(), "  /help  What there is\n  /history  Old\n");
  typed.type("e");
  EXPECT_EQ(typed.list(), "");
  typed.press("Tab");
  EXPECT_EQ(typed.input.text(), "/help ");
}

TEST(InputLine, APasteIsText) {
  Typed typed;
  typed.input.key({Key::Kind::paste, "two\r\nlines\t"});
  EXPECT_EQ(typed.input.text(), "two\nlines\t");
}

}  // namespace
}  // namespace acp::chat
