#include "acp/mcp/content.h"

#include <gtest/gtest.h>

#include "acp/json/codec.h"
#include "acp/mcp/types.h"

namespace acp::mcp {
namespace {

Json converted(const char* text) {
  const Json given = Json::parse(text).value();
  return Json::from_valid(json::encode(to_acp(given)));
}

void expect_kept(const char* text) {
  EXPECT_EQ(converted(text), Json::parse(text).value()) << text;
}

TEST(Content, EveryKindIsKept) {
  expect_kept(R"({"type":"text","text":"a","_meta":{"x":1},
                  "annotations":{"audience":["user","assistant"],"priority":0.5,
                                 "lastModified":"2025-01-12T15:00:58Z"}})");
  expect_kept(R"({"type":"image","data":"aGk=","mimeType":"image/png",
                  "annotations":{"audience":["user"]}})");
  expect_kept(
      R"({"type":"audio","data":"aGk=","mimeType":"audio/wav","annotations":{"priority":1}})");
  expect_kept(R"({"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"d",
                  "mimeType":"text/plain","size":7,"annotations":{"priority":0}})");
  expect_kept(R"({"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain",
                  "text":"t","_meta":{"y":2}},"annotations":{"audience":["assistant"]}})");
  expect_kept(R"({"type":"resource","resource":{"uri":"file:///a","blob":"aGk="}})");
}

TEST(Content, WhatAcpHasNoPlaceForStandsInMeta) {
  EXPECT_EQ(converted(R"({"type":"resource_link","uri":"u:","name":"n","_meta":{"x":1},
                          "icons":[{"src":"i"}],"x-y":5})"),
            Json::parse(R"({"type":"resource_link","uri":"u:","name":"n",
                          "_meta":{"x":1,"mcp":{"icons":[{"src":"i"}],"x-y":5}}})")
                .value());
  EXPECT_EQ(converted(R"({"type":"text","text":"a","annotations":{"priority":1,"colour":"red"}})"),
            Json::parse(R"({"type":"text","text":"a","annotations":{"priority":1},
                          "_meta":{"mcp":{"annotations":{"priority":1,"colour":"red"}}}})")
                .value());
}

TEST(Content, WhatIsNotKnownIsKept) {
  expect_kept(R"({"type":"hologram","beam":[1,2]})");
  expect_kept(R"({"type":"text","text":5})");
}

TEST(Types, DefaultsFillWhatIsLeftOut) {
  const Json schema =
      Json::parse(R"({"properties":{"a":{"default":1},"b":{"default":2},"c":{}}})").value();
  EXPECT_EQ(with_defaults(schema, Json::parse(R"({"b":5})").value()),
            Json::parse(R"({"a":1,"b":5})").value());
}

}  // namespace
}  // namespace acp::mcp
