// What of a style reaches a terminal, and how lines become rows.
#include "chat/render/text/styled.h"

#include <gtest/gtest.h>

namespace acp::chat {
namespace {

TEST(Styled, JoinsWhatLooksTheSame) {
  Line line;
  add(line, "a");
  add(line, "b");
  add(line, "");
  add(line, "c", {.bold = true});
  EXPECT_EQ(line, (Line{{{}, "ab"}, {{.bold = true}, "c"}}));
}

TEST(Styled, AnsiIsSgrAndNothingElse) {
  Line line = line_of("plain ");
  add(line, "x", {.bold = true, .strike = true, .colour = Colour::red});
  add(line, "y", {.colour = Colour::bright_blue});
  EXPECT_EQ(to_ansi(line, ColourMode::ansi), "plain \x1b[1;9;31mx\x1b[0m\x1b[94my\x1b[0m");
  EXPECT_EQ(to_ansi(line, ColourMode::none), "plain xy");
  EXPECT_EQ(to_ansi(line, ColourMode::plain), "plain \x1b[1;9mx\x1b[0my");
  EXPECT_EQ(to_plain(line), "plain xy");
}

TEST(Styled, NoControlCharacterGetsThroughEvenIfASpanHasOne) {
  const Line line{{{.link = "http://x/\x1b\\\x07 é"}, "a\x1b]0;title\x07"}};
  EXPECT_EQ(to_ansi(line, ColourMode::none), "a␛]0;title␇");
  EXPECT_EQ(to_ansi(line, ColourMode::links),
            "\x1b]8;;http://x/%1B\\%07%20%C3%A9\x1b\\a␛]0;title␇\x1b]8;;\x1b\\");
}

TEST(Styled, OnlyKnownSchemesBecomeLinks) {
  const auto shown = [](const std::string& link) {
    return to_ansi({{{.link = link}, "x"}}, ColourMode::links);
  };
  EXPECT_EQ(shown("https://a"), "\x1b]8;;https://a\x1b\\x\x1b]8;;\x1b\\");
  EXPECT_EQ(shown("javascript:alert(1)"), "x");
  EXPECT_EQ(shown("ssh://host"), "x");
  EXPECT_EQ(shown("https://" + std::string(5000, 'a')), "x");
  EXPECT_EQ(to_ansi({{{.link = "https://a"}, "x"}}, ColourMode::ansi), "x");
}

TEST(Styled, IsCutToAWidth) {
  Line line = line_of("abc");
  add(line, "漢字", {.bold = true});
  EXPECT_EQ(width(line), 7u);
  EXPECT_EQ(to_plain(fit(line, 7)), "abc漢字");
  EXPECT_EQ(to_plain(fit(line, 6)), "abc漢…");
  EXPECT_EQ(to_plain(fit(line, 5)), "abc…");
  EXPECT_EQ(to_plain(fit(line, 3)), "ab…");
  EXPECT_EQ(to_plain(fit(line, 0)), "");
}

std::string wrapped(std::string_view text, std::size_t columns, const Margin& margin = {}) {
  return to_plain(wrap(line_of(text), columns, margin));
}

TEST(Wrap, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 8), "one two\nthree\n");
  EXPECT_EQ(wrapped("one  two", 4), "one\ntwo\n");
  EXPECT_EQ(wrapped("one  two", 8), "one  two\n");
  EXPECT_EQ(wrapped("", 8), "\n");
}

TEST(Wrap, CutsAWordThatIsWiderThanARow) {
  EXPECT_EQ(wrapped("abcdefgh ij", 3), "abc\ndef\ngh\nij\n");
  EXPECT_EQ(wrapped("x abcdef", 3), "x\nabc\ndef\n");
}

TEST(Wrap, BreaksBetweenWideCharacters) {
  EXPECT_EQ(wrapped("漢字漢字", 5), "漢字\n漢字\n");
  EXPECT_EQ(wrapped("a漢", 1), "a\n漢\n");  // too narrow, and yet an end
}

TEST(Wrap, AWordMayChangeItsStyle) {
  Line line = line_of("aa b");
  add(line, "c", {.bold = true});
  add(line, "d");
  EXPECT_EQ(to_plain(wrap(line, 5)), "aa\nbcd\n");
}

TEST(Wrap, HasAMargin) {
  EXPECT_EQ(wrapped("one two three", 7, {line_of("• "), line_of("  ")}), "• one\n  two\n  three\n");
  EXPECT_EQ(wrapped("ab", 2, {line_of("1234 "), line_of("     ")}), "1234 a\n     b\n");
}

TEST(Chop, KeepsEverySpace) {
  EXPECT_EQ(to_plain(chop(line_of("  a b  c"), 4)), "  a \nb  c\n");
  EXPECT_EQ(to_plain(chop({}, 4, {line_of("> "), {}})), "> \n");
}

TEST(Wrap, AMegabyteWithoutASpace) {
  const Lines lines = wrap(line_of(std::string(1'000'000, 'x')), 80);
  EXPECT_EQ(lines.size(), 12'500u);
}

}  // namespace
}  // namespace acp::chat
