#include "acp/io/ending.h"

#include <gtest/gtest.h>

namespace acp::io {
namespace {

TEST(Ending, TheOtherSideEndsAndWhatIsLeftIsSent) {
  Ending ending;
  EXPECT_TRUE(ending.takes_input() && ending.can_send() && !ending.drains());
  EXPECT_TRUE(ending.end_input());
  EXPECT_FALSE(ending.end_input());
  EXPECT_TRUE(ending.input_ended() && ending.drains());
  EXPECT_FALSE(ending.takes_input());
  EXPECT_TRUE(ending.can_send()) << "it may still read";
  ending.finish();
  EXPECT_TRUE(ending.finished() && ending.input_ended());
  EXPECT_FALSE(ending.can_send() || ending.given_up());
}

TEST(Ending, ClosedHereItSendsNothingNew) {
  Ending ending;
  ending.ask_to_close();
  EXPECT_TRUE(ending.close_asked());
  EXPECT_TRUE(ending.takes_input()) << "close() has not got the lock yet";
  EXPECT_TRUE(ending.close());
  EXPECT_FALSE(ending.close());
  EXPECT_TRUE(ending.closing() && ending.drains());
  EXPECT_FALSE(ending.takes_input() || ending.can_send());
}

TEST(Ending, IsClosedAfterTheInputHasEnded) {
  Ending ending;
  ending.end_input();
  EXPECT_TRUE(ending.close());
  ending.finish();
  EXPECT_TRUE(ending.closing());
  Ending other;
  other.end_input();
  other.finish();
  EXPECT_FALSE(other.close()) << "there is nothing left to close";
}

TEST(Ending, IsGivenUpOnlyBetweenTheTwoEnds) {
  Ending ending;
  EXPECT_FALSE(ending.give_up());
  ending.end_input();
  EXPECT_TRUE(ending.give_up());
  EXPECT_FALSE(ending.give_up());
  ending.finish();
  EXPECT_TRUE(ending.finished() && ending.given_up()) << "handlers were left running";
  Ending in_time;
  in_time.end_input();
  in_time.finish();
  EXPECT_FALSE(in_time.give_up() || in_time.given_up());
}

TEST(Ending, KnowsWhyThePipeWillRunDry) {
  Ending ending;
  EXPECT_FALSE(ending.when_dry());
  ending.end_when_dry("exit code 3");
  EXPECT_EQ(ending.when_dry(), "exit code 3");
  EXPECT_TRUE(ending.takes_input()) << "what is left is still to be read";
}

}  // namespace
}  // namespace acp::io
