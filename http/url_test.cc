#include "http/url.h"

#include <gtest/gtest.h>

namespace acp::http {
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

TEST(Url, Loopback) {
  for (const char* url : {"http://localhost", "http://LOCALHOST:1/x", "https://127.0.0.1:8080/v1",
                          "http://127.3.2.1/", "http://[::1]:80"})
    EXPECT_TRUE(is_loopback(url)) << url;
  for (const char* url :
       {"http://127.example.org", "http://127.0.0.1.example.org", "http://10.0.0.1", "http://[::2]",
        "http://127.0.0.1@example.org", "http://localhost.example.org", "localhost", ""})
    EXPECT_FALSE(is_loopback(url)) << url;
}

}  // namespace
}  // namespace acp::http
