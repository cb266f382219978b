#include "acp/mcp/post_queue.h"

#include <gtest/gtest.h>

namespace acp::mcp {
namespace {

TEST(Http, StatusIsDescribedInOneLine) {
  EXPECT_EQ(http::describe_status(404, ""), "HTTP 404 Not Found");
  EXPECT_EQ(http::describe_status(418, " a\n  teapot\n"), "HTTP 418: a teapot");
  EXPECT_EQ(http::describe_status(
                400, R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"No session"}})"),
            "HTTP 400 Bad Request: No session");
  EXPECT_EQ(http::describe_status(500, std::string(1000, 'x')).size(),
            std::string("HTTP 500 Internal Server Error: ").size() + 300 + std::string("…").size());
}

TEST(Http, WhoWaitsForAnAnswer) {
  const auto keys = [](const char* text) {
    std::string all;
    const Json message = Json::parse(text).value();
    for (const auto& [key, id] : request_ids(message)) all += key + " ";
    return all;
  };
  EXPECT_EQ(keys(R"({"id":1,"method":"m"})"), "i1 ");
  EXPECT_EQ(keys(R"({"method":"m"})"), "");
  EXPECT_EQ(keys(R"({"id":1,"result":{}})"), "");
  EXPECT_EQ(keys(R"([{"id":"a","method":"m"},{"method":"n"},{"id":2,"method":"m"}])"), "i2 sa ");
}

}  // namespace
}  // namespace acp::mcp
