#include "gateway/descriptors.h"

#include <gtest/gtest.h>

namespace acp::gateway {
namespace {

TEST(Descriptors, AgentsComeBeforeSockets) {
  for (const std::size_t clients : {1u, 100u, 5000u})
    for (const std::size_t allowed : {256u, 1024u, 1664u, 65536u}) {
      const DescriptorShares shares = share_descriptors(allowed, clients);
      EXPECT_LE(shares.clients, clients);
      EXPECT_LE(64 + shares.clients * 12 + shares.sockets, allowed);
      EXPECT_GE(shares.sockets, shares.clients * 4);
    }
  EXPECT_EQ(share_descriptors(256, 100).clients, 12u);
  EXPECT_EQ(share_descriptors(256, 100).sockets, 48u);
}

TEST(Descriptors, WhatIsWantedIsEnough) {
  for (const std::size_t clients : {1u, 100u, 10'000u})
    EXPECT_EQ(share_descriptors(descriptors_for(clients), clients).clients, clients);
}

TEST(Descriptors, AServerOfVeryFewStillListens) {
  EXPECT_EQ(share_descriptors(20, 100).clients, 0u);
  EXPECT_GT(share_descriptors(20, 100).sockets, 0u);
}

}  // namespace
}  // namespace acp::gateway
