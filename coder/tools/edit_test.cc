#include "coder/tools/edit.h"

#include <gtest/gtest.h>

#include "acp/error.h"

namespace acp::coder {
namespace {

using Lines = std::vector<std::size_t>;

std::string failure(const std::string& text, std::vector<Replacement> replacements) {
  try {
    replace_in(text, replacements);
  } catch (const EditFailed& failed) {
    return failed.what();
  }
  return "no failure";
}

TEST(Edit, ReplacesExactly) {
  const Edited edited = replace_in("one\ntwo\nthree\n", {{"two", "zwei"}});
  EXPECT_EQ(edited.text, "one\nzwei\nthree\n");
  EXPECT_EQ(edited.lines, Lines{2});
  EXPECT_EQ(replace_in("a.b*c", {{".b*", ""}}).text, "ac") << "no pattern";
  EXPECT_EQ(replace_in("last line", {{"line", "line\n"}}).text, "last line\n");
  EXPECT_EQ(replace_in("\xC3\xA4\xC3\xB6", {{"\xC3\xB6", "\xC3\xBC"}}).text, "\xC3\xA4\xC3\xBC");
}

TEST(Edit, SeveralOneAfterTheOther) {
  const Edited edited =
      replace_in("a\nb\nc\n", {{"c", "C"}, {"a", "first\nsecond"}, {"second", "2nd"}});
  EXPECT_EQ(edited.text, "first\n2nd\nb\nC\n");
  EXPECT_EQ(edited.lines, (Lines{4, 1, 2}));
  EXPECT_EQ(failure("a\nb\n", {{"a", "x"}, {"none", "y"}}),
            "the text of replacement 2: it is not there: read the file again");
}

TEST(Edit, All) {
  const Edited edited = replace_in("x\ny x\nx", {{"x", "long\nlonger", true}});
  EXPECT_EQ(edited.text, "long\nlonger\ny long\nlonger\nlong\nlonger");
  EXPECT_EQ(edited.lines, (Lines{1, 3, 5}));
}

TEST(Edit, KeepsLineEndings) {
  EXPECT_EQ(replace_in("one\r\ntwo\r\nthree\r\n", {{"one\ntwo\n", "1\n2\n2a\n"}}).text,
            "1\r\n2\r\n2a\r\nthree\r\n");
  EXPECT_EQ(replace_in("one\r\ntwo\r\n", {{"one\r\ntwo", "1\r\n2"}}).text, "1\r\n2\r\n");
  EXPECT_EQ(replace_in("one\ntwo\n", {{"one\n", "1\n"}}).text, "1\ntwo\n");
}

TEST(Edit, SaysWhatWouldHelp) {
  EXPECT_EQ(
      failure("x\ny\nx\n", {{"x", "z"}}),
      "the text to replace occurs 2 times, at the lines 1, 3: give more of the text around it, "
      "or replace all");
  std::string many;
  for (int i = 0; i < 20; ++i) many += "x\n";
  EXPECT_NE(failure(many, {{"x", "z"}}).find("9, 10, …"), std::string::npos);
  EXPECT_EQ(
      failure("if (a) {\n    b();\n}\n", {{"if (a) {\n\tb();\n}", "c"}}),
      "the text to replace: it is not there as given, but the text at line 1 differs from it in "
      "white space only: read the file and give the text exactly");
  EXPECT_EQ(
      failure("one\nvoid f() {\n  old();\n}\n", {{"void f() {\n  other();", "x"}}),
      "the text to replace: it is not there; its first line stands at line 2, but what follows "
      "is different: read the file again");
  EXPECT_EQ(failure("a\n", {{"b", "c"}}),
            "the text to replace: it is not there: read the file again");
  EXPECT_EQ(failure("a\n", {{"", "c"}}),
            "the text to replace is empty: to write a whole file, use the tool for that");
  EXPECT_EQ(failure("a\n", {{"a", "a"}}), "the text to replace and what it becomes are the same");
  EXPECT_EQ(failure("a\n", {}), "no replacement was given");
}

std::string limited(const std::string& text, const std::vector<Replacement>& replacements,
                    const EditLimits& limits) {
  try {
    return std::to_string(replace_in(text, replacements, limits).text.size());
  } catch (const EditFailed& failed) {
    return failed.what();
  }
}

TEST(Edit, ATextThatDoublesEndsAtItsLimit) {
  const std::vector<Replacement> twice(28, {"a", "aa", true});
  EXPECT_EQ(failure("a", {twice.begin(), twice.begin() + 24}),
            "more than 1000000 places would be replaced: make the change with a command");
  EXPECT_EQ(
      failure("a", {{"a", std::string(4096, 'a'), true}, {"a", std::string(4097, 'b'), true}}),
      "the text would have more than 16777216 bytes (limits.edit_bytes)");
  EXPECT_EQ(
      replace_in("a", {{"a", std::string(4096, 'a'), true}, {"a", std::string(4096, 'b'), true}})
          .text.size(),
      16u * 1024 * 1024);
}

TEST(Edit, TheLimitIsExact) {
  EditLimits limits;
  limits.bytes = 10;
  EXPECT_EQ(limited("0123456789", {{"9", "x"}}, limits), "10");
  EXPECT_EQ(limited("0123456789", {{"9", "xy"}}, limits),
            "the text would have more than 10 bytes (limits.edit_bytes)");
  EXPECT_EQ(limited("0123456789ab", {{"9ab", ""}}, limits), "9") << "shorter is never too long";
  EXPECT_EQ(limited("aaaa", {{"a", "xxx", true}}, limits),
            "the text would have more than 10 bytes (limits.edit_bytes)");
  limits.places = 3;
  EXPECT_EQ(limited("aaa", {{"a", "b", true}}, limits), "3");
  EXPECT_EQ(limited("aaaa", {{"a", "b", true}}, limits),
            "more than 3 places would be replaced: make the change with a command");
  EXPECT_EQ(limited("aaa", {{"a", "b", true}, {"b", "c", true}}, limits),
            "more than 3 places would be replaced: make the change with a command");
}

TEST(Edit, IsCancelledBetweenReplacements) {
  std::stop_source stop;
  stop.request_stop();
  EditLimits limits;
  limits.stop = stop.get_token();
  EXPECT_THROW(replace_in("a", {{"a", "b"}}, limits), Cancelled);
}

// Neither the search nor the hint takes the product of the two sizes: that would be hours.
TEST(Edit, WhatIsNearlyThereManyTimesIsNotFoundQuickly) {
  const std::size_t size = 4 * 1024 * 1024;
  EXPECT_EQ(failure(std::string(2 * size, 'a'), {{std::string(size, 'a') + "b", "c"}}),
            "the text to replace: it is not there: read the file again");
  std::string lines, part;
  for (std::size_t i = 0; i < size / 2; ++i) lines += "a\n";
  for (std::size_t i = 0; i < size / 4; ++i) part += "a \n";
  EXPECT_NE(failure(lines, {{part + "b", "c"}}).find("it is not there"), std::string::npos);
}

}  // namespace
}  // namespace acp::coder
