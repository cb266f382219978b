// The input line without a terminal: keys in, rows out.
#include "chat/tui/input/input_line.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "acp/workspace/testing/scratch.h"

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
  std::string list() { return to_plain(input.list(60, 8)); }
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

TEST(InputLine, ListsWhatFitsWhileTyping) {
  Typed typed;
  typed.type("/h");
  EXPECT_EQ(typed.list(), "▸ /help  What there is\n  /history  Old\n");
  typed.press("Down");
  EXPECT_EQ(typed.list(), "  /help  What there is\n▸ /history  Old\n");
  typed.press("Tab");
  EXPECT_EQ(typed.input.text(), "/history ");
  EXPECT_EQ(typed.list(), "");
}

TEST(InputLine, EnterTakesWhatArrowsChose) {
  Typed typed;
  typed.type("/h");
  typed.press("Up");
  EXPECT_EQ(typed.press("Enter"), Wish::send);
  EXPECT_EQ(typed.input.take(), "/history ");
  // The beginning of a command is enough; what is a command already is sent as it is.
  typed.type("/he");
  EXPECT_EQ(typed.press("Enter"), Wish::send);
  EXPECT_EQ(typed.input.take(), "/help ");
  typed.type("/nothing");
  EXPECT_EQ(typed.press("Enter"), Wish::send);
  EXPECT_EQ(typed.input.take(), "/nothing");
}

TEST(InputLine, EnterTakesTheFileThatIsMarked) {
  workspace::testing::Scratch scratch;
  scratch.put("some.txt", "");
  Typed typed;
  typed.cwd = scratch.path().string();
  typed.type("see @so");
  EXPECT_EQ(typed.list(), "▸ @some.txt\n");
  EXPECT_EQ(typed.press("Enter"), Wish::nothing);
  EXPECT_EQ(typed.input.text(), "see @some.txt ");
  EXPECT_EQ(typed.press("Enter"), Wish::send);
  // What names a file, or nothing at all, is sent as it stands.
  for (const std::string text : {"see @some.txt", "see @none", "see @"}) {
    typed.input.set("");
    typed.type(text);
    EXPECT_EQ(typed.press("Enter"), Wish::send) << text;
  }
}

TEST(InputLine, EscapeClosesTheListFirst) {
  Typed typed;
  typed.type("/h");
  EXPECT_EQ(typed.press("Escape"), Wish::nothing);
  EXPECT_EQ(typed.list(), "");
  EXPECT_EQ(typed.press("Escape"), Wish::interrupt);
  typed.type("i");
  EXPECT_EQ(typed.list(), "▸ /history  Old\n");
}

TEST(InputLine, TheHistoryOpensNoList) {
  Typed typed;
  typed.type("old");
  typed.input.put_away();
  typed.type("/help");
  typed.input.put_away();
  typed.press("Up");
  EXPECT_EQ(typed.list(), "");
  typed.press("Up");
  EXPECT_EQ(typed.input.text(), "old");
}

TEST(InputLine, SearchesTheHistory) {
  Typed typed;
  for (const char* text : {"make test", "git log", "make all"}) {
    typed.type(text);
    typed.input.put_away();
  }
  typed.type("draft");
  typed.press("C-r");
  typed.type("ma");
  EXPECT_EQ(typed.input.text(), "make all");
  typed.type("ke");
  EXPECT_EQ(typed.input.text(), "make all");
  EXPECT_NE(typed.list().find("search: make"), std::string::npos);
  typed.press("C-r");
  EXPECT_EQ(typed.input.text(), "make test");
  typed.press("C-r");
  EXPECT_EQ(typed.input.text(), "make test");
  typed.press("Backspace");
  typed.press("Escape");
  EXPECT_EQ(typed.input.text(), "draft");
  typed.press("C-r");
  typed.type("git");
  EXPECT_EQ(typed.press("Enter"), Wish::nothing);
  EXPECT_EQ(typed.input.text(), "git log");
  EXPECT_EQ(typed.press("Enter"), Wish::send);
  typed.press("C-r");
  typed.type("nowhere");
  EXPECT_NE(typed.list().find("nothing found"), std::string::npos);
}

TEST(InputLine, LongPastesAreFolded) {
  Typed typed;
  std::string text;
  for (int i = 0; i < 200; ++i) text += "line " + std::to_string(i) + "\n";
  text.pop_back();
  typed.type("see ");
  typed.input.key({Key::Kind::paste, text});
  std::string as_sent = text;
  std::replace(as_sent.begin(), as_sent.end(), '\n', '\r');
  typed.input.key({Key::Kind::paste, as_sent});
  EXPECT_EQ(typed.input.text(), "see " + text + text);
  EXPECT_EQ(typed.rows(), "❯ see [200 lines pasted][200 lines past\n  ed #2]\n");
  typed.press("Backspace");
  EXPECT_EQ(typed.rows(), "❯ see [200 lines pasted]\n");
  EXPECT_EQ(typed.input.text(), "see " + text);
  EXPECT_EQ(typed.input.take(), "see " + text);
  typed.press("Up");
  EXPECT_EQ(typed.input.text(), "see " + text);
}

TEST(InputLine, WhatWasQueuedComesBackBeforeTheDraft) {
  Typed typed;
  typed.input.put_before("queued");
  EXPECT_EQ(typed.input.text(), "queued");
  typed.input.put_before("first");
  EXPECT_EQ(typed.input.text(), "first\nqueued");
}

TEST(InputLine, KeysThatTheChatCarriesOut) {
  Typed typed;
  EXPECT_EQ(typed.press("S-Tab"), Wish::next_mode);
  EXPECT_EQ(typed.press("C-g"), Wish::edit_outside);
}

TEST(InputLine, APasteIsText) {
  Typed typed;
  typed.input.key({Key::Kind::paste, "two\r\nlines\t"});
  EXPECT_EQ(typed.input.text(), "two\nlines\t");
}

}  // namespace
}  // namespace acp::chat
