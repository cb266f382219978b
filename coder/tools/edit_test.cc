#include "coder/tools/edit.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace acp::coder
