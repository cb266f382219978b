#include "acp/workspace/web_origin.h"

#include <gtest/gtest.h>

namespace acp::workspace {
namespace {

TEST(WebOrigin, IsWhereTheAddressLeads) {
  EXPECT_EQ(web_origin("https://example.org/a?b#c"), "https://example.org:443");
  EXPECT_EQ(web_origin("HTTP://Example.ORG"), "http://example.org:80");
  EXPECT_EQ(web_origin("http://127.0.0.1:8080/x"), "http://127.0.0.1:8080");
  EXPECT_EQ(web_origin("http://[::1]:80/"), "http://[::1]:80");
  EXPECT_EQ(web_origin("http://trusted@evil/"), "http://evil:80");
  EXPECT_EQ(web_origin("https://trusted.org:443@evil.example/"), "https://evil.example:443");
  EXPECT_EQ(web_origin("https://a@b@evil.example/"), "https://evil.example:443");
  EXPECT_EQ(web_origin("https://evil.example?@trusted.org/"), "https://evil.example:443");
  EXPECT_EQ(web_origin("https://evil.example#@trusted.org/"), "https://evil.example:443");
}

TEST(WebOrigin, IsNotGuessed) {
  for (const char* address :
       {"", "example.org", "ftp://example.org", "file:///etc/passwd", "https://", "https:///a",
        "https://evil.example\\@trusted.org", "https://a b/", "https://a\tb/", "https://a%2eb/",
        "https://[::1", "https://[::1]x/", "https://a:b/", "https://a:123456/", "https://\x01/",
        "https://ex\xC3\xA4mple.org/", " https://example.org"})
    EXPECT_EQ(web_origin(address), "") << address;
}

}  // namespace
}  // namespace acp::workspace
