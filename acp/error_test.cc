#include "acp/error.h"

#include <gtest/gtest.h>

namespace acp {
namespace {

std::string told(const std::string& message, const std::string& data) {
  return CallFailed(rpc::internal_error, message, Json::parse(data).value()).what();
}

TEST(CallFailed, SaysWhyWhereTheOtherSideDoes) {
  EXPECT_EQ(told("Internal error", R"({"details":"Permission denied"})"),
            "Internal error: Permission denied");
  EXPECT_EQ(told("Internal error", R"("out of memory")"), "Internal error: out of memory");
  EXPECT_EQ(told("", R"("out of memory")"), "out of memory");
  EXPECT_EQ(told("no: out of memory", R"("out of memory")"), "no: out of memory") << "said once";
  EXPECT_EQ(told("no", R"({"scope":"fs:write"})"), "no (scope: fs:write)");
  EXPECT_EQ(told("/a/b is locked", R"({"scope":"/a/b"})"), "/a/b is locked");
  EXPECT_EQ(told("slow down", R"({"retryAfter":20,"reason":"rate_limited"})"),
            "slow down (try again in 20 s)");
  EXPECT_EQ(told(std::string("a\0b", 3), R"({"details":"c\u0000d"})"), "a␀b: c␀d");
  EXPECT_EQ(CallFailed(rpc::internal_error, "plain").what(), std::string("plain"));
  for (const char* other : {"null", "{}", "[1]", "7", R"({"details":{"a":1},"scope":null})",
                            R"({"retryAfter":-1})", R"({"retryAfter":"soon"})", R"("")"})
    EXPECT_EQ(told("plain", other), "plain") << other;
}

TEST(CallFailed, LongReasonsAreCutAtACharacter) {
  const std::string details(1999, 'x');
  EXPECT_EQ(told("m", Json::object({{"details", details + "ää"}}).text()), "m: " + details + "…");
  EXPECT_EQ(told("m", Json(std::string(501, 'x')).text()), "m") << "a report, not a reason";
}

TEST(CallFailed, KeepsWhatStandsOnTheWire) {
  const CallFailed failed(rpc::rate_limited, "slow down",
                          Json::object({{"details", "busy"}, {"retryAfter", 1.5}}));
  EXPECT_EQ(failed.message(), "slow down");
  EXPECT_EQ(failed.data()["details"].as_string(), "busy");
  EXPECT_EQ(failed.retry_after(), 1.5);
  EXPECT_EQ(CallFailed(rpc::rate_limited, "m").retry_after(), std::nullopt);
}

}  // namespace
}  // namespace acp
