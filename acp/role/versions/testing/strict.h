// For tests: values from JSON and back, both read strictly.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "acp/json/codec.h"

namespace acp::detail::versions {

// A value that a test gives as JSON.
template <class T>
T from(std::string_view text) {
  auto value = json::decode<T>(text);
  EXPECT_TRUE(value.ok()) << text << "\n" << (value.ok() ? "" : value.error().message());
  return value.ok() ? *value : T();
}

// Its JSON, if that is what the type's table allows, and reads as the same value.
template <class T>
std::string strict(const T& value) {
  const std::string text = json::encode(value);
  const auto read = json::decode<T>(text, {.strict = true});
  EXPECT_TRUE(read.ok()) << text << "\n" << (read.ok() ? "" : read.error().message());
  if (read.ok()) {
    EXPECT_EQ(json::encode(*read), text);
  }
  return text;
}

// Its JSON, which may have unknown tags and values of open lists, and nothing else that is odd.
// Version 1 has no unknown authentication methods: such a one's members are odd.
template <class T>
std::string tidy(const T& value) {
  std::string text = json::encode(value);
  const auto read = json::decode<T>(text, {.report = [&](const json::DecodeReport& odd) {
                                      if (odd.path.starts_with("authMethods[")) return;
                                      EXPECT_STREQ(json::to_string(odd.what), "unknown_tag")
                                          << odd.path << ": " << odd.expected << ", got " << odd.got
                                          << "\n"
                                          << text;
                                    }});
  EXPECT_TRUE(read.ok()) << text << "\n" << (read.ok() ? "" : read.error().message());
  return text;
}

// The same JSON, whatever the order of its members.
inline void expect_json(const std::string& text, std::string_view expected) {
  EXPECT_TRUE(Json::from_valid(text) == Json::parse(expected).value()) << text << "\nexpected\n"
                                                                       << expected;
}

// m1, m2, …
inline std::function<std::string()> counted_ids() {
  return [next = 0]() mutable { return "m" + std::to_string(++next); };
}

}  // namespace acp::detail::versions
