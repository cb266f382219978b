#include "gateway/logins.h"

#include <gtest/gtest.h>

#include "acp/io/testing/fake_clock.h"
#include "gateway/network.h"

namespace acp::gateway {
namespace {

using io::testing::FakeClock;

remote::RequestHead head(const std::string& token, const std::string& address = "10.0.0.1",
                         const std::string& forwarded = "") {
  remote::RequestHead head{"POST", "/acp", {}, address};
  if (!token.empty()) head.headers["authorization"] = "Bearer " + token;
  if (!forwarded.empty()) head.headers["x-forwarded-for"] = forwarded;
  return head;
}

struct LoginsTest : ::testing::Test {
  LoginOptions options() {
    LoginOptions made;
    made.tokens = {"secret", "another"};
    made.max_failures = 3;
    made.trusted_proxies = {"127.0.0.1"};
    return made;
  }
  FakeClock clock;
  Logins logins{options(), &FakeClock::now};
};

TEST_F(LoginsTest, EachTokenIsSomebodyElse) {
  const remote::Admission one = logins.decide(head("secret")),
                          other = logins.decide(head("another"));
  EXPECT_EQ(one.status, 200);
  EXPECT_EQ(other.status, 200);
  EXPECT_NE(one.principal, other.principal);
}

TEST_F(LoginsTest, GuessesHaveAnEnd) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(logins.decide(head("guess")).status, 401);
  const remote::Admission later = logins.decide(head("guess"));
  EXPECT_EQ(later.status, 429);
  EXPECT_EQ(later.headers.at("Retry-After"), "60");
  EXPECT_EQ(later.address, "10.0.0.1");
  EXPECT_EQ(logins.decide(head("guess", "10.0.0.2")).status, 401);
  FakeClock::pass(std::chrono::seconds(61));
  EXPECT_EQ(logins.decide(head("guess")).status, 401);
}

// Another user of the machine has the same address.
TEST_F(LoginsTest, GuessesOfOthersLockNobodyOut) {
  for (int i = 0; i < 10; ++i) logins.decide(head("guess"));
  for (const char* token : {"secret", "another"}) {
    const remote::Admission passes = logins.decide(head(token));
    EXPECT_EQ(passes.status, 200);
    EXPECT_EQ(passes.address, "10.0.0.1");
  }
  EXPECT_EQ(logins.decide(head("")).status, 401);
  EXPECT_EQ(logins.decide(head("guess")).status, 429);
}

// Who has one IPv6 address has 2^64 of them.
TEST_F(LoginsTest, AnotherAddressOfTheSameNetworkIsNoNewStart) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(logins.decide(head("guess", "2001:db8::" + std::to_string(i + 1))).status, 401);
  EXPECT_EQ(logins.decide(head("guess", "2001:db8::ffff:1")).status, 429);
  EXPECT_EQ(logins.decide(head("guess", "2001:db8:0:1::1")).status, 401);
}

TEST(Network, OfAnAddress) {
  EXPECT_EQ(network_of("2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
  EXPECT_EQ(network_of("fe80::1%eth0"), "fe80::/64");
  EXPECT_EQ(network_of("::1"), "::/64");
  EXPECT_EQ(network_of("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(network_of("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(network_of("no address"), "no address");
}

TEST_F(LoginsTest, WithoutATokenItIsNoGuess) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(logins.decide(head("")).status, 401);
  EXPECT_EQ(logins.decide(head("guess")).status, 401);
}

TEST_F(LoginsTest, OnlyATrustedProxyNamesOthers) {
  EXPECT_EQ(logins.address_of(head("", "10.0.0.1", "1.2.3.4")), "10.0.0.1");
  EXPECT_EQ(logins.address_of(head("", "127.0.0.1", "1.2.3.4")), "1.2.3.4");
  // What the client wrote itself stands further left.
  EXPECT_EQ(logins.address_of(head("", "127.0.0.1", "9.9.9.9, 1.2.3.4")), "1.2.3.4");
  EXPECT_EQ(logins.address_of(head("", "127.0.0.1", "1.2.3.4, 127.0.0.1")), "1.2.3.4");
}

}  // namespace
}  // namespace acp::gateway
