#include "acp/io/lead.h"

#include <gtest/gtest.h>

namespace acp::io {
namespace {

TEST(Lead, GoesRound) {
  Lead lead;
  EXPECT_FALSE(lead.taken());
  lead.take(true);
  EXPECT_EQ(lead.state(), Lead::State::reading);
  EXPECT_TRUE(lead.taken() && lead.asleep() && !lead.processing());
  lead.process();
  EXPECT_TRUE(lead.taken() && !lead.asleep() && lead.processing());
  lead.release();
  EXPECT_FALSE(lead.taken());
  lead.take(false);
  EXPECT_EQ(lead.state(), Lead::State::waiting);
  EXPECT_TRUE(lead.asleep());
  EXPECT_EQ(lead.count(), 2u);
}

TEST(Lead, StepsDownOnce) {
  Lead lead;
  EXPECT_FALSE(lead.steps_down());
  lead.ask_to_step_down(true);
  EXPECT_TRUE(lead.steps_down());
  EXPECT_FALSE(lead.steps_down());
}

TEST(Lead, IsQuietAfterSomeTicksInWhichNothingHappened) {
  Lead lead;
  for (unsigned i = 1; i < Lead::quiet_ticks; ++i) lead.watched(false, true);
  lead.watched(false, false);  // something happened: it begins again
  for (unsigned i = 1; i < Lead::quiet_ticks; ++i) lead.watched(false, true);
  EXPECT_FALSE(lead.quiet());
  lead.watched(false, true);
  EXPECT_TRUE(lead.quiet());
  EXPECT_TRUE(lead.stir());
  EXPECT_FALSE(lead.quiet());
  EXPECT_FALSE(lead.stir());
}

TEST(Lead, IsWatchedLessOftenWhereItNeededNobody) {
  Lead lead;
  for (int i = 0; i < 49; ++i) lead.watched(false, false);
  EXPECT_EQ(lead.watch_time(), Lead::tick);
  lead.watched(false, false);
  EXPECT_GT(lead.watch_time(), Lead::tick);
  lead.watched(true, false);
  EXPECT_EQ(lead.watch_time(), Lead::tick);
}

}  // namespace
}  // namespace acp::io
