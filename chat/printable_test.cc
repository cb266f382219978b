#include "chat/printable.h"

#include <gtest/gtest.h>

#include "acp/json/json.h"

namespace acp::chat {
namespace {

TEST(Printable, TextStaysAndControlsGo) {
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable("Grüße, 世界 🎉"), "Grüße, 世界 🎉");
  EXPECT_EQ(printable("\x1b[31m"), "\uFFFD[31m");
  EXPECT_EQ(printable("\r\b\x7F"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "\uFFFD2J");
  EXPECT_EQ(printable("\xC2\xA0"), "\xC2\xA0");
}

TEST(Printable, WhatIsNoUtf8IsReplacedAByteAtATime) {
  EXPECT_EQ(printable("\x9B"
                      "2J"),
            "\uFFFD2J");
  EXPECT_EQ(printable("a\xE4\xB8"), "a\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");
}

TEST(Printable, OneLine) {
  EXPECT_EQ(one_line("a\r\nb\tc"), "a  b c");
  EXPECT_EQ(one_line("a\u2028b\u202Ec\u2066"), "a b\uFFFDc\uFFFD");
  EXPECT_EQ(one_line("世界世界", 3), "世界世…");
  EXPECT_EQ(one_line("世界世", 3), "世界世");
}

TEST(Printable, JsonIsTheSameValue) {
  const Json value = Json::object({{"a\x7F", "\x1b\xC2\x9B \xC2\xA0"}});
  const std::string shown = printable_json(value.text());
  EXPECT_EQ(shown, "{\"a\\u007f\":\"\\u001b\\u009b \xC2\xA0\"}");
  EXPECT_EQ(*Json::parse(shown), value);
}

}  // namespace
}  // namespace acp::chat
