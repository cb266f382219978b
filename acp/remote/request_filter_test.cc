#include "acp/remote/request_filter.h"

#include <gtest/gtest.h>

namespace acp::remote {
namespace {

RequestHead head(std::map<std::string, std::string> headers, std::string method = "POST") {
  headers.try_emplace("host", "127.0.0.1:8787");
  return {std::move(method), "/acp", std::move(headers), "127.0.0.1"};
}

TEST(RequestFilter, KnowsItsNames) {
  ServerOptions options;
  options.hosts = {"agents.example.org"};
  const RequestFilter filter(options);
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:8787", "127.1.2.3", "[::1]:8787",
                           "me.localhost", "agents.example.org", "Agents.Example.org:443"})
    EXPECT_TRUE(filter.is_host(host)) << host;
  for (const char* host : {"", ":8787", "evil.example.org", "localhost.evil.org", "[::1",
                           "10.0.0.1", "xagents.example.org", "127.0.0.1.evil.org"})
    EXPECT_FALSE(filter.is_host(host)) << host;
}

TEST(RequestFilter, RefusesPagesOfOthers) {
  ServerOptions options;
  options.origins = {"https://example.org"};
  const RequestFilter filter(options);
  EXPECT_EQ(filter.decide(head({})).status, 200);
  EXPECT_EQ(filter.decide(head({{"origin", "https://example.org"}})).status, 200);
  EXPECT_EQ(filter.decide(head({{"origin", "https://evil.org"}})).status, 403);
  EXPECT_EQ(filter.decide(head({{"origin", "null"}})).status, 403);
  EXPECT_EQ(filter.decide(head({{"host", "evil.org"}})).status, 403);
  EXPECT_TRUE(filter.headers_for(head({{"origin", "https://evil.org"}})).empty());
  const auto told = filter.headers_for(head({{"origin", "https://example.org"}}, "OPTIONS"));
  EXPECT_EQ(told.at("Access-Control-Allow-Origin"), "https://example.org");
  EXPECT_NE(told.at("Access-Control-Expose-Headers").find("Acp-Session-Id"), std::string::npos);
  EXPECT_NE(told.at("Access-Control-Allow-Headers").find("Authorization"), std::string::npos);
}

TEST(RequestFilter, AsksForTheToken) {
  ServerOptions options;
  options.authorize = bearer_token("secret");
  options.origins = {"https://example.org"};
  const RequestFilter filter(options);
  EXPECT_EQ(filter.decide(head({})).status, 401);
  EXPECT_EQ(filter.decide(head({})).headers.at("WWW-Authenticate"), "Bearer");
  for (const char* wrong : {"secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets",
                            "Bearer  secret", "Basic secret", "Bearer Secret"})
    EXPECT_EQ(filter.decide(head({{"authorization", wrong}})).status, 401) << wrong;
  EXPECT_EQ(filter.decide(head({{"authorization", "Bearer secret"}})).status, 200);
  EXPECT_EQ(filter.decide(head({{"authorization", "bearer secret"}})).status, 200);
  // A page asks before it has the token.
  EXPECT_EQ(filter.decide(head({{"origin", "https://example.org"}}, "OPTIONS")).status, 200);
  EXPECT_EQ(bearer_token("")(head({{"authorization", "Bearer "}})).status, 401);
}

}  // namespace
}  // namespace acp::remote
