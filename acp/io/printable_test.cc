#include "acp/io/printable.h"

#include <gtest/gtest.h>

#include "acp/json/json.h"

namespace acp::io {
namespace {

TEST(Printable, TextStaysAndControlsAreShown) {
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable("Grüße, 世界 🎉 \xC2\xA0"), "Grüße, 世界 🎉 \xC2\xA0");
  EXPECT_EQ(printable("\x1b]52;c;eA==\a"), "␛]52;c;eA==␇");
  EXPECT_EQ(printable("\r\b\x7F"), "␍␈␡");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "␀");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "<U+009B>2J");
}

TEST(Printable, WhatIsNoUtf8IsReplacedAByteAtATime) {
  EXPECT_EQ(printable("\x9B"
                      "2J"),
            "\uFFFD2J");
  EXPECT_EQ(printable("a\xE4\xB8"), "a\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
}

TEST(Printable, WhatHidesOrTurnsTheTextAroundIsShown) {
  for (const char32_t code :
       {0xADu,   0x34Fu,  0x61Cu,  0x115Fu, 0x1160u, 0x180Eu, 0x200Bu,  0x200Eu,  0x200Fu,
        0x2028u, 0x2029u, 0x202Au, 0x202Eu, 0x2060u, 0x2064u, 0x2066u,  0x2069u,  0x3164u,
        0xFEFFu, 0xFFA0u, 0xFFF9u, 0xFFFBu, 0x80u,   0x9Fu,   0xE0001u, 0xE007Fu, 0x1D173u})
    EXPECT_TRUE(is_hidden(code)) << std::hex << static_cast<unsigned>(code);
  for (const char32_t code : {0x20u, 0x7Eu, 0xA0u, 0x200Cu, 0x200Du, 0xFE0Fu, 0x20ACu, 0x1F600u})
    EXPECT_FALSE(is_hidden(code)) << std::hex << static_cast<unsigned>(code);
  EXPECT_EQ(printable("a\u202Eb\u2066c"), "a<U+202E>b<U+2066>c");
  EXPECT_EQ(printable("\U000E0041"), "<U+E0041>");
}

TEST(Printable, EmojiAndScriptsKeepWhatJoinsThem) {
  for (const char* text :
       {"👨‍👩‍👧", "❤️‍🔥", "1️⃣", "می‌خواهم", "क्‍ष"})
    EXPECT_EQ(printable(text), text);
  // Between letters they only hide, and more than one carries a message.
  EXPECT_EQ(printable("r\u200Dm"), "r<U+200D>m");
  EXPECT_EQ(printable("\u200C"), "<U+200C>");
  EXPECT_EQ(printable("a\uFE0F"), "a<U+FE0F>");
  EXPECT_EQ(printable("😀\uFE0F\U000E0101\U000E0102"), "😀\uFE0F<U+E0101><U+E0102>");
  EXPECT_EQ(printable("a\uFE0F\u200Db"), "a<U+FE0F><U+200D>b");
}

TEST(Printable, APieceAtATime) {
  PrintableStream stream;
  EXPECT_EQ(stream("👨") + stream("\u200D") + stream("👩") + stream("x") + stream("\u200D"),
            "👨\u200D👩x<U+200D>");
}

TEST(Printable, Twice) {
  std::string all;
  for (unsigned i = 0; i < 256; ++i) all += static_cast<char>(i);
  all += "a\uFE0F\u200D😀\u200D\u200D\u202E\uFE0F\u20E3";
  EXPECT_EQ(printable(printable(all)), printable(all));
  EXPECT_TRUE(is_printable_line(one_line(all, whole)));
  EXPECT_FALSE(is_printable_line(all));
}

TEST(Printable, OneLine) {
  EXPECT_EQ(one_line("a\r\nb\tc"), "a␍␊b c");
  EXPECT_EQ(one_line("a\u2028b\u202Ec"), "a<U+2028>b<U+202E>c");
  EXPECT_EQ(one_line("世界世界", 3), "世界世…");
  EXPECT_EQ(one_line("世界世", 3), "世界世");
  EXPECT_EQ(one_line("abcd", 3), "abc…");
  EXPECT_EQ(one_line(std::string(300, 'a')).size(), 200 + std::string_view("…").size());
}

TEST(Printable, JsonIsTheSameValue) {
  const Json value =
      Json::object({{"a\x7F", "\x1b\xC2\x9B \xC2\xA0\u202E\U000E0041 👨‍👩‍👧"}});
  const std::string shown = printable_json(value.text());
  EXPECT_EQ(shown,
            "{\"a\\u007f\":\"\\u001b\\u009b \xC2\xA0\\u202e\\udb40\\udc41 👨‍👩‍👧\"}");
  EXPECT_EQ(*Json::parse(shown), value);
  EXPECT_EQ(printable_json("{\r\n\t\"a\": 1}"), "{ \n\t\"a\": 1}");
}

}  // namespace
}  // namespace acp::io
