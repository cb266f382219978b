// That nothing a terminal would act upon gets through, and how wide what does is.
#include "chat/render/text/text.h"

#include <gtest/gtest.h>

namespace acp::chat {
namespace {

TEST(Safe, ControlCharactersAreShown) {
  EXPECT_EQ(safe("a\x1b[31mred\x07"), "a␛[31mred␇");
  EXPECT_EQ(safe(std::string_view("\0\r\n\x7f", 4)), "␀␍␊␡");
  EXPECT_EQ(safe("\xc2\x9b\x33\x31m"), "<U+009B>31m");  // CSI as one character
  for (int c = 0; c < 0x20; ++c) {
    const std::string shown = safe(std::string(1, static_cast<char>(c)));
    EXPECT_TRUE(is_safe(shown)) << c;
    EXPECT_GE(static_cast<unsigned char>(shown[0]), 0x20) << c;
  }
  EXPECT_FALSE(is_safe("\x1b"));
  EXPECT_FALSE(is_safe("\n"));
  EXPECT_FALSE(is_safe("\t"));
}

TEST(Safe, WhatHidesOrTurnsTextIsShown) {
  EXPECT_EQ(safe("a\u202Eb\u2066c\u200Fd"), "a<U+202E>b<U+2066>c<U+200F>d");
  EXPECT_EQ(safe("a\u200Bb\uFEFF\u2028"), "a<U+200B>b<U+FEFF><U+2028>");
  EXPECT_EQ(safe("\U000E0041"), "<U+E0041>");  // a letter that nobody sees
  EXPECT_EQ(safe("👩\u200D💻 ❤\uFE0F"), "👩\u200D💻 ❤\uFE0F");
}

TEST(Safe, BadBytesAreReplaced) {
  EXPECT_EQ(safe("a\xff\xc3"), "a\uFFFD\uFFFD");
  EXPECT_EQ(safe("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(safe("é漢😀"), "é漢😀");
}

TEST(Safe, TabsReachTheNextColumn) {
  EXPECT_EQ(safe("a\tb\t\tc"), "a   b       c");
  EXPECT_EQ(safe("漢\tb"), "漢  b");
  EXPECT_EQ(safe("a\tb", 8), "a       b");
}

TEST(Safe, MarksDoNotPileUp) {
  std::string tower = "a";
  for (int i = 0; i < 100'000; ++i) tower += "\u0301";
  const std::string shown = safe(tower + "b");
  EXPECT_LT(shown.size(), 50u);
  EXPECT_EQ(shown.back(), 'b');
  EXPECT_EQ(safe(shown), shown);
}

TEST(Safe, OfOutputIsWhatIsLeftOnTheScreen) {
  EXPECT_EQ(safe_output("10%\r20%\r30%\r"), "30%");
  EXPECT_EQ(safe_output("\x1b[1;31mred\x1b[0m \x1b[2J\x1b[38:5:1mx"), "red ␛[2Jx");
  EXPECT_EQ(safe_output("\x1b[31"), "␛[31");
}

TEST(Width, OfWhatIsSeenAsOneCharacter) {
  EXPECT_EQ(width(""), 0u);
  EXPECT_EQ(width("abc"), 3u);
  EXPECT_EQ(width("e\u0301"), 1u);
  EXPECT_EQ(width("漢字"), 4u);
  EXPECT_EQ(width("한"), 2u);
  EXPECT_EQ(width("😀"), 2u);
  EXPECT_EQ(width("👩\u200D👩\u200D👧"), 2u);
  EXPECT_EQ(width("🤷🏽\u200D♂\uFE0F"), 2u);
  EXPECT_EQ(width("👍🏽"), 2u);
  EXPECT_EQ(width("❤"), 1u);
  EXPECT_EQ(width("❤\uFE0F"), 2u);
  EXPECT_EQ(width("🇩🇪"), 2u);
  EXPECT_EQ(width("🇩🇪🇫🇷"), 4u);
  EXPECT_EQ(width("│─•"), 3u);
}

TEST(Width, OfEndlessJoinersIsNotTwo) {
  std::string family = "👩";
  for (int i = 0; i < 100'000; ++i) family += "\u200D👩";
  EXPECT_GT(width(family), 1000u);
  EXPECT_LE(cut(family, 80).size(), 80 / 2 * 128u);
}

TEST(Cut, IsBetweenCharacters) {
  EXPECT_EQ(cut("漢字", 3), "漢");
  EXPECT_EQ(cut("e\u0301x", 1), "e\u0301");
  EXPECT_EQ(fit("hello", 5), "hello");
  EXPECT_EQ(fit("hello!", 5), "hell…");
  EXPECT_EQ(fit("漢字", 3), "漢…");
  EXPECT_EQ(fit("ab", 0), "");
  EXPECT_EQ(fit_end("/a/very/long/path", 10), "…long/path");
  EXPECT_EQ(fit_end("short", 10), "short");
}

TEST(Lines, AreTakenOneByOne) {
  std::string_view text = "a\r\nb\n\nc";
  EXPECT_EQ(count_lines(text), 4u);
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "c");
  EXPECT_EQ(text, "");
  EXPECT_EQ(count_lines(""), 0u);
  EXPECT_EQ(count_lines("a\n"), 1u);
}

TEST(Lines, AreCutWhereACharacterBegins) {
  const std::string_view text = "a漢b";
  EXPECT_EQ(character_start(text, 1), 1u);
  EXPECT_EQ(character_start(text, 2), 1u);
  EXPECT_EQ(character_start(text, 3), 1u);
  EXPECT_EQ(character_start(text, 4), 4u);
  EXPECT_EQ(character_start(text, 9), 5u);
}

}  // namespace
}  // namespace acp::chat
