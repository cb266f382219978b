#include "mcp/http_client.h"

#include <gtest/gtest.h>

#include "mcp/post_queue.h"

namespace acp::mcp {
namespace {

TEST(Url, OriginsAreComparedByWhatTheyMean) {
  EXPECT_EQ(origin_of("https://Example.org/a?b#c"), "https://example.org:443");
  EXPECT_EQ(origin_of("http://user:word@example.org:8080"), "http://example.org:8080");
  EXPECT_EQ(origin_of("http://[::1]:3001/mcp"), "http://[::1]:3001");
  EXPECT_NE(origin_of("http://example.org"), origin_of("https://example.org"));
  EXPECT_NE(origin_of("http://example.org"), origin_of("http://example.org.evil.example"));
  for (const char* other : {"ftp://example.org/", "file:///etc/passwd", "example", "http://", ""})
    EXPECT_EQ(origin_of(other), "") << other;
}

TEST(Url, MessagesShowNoSecrets) {
  EXPECT_EQ(shown_url("https://user:word@example.org:8443/mcp?key=secret#x"),
            "https://example.org:8443/mcp");
}

TEST(Url, RelativeAddressesAreResolved) {
  EXPECT_EQ(resolve_url("http://a:1/x/sse", "/message?s=1"), "http://a:1/message?s=1");
  EXPECT_EQ(resolve_url("http://a:1/x/sse", "message"), "http://a:1/x/message");
  EXPECT_EQ(resolve_url("http://a:1/x", "https://b/y#z"), "https://b/y");
  EXPECT_EQ(resolve_url("nonsense://", "y"), "");
}

TEST(Http, StatusIsDescribedInOneLine) {
  EXPECT_EQ(describe_status(404, ""), "HTTP 404 Not Found");
  EXPECT_EQ(describe_status(418, " a\n  teapot\n"), "HTTP 418: a teapot");
  EXPECT_EQ(
      describe_status(400, R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"No session"}})"),
      "HTTP 400 Bad Request: No session");
  EXPECT_EQ(describe_status(500, std::string(1000, 'x')).size(),
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
