#include "gateway/not_reached.h"

#include <gtest/gtest.h>

namespace acp::gateway {

TEST(NotReached, SaysWhatMayHelp) {
  const std::string url = "http://127.0.0.1:8787/acp", refused = "HTTP 401 Unauthorized: a token";
  EXPECT_EQ(not_reached(url, refused, "the file /t")
                .find(url + " does not take the token of the file /t (HTTP 401)"),
            0u);
  EXPECT_NE(not_reached(url, refused, "").find("set the variable ACP_TOKEN"), std::string::npos);
  EXPECT_EQ(not_reached(url, "HTTP 404 Not Found", "").find("there is no ACP at " + url), 0u);
  for (const char* said : {"no answer from x: SSL peer certificate or SSH remote key was not OK",
                           "cannot reach x: certificate verify failed (SSL routines)"}) {
    const std::string why = not_reached(url, said, "");
    EXPECT_EQ(why.find(url + ": the certificate is signed by nobody whom the system trusts"), 0u);
    EXPECT_NE(why.find("--ca-file FILE"), std::string::npos);
    EXPECT_NE(why.find(said), std::string::npos);
  }
  EXPECT_EQ(not_reached(url, "HTTP 503 Service Unavailable", ""),
            url + ": HTTP 503 Service Unavailable");
  EXPECT_EQ(not_reached(url, "cannot reach " + url + ": refused", ""),
            "cannot reach " + url + ": refused");
}

}  // namespace acp::gateway
