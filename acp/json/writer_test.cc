#include "acp/json/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "acp/json/json.h"
#include "acp/json/utf8.h"

namespace acp::json {
namespace {

std::string as_json(std::string_view text) {
  Writer out;
  out.string(text);
  return out.str();
}

TEST(Writer, EscapesWhatMustBe) {
  EXPECT_EQ(as_json(""), "\"\"");
  EXPECT_EQ(as_json("plain"), "\"plain\"");
  EXPECT_EQ(as_json("\"\\/\b\f\n\r\t"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
  EXPECT_EQ(as_json(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
}

TEST(Writer, NonAsciiPassesUnescapedAndUnharmed) {
  EXPECT_EQ(as_json("é☃😀\xE2\x80\xA8"), "\"é☃😀\xE2\x80\xA8\"");
}

TEST(Writer, BadUtf8IsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(as_json("a\xFFz"), "\"a" + mark + "z\"");
  EXPECT_EQ(as_json("\xC3"), "\"" + mark + "\"");
  EXPECT_EQ(as_json("\xED\xA0\x80"), "\"" + mark + mark + mark + "\"");
  EXPECT_EQ(as_json("\xE2\x82z"), "\"" + mark + mark + "z\"");
}

TEST(Writer, EveryBytePatternGivesAStringThatReadsBack) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = static_cast<char>(random() % 4 == 0 ? random() : 'a' + random() % 26);
    const std::string out = as_json(text);
    const auto back = Json::parse(out);
    ASSERT_TRUE(back.ok()) << out;
    // The second time nothing is left to replace.
    EXPECT_EQ(as_json(*back->as_string()), out);
  }
}

// As slowly and simply as it can be said.
std::string byte_by_byte(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view named = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\u%04x", unsigned{byte});
    if (const std::size_t i = named.find(c); i != named.npos)
      out += {'\\', letters[i]};
    else
      out += byte >= 0x80 ? "\xEF\xBF\xBD" : byte < 0x20 ? std::string(hex) : std::string(1, c);
  }
  return out + '"';
}

TEST(Writer, FindsEverySpecialByteAtEveryPlace) {
  for (std::size_t length = 0; length < 40; ++length) {
    // Of exactly that size: the address sanitizer sees a write past it.
    std::vector<char> text(length, 'x');
    EXPECT_EQ(as_json({text.data(), length}), byte_by_byte({text.data(), length}));
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(as_json({text.data(), length}), byte_by_byte({text.data(), length}));
      }
      text[at] = 'x';
    }
  }
}

// As in code: escapes close together are written by a way of their own.
TEST(Writer, FindsSpecialBytesThatStandCloseTogether) {
  std::mt19937 random(2);
  constexpr std::string_view bytes("\"\\\n\n\t\r\b\f/ab ", 12);
  for (int round = 0; round < 20000; ++round) {
    std::vector<char> text(random() % (round % 20 == 0 ? 2000 : 120));
    const unsigned rare = random() % 40;  // how often something else comes between
    for (char& c : text)
      c = rare != 0 && random() % (4 * rare) == 0 ? static_cast<char>(random())
                                                  : bytes[random() % bytes.size()];
    const std::string_view view(text.data(), text.size());
    bool ascii = true;
    for (const char c : text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    const auto back = Json::parse(as_json(view));
    ASSERT_TRUE(back.ok());
    if (!ascii) continue;
    EXPECT_EQ(as_json(view), byte_by_byte(view));
    EXPECT_EQ(*back->as_string(), view);
  }
}

TEST(Writer, GrowsWhereEveryCharacterNeedsAnEscape) {
  for (std::size_t length : {1u, 7u, 8u, 200u, 255u, 256u, 257u, 1000u, 100000u}) {
    EXPECT_EQ(as_json(std::string(length, '\x01')).size(), length * 6 + 2);
    EXPECT_EQ(as_json(std::string(length, '\xFF')).size(), length * 3 + 2);
  }
}

TEST(Writer, Numbers) {
  Writer out;
  out.integer(std::numeric_limits<std::int64_t>::min());
  out.put(' ');
  out.integer(std::numeric_limits<std::uint64_t>::max());
  out.put(' ');
  out.number(0.1);
  out.put(' ');
  out.number(1e300);
  out.put(' ');
  out.number(std::nan(""));
  out.put(' ');
  out.number(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(out.view(), "-9223372036854775808 18446744073709551615 0.1 1e+300 null null");
}

TEST(Writer, MembersPutCommas) {
  Writer out;
  {
    Members m(out);
    m.key("a").integer(std::int64_t{1});
    m.key("b\"").string("x");
  }
  EXPECT_EQ(out.view(), "{\"a\":1,\"b\\\"\":\"x\"}");
}

TEST(Utf8, WholeTexts) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\u00e4\u20ac\U0001F600"));
  EXPECT_EQ(utf8_valid("ab\xC3"), 2u);
  EXPECT_EQ(utf8_valid("\xED\xA0\x80"), 0u);  // a surrogate
  EXPECT_EQ(utf8_repaired("a\xFFz\xE2\x82"), "a\uFFFDz\uFFFD\uFFFD");
  std::string text = "x";
  utf8_append(text, "\xC3\xA4\x80");
  EXPECT_EQ(text, "x\u00e4\uFFFD");
}

TEST(Utf8, CutsBetweenCharacters) {
  const std::string_view euros = "\u20ac\u20ac";
  EXPECT_EQ(utf8_cut(euros, 6), 6u);
  for (const std::size_t most : {3, 4, 5}) EXPECT_EQ(utf8_cut(euros, most), 3u);
  EXPECT_EQ(utf8_cut(euros, 2), 0u);
  for (const auto& [text, code, size] :
       {std::tuple{"az", 'a' + 0u, 1u}, {"\u00e4z", 0xE4u, 2u}, {"\u20acz", 0x20ACu, 3u},
        {"\U0001F600z", 0x1F600u, 4u}}) {
    EXPECT_EQ(utf8_first(text).code, code);
    EXPECT_EQ(utf8_first(text).size, size);
    EXPECT_TRUE(utf8_first(text).good);
    EXPECT_EQ(utf8_count(text), 2u);
    EXPECT_EQ(utf8_place(text, 1), size);
    EXPECT_EQ(utf8_place(text, 2), size + 1);
  }
  EXPECT_FALSE(utf8_first("\xC3z").good);
  EXPECT_EQ(utf8_first("\xC3z").size, 1u);
  EXPECT_EQ(utf8_shortened(euros, 6), euros);
  EXPECT_EQ(utf8_shortened(euros, 5), "\u20ac…");
  EXPECT_EQ(utf8_cut("\x80\x80\x80", 2), 0u);  // no text at all: nothing is read before it
}

}  // namespace
}  // namespace acp::json
