#include "acp/json/codec.h"

#include <gtest/gtest.h>

#include <vector>

namespace acp::json {
namespace {

// Tables as a user writes them.
enum class Colour : std::uint8_t { red, green };

struct Point {
  std::int32_t x = 0;
  std::uint16_t small = 0;
  std::string name;
  std::optional<std::string> label;
  Nullable<std::int64_t> big;
  std::vector<double> weights;
  Map<bool> switches;
  Json extra;
  Colour colour = Colour::red;
  static const Type json_type;
};

struct Line {
  Point from;
  std::vector<Point> through;
  Nullable<Point> to;
  static const Type json_type;
};

}  // namespace

template <>
struct EnumTable<Colour> {
  static const Type type;
};

namespace {

#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constexpr Field point_fields[] = {
    ACP_JSON_FIELD(Point, x, required),
    ACP_JSON_FIELD(Point, small, 0),
    ACP_JSON_FIELD(Point, name, required),
    ACP_JSON_FIELD(Point, label, 0),
    ACP_JSON_FIELD(Point, big, default_on_error),
    ACP_JSON_FIELD(Point, weights, omit_empty | skip_invalid_items | default_on_null),
    ACP_JSON_FIELD(Point, switches, omit_empty),
    ACP_JSON_FIELD(Point, extra, 0),
    ACP_JSON_FIELD(Point, colour, default_on_error),
};
constexpr Object point_object{.fields = point_fields};
constexpr Field line_fields[] = {
    ACP_JSON_FIELD(Line, from, required),
    ACP_JSON_FIELD(Line, through, omit_empty),
    ACP_JSON_FIELD(Line, to, 0),
};
constexpr Object line_object{.fields = line_fields};
constexpr std::string_view colours[] = {"red", "green"};

}  // namespace

constinit const Type EnumTable<Colour>::type = make::enumerated<Colour>("Colour", colours);
constinit const Type Point::json_type = make::object<Point>("Point", point_object);
constinit const Type Line::json_type = make::object<Line>("Line", line_object);

namespace {

template <class T>
std::string refusal(std::string_view text, const Options& options = {}) {
  const auto result = decode<T>(text, options);
  return result ? "accepted" : result.error().message();
}

Options strict() { return {.strict = true}; }

TEST(Codec, ReadsAndWritesAllKindsOfMembers) {
  const std::string text =
      "{\"x\":-1,\"small\":65535,\"name\":\"é\",\"label\":\"l\",\"big\":9223372036854775807,"
      "\"weights\":[0.5,2],"
      "\"switches\":{\"on\":true,\"off\":false},\"extra\":{\"any\":[1.0]},\"colour\":\"green\"}";
  const Point point = decode<Point>(text).value();
  EXPECT_EQ(point.x, -1);
  EXPECT_EQ(point.small, 65535);
  EXPECT_EQ(point.label, "l");
  EXPECT_EQ(*point.big, 9223372036854775807);
  EXPECT_EQ(point.weights, (std::vector{0.5, 2.0}));
  EXPECT_TRUE(*point.switches.find("on"));
  EXPECT_EQ(point.extra["any"][0].text(), "1.0");
  EXPECT_EQ(point.colour, Colour::green);
  EXPECT_EQ(encode(point), text);
}

TEST(Codec, TheBufferMayGrowAtAnyByte) {
  Line line;
  line.from.name = "a \"name\" with \n escapes";
  line.from.switches["key"] = true;
  line.through.resize(2);
  line.through[1].label = "";
  line.through[1].weights = {0.1, -1e300};
  line.through[1].extra = Json::object({{"k", 1}});
  line.to.emplace().big = nullptr;
  const std::vector<std::vector<std::vector<Line>>> deep = {{{line}, {}}, {}, {{line, line}}};
  const std::string text = encode(deep);
  EXPECT_EQ(encode(*decode<std::vector<std::vector<std::vector<Line>>>>(text)), text);
  for (std::size_t before = 0; before < 2 * text.size(); ++before) {
    Writer out;
    out.put(std::string(before, ' '));
    write(out, deep);
    ASSERT_EQ(out.view().substr(before), text) << before;
  }
}

TEST(Codec, OrderOfMembersAndWhiteSpaceDoNotMatter) {
  const Point a = decode<Point>("{\"x\":1,\"name\":\"n\",\"label\":\"l\"}").value();
  const Point b =
      decode<Point>(" { \"label\" : \"l\" ,\n\"n\\u0061me\":\"n\", \"x\" : 1 } ").value();
  EXPECT_TRUE(a == b);
  const Point c = decode<Point>("{\"x\":1,\"name\":\"n\",\"label\":\"other\"}").value();
  EXPECT_FALSE(a == c);
}

TEST(Codec, AbsentNullAndValueAreThreeThings) {
  const auto big = [](std::string_view member) {
    return decode<Point>("{\"x\":1,\"name\":\"\"" + std::string(member) + "}").value();
  };
  EXPECT_TRUE(big("").big.absent());
  EXPECT_TRUE(big(",\"big\":null").big.is_null());
  EXPECT_EQ(*big(",\"big\":0").big, 0);
  EXPECT_FALSE(big("") == big(",\"big\":null"));
  EXPECT_NE(encode(big(",\"big\":null")).find("\"big\":null"), std::string::npos);
  EXPECT_EQ(encode(big("")).find("big"), std::string::npos);
}

TEST(Codec, ErrorsCarryAPathAndWhatWasExpectedAndFound) {
  EXPECT_EQ(refusal<Point>("{\"name\":\"\"}"), "x: expected an integer, got nothing");
  EXPECT_EQ(refusal<Point>("{\"x\":\"1\",\"name\":\"\"}"), "x: expected an integer, got a string");
  EXPECT_EQ(refusal<Point>("{\"x\":2147483648,\"name\":\"\"}"),
            "x: expected an integer from -2147483648 to 2147483647, got the number 2147483648");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"small\":-1,\"name\":\"\"}"),
            "small: expected an integer from 0 to 65535, got the number -1");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":null}"), "name: expected a string, got null");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"label\":null}"),
            "label: expected a string, got null");
  EXPECT_EQ(refusal<Point>("[]"), "expected an object, got an array");
  EXPECT_EQ(refusal<Line>("{\"from\":{\"x\":1,\"name\":\"\"},\"through\":[{\"x\":1,\"name\":\"\"},{"
                          "\"x\":1,\"name\":{}}]}"),
            "through[1].name: expected a string, got an object");
  EXPECT_EQ(refusal<Line>("{\"from\":{\"x\":1,\"name\":\"\",\"switches\":{\"a b\":1}}}"),
            "from.switches[\"a b\"]: expected a boolean, got a number");
  EXPECT_EQ(refusal<Line>("{\"from\":{\"x\":1,\"name\":tru}}"),
            "expected `true`, got `tru}}` at byte 22");
  // A fault after the first mismatch is still what counts.
  EXPECT_EQ(refusal<Point>("{\"x\":\"1\",\"name\":\"\",\"y\":01}"),
            "expected no digit after a leading zero, got `1}` at byte 24");
}

TEST(Codec, WhatStandsBetweenMembersIsChecked) {
  for (const char* bad :
       {"{\"x\":1\"name\":\"\"}", "{\"x\":1,,\"name\":\"\"}", "{,\"x\":1,\"name\":\"\"}",
        "{\"x\":1,\"name\":\"\",}", "{\"x\":1;\"name\":\"\"}", "{\"x\":1,\"name\":\"\""})
    EXPECT_NE(refusal<Point>(bad), "accepted") << bad;
}

TEST(Codec, SkippedMembersAreCheckedToo) {
  for (const char* bad : {"tru", "[1,,2]", "01", "\"\\q\"", "{\"a\"}", "\"\xFF\""})
    EXPECT_NE(refusal<Point>("{\"x\":1,\"name\":\"\",\"unknown\":" + std::string(bad) + "}"),
              "accepted")
        << bad;
  for (const char* bad : {"tru", "[1,,2]", "01", "\"\\q\"", "{\"a\"}", "\"\xFF\""})
    EXPECT_NE(refusal<Point>("{\"x\":1,\"name\":\"\",\"extra\":" + std::string(bad) + "}"),
              "accepted")
        << bad;
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\"}x"),
            "expected the end of the text, got `x` at byte 17");
}

TEST(Codec, DuplicateKeyLastWins) {
  EXPECT_EQ(decode<Point>("{\"x\":1,\"name\":\"a\",\"x\":2}")->x, 2);
  // Nothing of the earlier value is left.
  const Point point = decode<Point>(
                          "{\"x\":1,\"name\":\"a\",\"weights\":[1,2],\"weights\":[3],"
                          "\"switches\":{\"a\":true},\"switches\":{\"b\":true}}")
                          .value();
  EXPECT_EQ(point.weights, std::vector<double>{3});
  EXPECT_FALSE(point.switches.contains("a"));
  // An earlier value that is wrong does not count either; a later one does.
  EXPECT_EQ(decode<Point>("{\"x\":\"no\",\"name\":\"a\",\"x\":2}")->x, 2);
  EXPECT_EQ(refusal<Point>("{\"x\":2,\"name\":\"a\",\"x\":\"no\"}"),
            "x: expected an integer, got a string");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"a\",\"weights\":null,\"weights\":[1]}", strict()),
            "accepted");
  EXPECT_EQ(decode<Map<bool>>("{\"a\":1,\"b\":true,\"a\":false}")->size(), 2u);
  // Bad syntax always counts.
  EXPECT_NE(refusal<Point>("{\"x\":tru,\"name\":\"a\",\"x\":2}"), "accepted");
}

TEST(Codec, MarksOfToleranceAreHonoured) {
  std::vector<std::string> reports;
  Options options;
  options.report = [&](const DecodeReport& report) {
    reports.push_back(report.path + ": " + report.got);
  };
  const Point point = decode<Point>(
                          "{\"x\":1,\"name\":\"\",\"big\":\"no\",\"weights\":[1,\"no\",2],"
                          "\"colour\":\"blue\",\"?\":1}",
                          options)
                          .value();
  EXPECT_TRUE(point.big.absent());
  EXPECT_EQ(point.weights, (std::vector<double>{1, 2}));
  EXPECT_EQ(point.colour, Colour::red);
  EXPECT_EQ(reports,
            (std::vector<std::string>{"big: a string", "weights[1]: a string",
                                      "colour: the string \"blue\"", "[\"?\"]: the number 1"}));
  EXPECT_TRUE(decode<Point>("{\"x\":1,\"name\":\"\",\"weights\":null}")->weights.empty());
  // Bad syntax is never tolerated.
  EXPECT_NE(refusal<Point>("{\"x\":1,\"name\":\"\",\"big\":01}"), "accepted");
  EXPECT_NE(refusal<Point>("{\"x\":1,\"name\":\"\",\"weights\":[1,\"\\q\",2]}"), "accepted");
}

TEST(Codec, StrictModeRefusesWhatIsOnlyTolerated) {
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\"}", strict()), "accepted");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"big\":\"no\"}", strict()),
            "big: expected an integer, got a string");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"weights\":[1,\"no\"]}", strict()),
            "weights[1]: expected a number, got a string");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"weights\":null}", strict()),
            "weights: expected an array or object, got null");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"other\":[]}", strict()),
            "other: expected no member of this name, got an array");
}

TEST(Codec, LimitsHoldForTypedValues) {
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"extra\":[[[1]]]}", {.limits = {.depth = 3}}),
            "extra: expected at most 3 values inside each other, got more at byte 27");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\",\"extra\":[[1]]}", {.limits = {.depth = 3}}),
            "accepted");
  EXPECT_EQ(refusal<Point>("{\"x\":1,\"name\":\"\"}", {.limits = {.bytes = 10}}),
            "expected at most 10 bytes, got 17 bytes at byte 0");
}

TEST(Codec, DescribesItself) {
  const Json description = describe(Point::json_type);
  EXPECT_EQ(description["name"].as_string(), "Point");
  EXPECT_EQ(description["fields"][0].text(),
            "{\"name\":\"x\",\"type\":\"int32\",\"required\":true}");
  EXPECT_EQ(description["fields"][4]["type"].as_string(), "int64 | null");
  EXPECT_EQ(description["fields"][6]["type"].as_string(), "map of boolean");
}

TEST(Nullable, HoldsCopiesAndMoves) {
  Nullable<std::string> a = "text", b = a, c, d = nullptr;
  EXPECT_EQ(*b, "text");
  c = std::move(b);
  EXPECT_EQ(*c, "text");
  c = d;
  EXPECT_TRUE(c.is_null());
  c = a;
  c = *&c;
  EXPECT_EQ(c.value_or("x"), "text");
  c.reset();
  EXPECT_TRUE(c.absent());
  EXPECT_EQ(c.value_or("x"), "x");
}

}  // namespace
}  // namespace acp::json
