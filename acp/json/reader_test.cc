#include "acp/json/reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "acp/json/json.h"

namespace acp::json {
namespace {

bool valid(std::string_view text) {
  Reader in(text);
  return in.skip() && in.finish();
}

std::string decoded(std::string_view text) {
  std::string value;
  Reader in(text);
  EXPECT_TRUE(in.string(value) && in.finish())
      << text << ": " << (in.failed() ? in.error().message() : "");
  return value;
}

// The same text as a skipped member and as a wanted one: both readers must agree.
bool valid_in_every_place(const std::string& value) {
  const std::string wrapped = "{\"a\":[" + value + "]}";
  const bool alone = valid(value), inside = valid(wrapped), parsed = Json::parse(wrapped).ok();
  EXPECT_EQ(alone, inside) << value;
  EXPECT_EQ(alone, parsed) << value;
  return alone;
}

TEST(Reader, AcceptsWhatJsonIs) {
  for (const char* text : {"null",
                           "true",
                           "false",
                           "0",
                           "-0",
                           "1",
                           "-1",
                           "10",
                           "1.5",
                           "1e5",
                           "1E+5",
                           "1e-5",
                           "0.0",
                           "-0.5e10",
                           "\"\"",
                           "\"a\"",
                           "[]",
                           "{}",
                           "[1,2]",
                           "{\"a\":1}",
                           "[[]]",
                           "[{}]",
                           "{\"a\":{}}",
                           " 1 ",
                           "\t[ 1 , 2 ]\r\n",
                           "{ \"a\" : 1 , \"b\" : [ ] }",
                           "\"\\u0041\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                           "\"\\ud83d\\ude00\"",
                           "\"é☃😀\"",
                           "123456789012345678901234567890",
                           "1e400",
                           "\"\x7f\""})
    EXPECT_TRUE(valid_in_every_place(text)) << text;
}

TEST(Reader, RefusesWhatJsonIsNotEvenInSkippedMembers) {
  for (const char* text : {"tru",
                           "nul",
                           "truee",
                           "True",
                           "01",
                           "-",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "0x10",
                           "1,",
                           "[1,,2]",
                           "[,1]",
                           "[1,]",
                           "[1",
                           "[1}",
                           "{",
                           "}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "{\"a\":1 \"b\":2}",
                           "\"",
                           "\"\\q\"",
                           "\"\\u12\"",
                           "\"\\u12G4\"",
                           "\"\\",
                           "\"a\nb\"",
                           "\"\x01\"",
                           "NaN",
                           "Infinity",
                           "//",
                           "[1]]",
                           "1 2",
                           "\xEF\xBB\xBF"
                           "1",
                           "\"\xC3\"",
                           "\"\xC0\x80\"",
                           "\"\xED\xA0\x80\"",
                           "\"\xF5\x80\x80\x80\"",
                           "\"\xE2\x82\"",
                           "\"\x80\"",
                           "-01",
                           "1e5.5",
                           "[1 2]",
                           "{1:2}",
                           "{\"a\":1,\"b\"}",
                           "nulls",
                           "\"a\" \"b\""})
    EXPECT_FALSE(valid_in_every_place(text)) << text;
  EXPECT_FALSE(valid(""));
  EXPECT_FALSE(valid(" "));
  EXPECT_FALSE(valid(std::string_view("\0", 1)));
  EXPECT_FALSE(valid(std::string_view("1\0", 2)));
}

// Every place where a block of bytes may end, so that the block-wise scan is tried at each offset.
TEST(Reader, FindsTheEndOfAStringAtEveryLength) {
  for (std::size_t length = 0; length < 70; ++length) {
    for (std::size_t place = 0; place <= length; ++place) {
      const std::string plain(length, 'x');
      std::string escaped = plain, wide = plain, broken = plain, control = plain;
      escaped.insert(place, "\\n");
      wide.insert(place, "é");
      broken.insert(place, "\xC3");
      control.insert(place, "\x1F");
      std::string newline = plain, accent = plain;
      newline.insert(place, "\n");
      accent.insert(place, "é");
      EXPECT_EQ(decoded("\"" + escaped + "\""), newline);
      EXPECT_EQ(decoded("\"" + wide + "\""), accent);
      EXPECT_FALSE(valid("\"" + broken + "\""));
      EXPECT_FALSE(valid("\"" + control + "\""));
      std::string value;
      EXPECT_FALSE(Reader("\"" + broken + "\"").string(value));
      EXPECT_FALSE(Reader("\"" + control + "\"").string(value));
    }
    EXPECT_FALSE(valid("\"" + std::string(length, 'x')));
  }
}

// The string in quotes that begins here, read as slowly and simply as can be; nothing if it is
// none.
std::optional<std::string> byte_by_byte(std::string_view text) {
  std::string value;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1 == text.size() ? std::optional(value) : std::nullopt;
    if (static_cast<unsigned char>(text[at]) < 0x20) return {};
    if (text[at] != '\\') {
      value += text[at];
      continue;
    }
    if (++at == text.size()) return {};
    constexpr std::string_view letters = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    const std::size_t letter = letters.find(text[at]);
    if (letter != letters.npos) {
      value += values[letter];
    } else if (text.substr(at).starts_with("u0041")) {
      value += 'A';
      at += 4;
    } else {
      return {};
    }
  }
  return {};
}

// As in code: escapes close together are read by a way of their own.
TEST(Reader, EscapesThatStandCloseTogether) {
  const std::vector<std::string> pieces = {"\\n",
                                           "\\\"",
                                           "\\\\",
                                           "\\t",
                                           "\\r",
                                           "\\b",
                                           "\\f",
                                           "\\/",
                                           "x",
                                           "yz",
                                           "plain text, some of it"};
  const std::vector<std::string> others = {"\\u0041", "\\",   "\"", "\n",     "\\x",
                                           "\\N",     "\\u1", "é",  "\\u004", "\x7f"};
  std::mt19937 random(3);
  int good = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text = "\"";
    const std::size_t wanted = random() % 150;
    const unsigned rare = random() % 60;
    while (text.size() < wanted)
      text += rare != 0 && random() % (2 * rare) == 0 ? others[random() % others.size()]
                                                      : pieces[random() % pieces.size()];
    text += '"';
    // Of exactly that size: the address sanitizer sees a read past it.
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view view(exact.data(), exact.size());
    const auto expected = byte_by_byte(view);
    EXPECT_EQ(valid(view), expected.has_value()) << text;
    std::string value;
    Reader in(view);
    EXPECT_EQ(in.string(value) && in.finish(), expected.has_value()) << text;
    if (expected) {
      EXPECT_EQ(value, *expected) << text;
      ++good;
    }
  }
  EXPECT_GT(good, 5000);
  EXPECT_LT(good, 35000);
}

TEST(Reader, DecodesLongStringsWithEscapes) {
  std::string text = "\"", expected;
  for (int i = 0; i < 5000; ++i) {
    text += "line \\\"" + std::to_string(i) + "\\\"\\n\\u00e9é";
    expected += "line \"" + std::to_string(i) + "\"\néé";
  }
  EXPECT_EQ(decoded(text + "\""), expected);
}

TEST(Reader, LoneSurrogateBecomesTheReplacementCharacter) {
  EXPECT_EQ(decoded("\"\\ud83d\\ude00\""), "😀");
  EXPECT_EQ(decoded("\"\\ud83d\""), "\xEF\xBF\xBD");
  EXPECT_EQ(decoded("\"\\ude00\""), "\xEF\xBF\xBD");
  EXPECT_EQ(decoded("\"\\ud83dx\""), "\xEF\xBF\xBDx");
  EXPECT_EQ(decoded("\"\\ud83d\\u0041\""),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(decoded("\"\\ud83d\\ud83d\\ude00\""), "\xEF\xBF\xBD😀");
  EXPECT_EQ(decoded("\"\\ude00\\ud83d\""), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Reader, KeepsNul) { EXPECT_EQ(decoded("\"a\\u0000b\""), std::string("a\0b", 3)); }

TEST(Reader, IntegersKeepAllTheirBits) {
  using I = std::numeric_limits<std::int64_t>;
  using U = std::numeric_limits<std::uint64_t>;
  std::int64_t i = 0;
  std::uint64_t u = 0;
  EXPECT_TRUE(Reader("-9223372036854775808").integer(i, I::min(), I::max()));
  EXPECT_EQ(i, I::min());
  EXPECT_TRUE(Reader("9223372036854775807").integer(i, I::min(), I::max()));
  EXPECT_EQ(i, I::max());
  EXPECT_TRUE(Reader("18446744073709551615").integer(u, U::min(), U::max()));
  EXPECT_EQ(u, U::max());
  EXPECT_TRUE(Reader("9007199254740993").integer(i, I::min(), I::max()));
  EXPECT_EQ(i, 9007199254740993);
}

TEST(Reader, IntegersOutOfRangeAreRefused) {
  using I = std::numeric_limits<std::int64_t>;
  using U = std::numeric_limits<std::uint64_t>;
  std::int64_t i = 7;
  std::uint64_t u = 7;
  for (const char* text :
       {"9223372036854775808", "-9223372036854775809", "1e19", "1.5", "1e400", "\"1\"", "true"})
    EXPECT_FALSE(Reader(text).integer(i, I::min(), I::max())) << text;
  for (const char* text : {"18446744073709551616", "-1", "1e20", "0.1"})
    EXPECT_FALSE(Reader(text).integer(u, U::min(), U::max())) << text;
  EXPECT_EQ(i, 7);
  EXPECT_EQ(u, 7u);
  Reader in("300");
  EXPECT_FALSE(in.integer(i, 0, 255));
  EXPECT_EQ(in.error().expected, "an integer from 0 to 255");
  EXPECT_EQ(in.error().got, "the number 300");
}

// JSON Schema and JavaScript call 1.0 an integer.
TEST(Reader, WholeNumbersAreIntegersHoweverWritten) {
  std::int64_t i = 0;
  for (const char* text : {"5.0", "5e0", "0.5e1", "50e-1", "5.000"}) {
    EXPECT_TRUE(Reader(text).integer(i, 0, 100)) << text;
    EXPECT_EQ(i, 5);
  }
  EXPECT_TRUE(Reader("-0").integer(i, 0, 100));
  EXPECT_EQ(i, 0);
  EXPECT_TRUE(Reader("-0.0").integer(i, 0, 100));
}

TEST(Reader, Numbers) {
  double d = 0;
  EXPECT_TRUE(Reader("1.25").number(d));
  EXPECT_EQ(d, 1.25);
  EXPECT_TRUE(Reader("1e-400").number(d));
  EXPECT_EQ(d, 0);
  EXPECT_TRUE(Reader("0.0000000000000000000000000000000000001e-380").number(d));
  EXPECT_EQ(d, 0);
  EXPECT_FALSE(Reader("1e400").number(d));
  EXPECT_FALSE(Reader("-1e400").number(d));
  EXPECT_FALSE(Reader("1e9223372036854775807").number(d));
  EXPECT_TRUE(Reader("1e-9223372036854775808").number(d) && d == 0);
  EXPECT_FALSE(Reader(std::string(400, '9') + "e-5").number(d));
}

TEST(Reader, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Reader(nested(512)).skip());
  const std::string too_deep = nested(513);
  Reader deep(too_deep);
  EXPECT_FALSE(deep.skip());
  EXPECT_EQ(deep.error().kind, DecodeFault::Kind::limit);
  EXPECT_EQ(deep.error().expected, "at most 512 values inside each other");
  EXPECT_FALSE(Reader(nested(200000)).skip());
  EXPECT_FALSE(Reader(std::string(200000, '[')).skip());
  EXPECT_TRUE(Reader(nested(4096), {.depth = 100000}).skip());
  EXPECT_FALSE(Reader(nested(4097), {.depth = 100000}).skip());
  EXPECT_TRUE(Reader(nested(3), {.depth = 3}).skip());
  EXPECT_FALSE(Reader(nested(4), {.depth = 3}).skip());
}

// More than 64 open brackets of both kinds, so that each remembers what it is.
TEST(Reader, BracketsMatchAtAnyDepth) {
  std::string open, close;
  for (int i = 0; i < 200; ++i) {
    const bool object = i % 3 == 0;
    open += object ? "{\"k\":" : "[";
    close = (object ? "}" : "]") + close;
  }
  EXPECT_TRUE(valid(open + "1" + close));
  std::string wrong = close;
  wrong[130] = wrong[130] == ']' ? '}' : ']';
  EXPECT_FALSE(valid(open + "1" + wrong));
}

TEST(Reader, SizeIsLimited) {
  Reader in("[1,2,3]", {.bytes = 6});
  EXPECT_FALSE(in.skip());
  EXPECT_EQ(in.error().message(), "expected at most 6 bytes, got 7 bytes at byte 0");
  EXPECT_TRUE(Reader("[1,2,3]", {.bytes = 7}).skip());
}

TEST(Reader, ErrorsSayWhereAndWhat) {
  Reader in("[1, x]");
  EXPECT_FALSE(in.skip());
  EXPECT_EQ(in.error().kind, DecodeFault::Kind::syntax);
  EXPECT_EQ(in.error().offset, 4u);
  EXPECT_EQ(in.error().message(), "expected a value, got `x]` at byte 4");
  Reader cut("{\"a\":");
  EXPECT_FALSE(cut.skip());
  EXPECT_EQ(cut.error().got, "the end of the text");
  // What is shown of the text is neither half a character nor a control character.
  Reader odd("[\"\x01\xF0\x9F\x98\"]");
  EXPECT_FALSE(odd.skip());
  EXPECT_TRUE(Json::parse(Json(odd.error().got).text()).ok());
  EXPECT_EQ(odd.error().got.find('\x01'), std::string::npos);
}

TEST(Reader, RawTextLosesOnlyWhiteSpace) {
  std::string text;
  Reader in(" { \"a b\" :\t[ 1.50 , 1E2 , \"x \\u0041 \\ud800\" ] } ");
  EXPECT_TRUE(in.raw(text) && in.finish());
  EXPECT_EQ(text, "{\"a b\":[1.50,1E2,\"x \\u0041 \\ud800\"]}");
}

}  // namespace
}  // namespace acp::json
