#include "acp/http/curl.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "acp/http/transfers.h"
#include "acp/http/url.h"

namespace acp::http {
namespace {

bool libcurl_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_NE(text.find("libstdc++"), std::string::npos) << "what is loaded cannot be seen";
  return text.find("libcurl") != std::string::npos;
}

// A program that speaks no HTTP does not wait for thirty libraries when it starts.
TEST(Curl, IsLoadedWhenItIsNeeded) {
  EXPECT_EQ(origin_of("https://api.example.org/v1"), "https://api.example.org:443");
  EXPECT_TRUE(is_loopback("http://127.0.0.1:8080/v1"));
  ASSERT_FALSE(libcurl_is_loaded());
  const Transfers transfers(std::chrono::seconds(1));
  EXPECT_TRUE(libcurl_is_loaded());
}

}  // namespace
}  // namespace acp::http
