#include "acp/json/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace acp {
namespace {

Json parse(std::string_view text) { return Json::parse(text).value(); }

TEST(Json, KeepsTheTextAsItCame) {
  EXPECT_EQ(parse("{\"b\":1.0,\"a\":1e2,\"b\":\"\\u0041\"}").text(),
            "{\"b\":1.0,\"a\":1e2,\"b\":\"\\u0041\"}");
  EXPECT_EQ(parse("12345678901234567890123").text(), "12345678901234567890123");
  // White space goes: a newline inside would end the message on the wire.
  EXPECT_EQ(parse("{\n  \"a\": [1,\n 2]\n}\n").text(), "{\"a\":[1,2]}");
}

TEST(Json, IsBuiltFromValues) {
  const Json value = Json::object({{"n", nullptr},
                                   {"t", true},
                                   {"i", -5},
                                   {"u", std::numeric_limits<std::uint64_t>::max()},
                                   {"d", 0.5},
                                   {"s", "a\"b"},
                                   {"list", Json::array({1, "x", Json::object()})},
                                   {"left out", Json()}});
  EXPECT_EQ(value.text(),
            "{\"n\":null,\"t\":true,\"i\":-5,\"u\":18446744073709551615,\"d\":0.5,\"s\":\"a\\\"b\","
            "\"list\":[1,\"x\",{}]}");
}

TEST(Json, AbsentNullAndValueAreThreeThings) {
  const Json object = parse("{\"null\":null,\"value\":1}");
  EXPECT_TRUE(object["missing"].absent());
  EXPECT_FALSE(object["null"].absent());
  EXPECT_TRUE(object["null"].is_null());
  EXPECT_FALSE(object["missing"].is_null());
  EXPECT_TRUE(Json().absent());
  EXPECT_NE(Json(), Json(nullptr));
}

TEST(Json, LooksInside) {
  const Json value = parse("{\"a\":{\"b\":[10,{\"c\":\"deep\"}]},\"t\":true,\"d\":1.5}");
  EXPECT_EQ(value["a"]["b"][1]["c"].as_string(), "deep");
  EXPECT_EQ(value["a"]["b"][0].as_int64(), 10);
  EXPECT_EQ(value["t"].as_bool(), true);
  EXPECT_EQ(value["d"].as_double(), 1.5);
  EXPECT_EQ(value["d"].as_int64(), std::nullopt);
  EXPECT_TRUE(value["a"]["b"][7].absent());
  EXPECT_TRUE(value["a"]["b"][-1].absent());
  EXPECT_TRUE(value["a"][0].absent());
  EXPECT_TRUE(value["t"]["x"].absent());
  EXPECT_EQ(value.size(), 3u);
  EXPECT_EQ(value["a"]["b"].size(), 2u);
  EXPECT_EQ(value["t"].size(), 0u);
}

TEST(Json, AViewBearsWhiteSpaceAndACopyDropsIt) {
  const JsonView view = JsonView::of_valid("{ \"a b\" : [ 1 ,\n2 ] , \"c\" :{ } }");
  EXPECT_EQ(view["a b"][1].as_int64(), 2);
  EXPECT_EQ(view.size(), 2u);
  EXPECT_TRUE(view["c"].is_object());
  EXPECT_EQ(view["c"].size(), 0u);
  EXPECT_EQ(Json(view).text(), "{\"a b\":[1,2],\"c\":{}}");
  EXPECT_EQ(Json(view["a b"]).text(), "[1,2]");
  EXPECT_TRUE(view == Json(view).view());
}

TEST(Json, DuplicateKeyLastWins) {
  const Json value = parse("{\"a\":1,\"b\":2,\"a\":3}");
  EXPECT_EQ(value["a"].as_int64(), 3);
  EXPECT_EQ(value, parse("{\"b\":2,\"a\":3}"));
  EXPECT_NE(value, parse("{\"b\":2,\"a\":1}"));
}

TEST(Json, Iterates) {
  std::string seen;
  const Json value = parse("{\"x\":1,\"y\\n\":[true,null],\"\":{}}");
  for (const auto& [key, member] : value.members())
    seen += key + "=" + std::string(member.text()) + ";";
  for (JsonView element : value["y\n"].elements()) seen += std::string(element.text()) + ";";
  EXPECT_EQ(seen, "x=1;y\n=[true,null];={};true;null;");
  const Json empty = Json::object(), list = Json::array(), number = 5;
  for ([[maybe_unused]] const auto& member : empty.members()) FAIL();
  for ([[maybe_unused]] JsonView element : list.elements()) FAIL();
  for ([[maybe_unused]] const auto& member : number.members()) FAIL();
}

TEST(Json, EqualMeansTheSameValue) {
  EXPECT_EQ(parse("{\"a\":1,\"b\":[1,2]}"), parse("{ \"b\" : [ 1.0, 2e0 ], \"a\" : 1 }"));
  EXPECT_EQ(parse("\"\\u0041\\u00e9\""), parse("\"Aé\""));
  EXPECT_NE(parse("[1,2]"), parse("[2,1]"));
  EXPECT_NE(parse("[1]"), parse("[1,1]"));
  EXPECT_NE(parse("{\"a\":1}"), parse("{\"a\":1,\"b\":1}"));
  EXPECT_NE(parse("1"), parse("\"1\""));
  EXPECT_NE(parse("9007199254740993"), parse("9007199254740992"));
  EXPECT_NE(parse("18446744073709551615"), parse("18446744073709551614"));
  EXPECT_NE(parse("true"), parse("false"));
}

TEST(Json, ChangesByCopying) {
  Json value = parse("{\"a\":1,\"b\":2}");
  value.set("a", "new").set("c", Json::array());
  EXPECT_EQ(value.text(), "{\"b\":2,\"a\":\"new\",\"c\":[]}");
  value.set("b", Json());
  EXPECT_EQ(value.text(), "{\"a\":\"new\",\"c\":[]}");
  Json list;
  list.append(1).append("x").append(Json());
  EXPECT_EQ(list.text(), "[1,\"x\",null]");
}

TEST(Json, ErrorsAreThrownOnlyWhereAskedFor) {
  const auto result = Json::parse("[1,");
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "expected a value, got the end of the text at byte 3");
  EXPECT_THROW(static_cast<void>(result.value()), json::DecodeError);
}

}  // namespace
}  // namespace acp
