#include "acp/http/url.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "acp/http/curl.h"

namespace acp::http {
namespace {

std::string origin_by_libcurl(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(curl().url_cleanup)> url(curl().url(), curl().url_cleanup);
  if (curl().url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return {};
  const auto part = [&](CURLUPart which) {
    char* value = nullptr;
    EXPECT_EQ(curl().url_get(url.get(), which, &value, CURLU_DEFAULT_PORT), CURLUE_OK) << text;
    const std::string copy(value);
    curl().free(value);
    return copy;
  };
  const std::string scheme = part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return {};
  std::string host = part(CURLUPART_HOST);
  std::transform(host.begin(), host.end(), host.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return scheme + "://" + host + ":" + part(CURLUPART_PORT);
}

TEST(Url, OriginsAreComparedByWhatTheyMean) {
  EXPECT_EQ(origin_of("https://Example.org/a?b#c"), "https://example.org:443");
  EXPECT_EQ(origin_of("http://user:word@example.org:8080"), "http://example.org:8080");
  EXPECT_EQ(origin_of("http://[::1]:3001/mcp"), "http://[::1]:3001");
  EXPECT_NE(origin_of("http://example.org"), origin_of("https://example.org"));
  EXPECT_NE(origin_of("http://example.org"), origin_of("http://example.org.evil.example"));
  for (const char* other : {"ftp://example.org/", "file:///etc/passwd", "example", "http://", ""})
    EXPECT_EQ(origin_of(other), "") << other;
}

// Which of them we read ourselves nobody may notice.
TEST(Url, OriginsAreAsLibcurlReadsThem) {
  for (const char* scheme : {"http://", "https://", "HTTP://", "http:/", "ftp://", ""})
    for (const char* host : {"example.org",
                             "a-b.example",
                             "localhost",
                             "x1",
                             "127.0.0.1",
                             "255.255.255.255",
                             "1.2.3.256",
                             "127.1",
                             "0x7f.1",
                             "0177.0.0.1",
                             "1",
                             "a.1",
                             "example.org.",
                             ".example.org",
                             "a..b",
                             "",
                             "-",
                             "Example.org",
                             "user@example.org",
                             "user:word@example.org",
                             "a_b.example",
                             "[::1]",
                             "a b"})
      for (const char* port :
           {"", ":", ":1", ":0", ":080", ":65535", ":65536", ":443", ":x", ":-1"})
        for (const char* path :
             {"", "/", "/v1/chat", "/a@b.example/", "?a=/@b", "/\\\\c", "#/d", "\\e"}) {
          const std::string url = std::string(scheme) + host + port + path;
          EXPECT_EQ(origin_of(url), origin_by_libcurl(url)) << url;
        }
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
