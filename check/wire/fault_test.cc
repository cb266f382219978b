#include "check/wire/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace acp::check {
namespace {

std::string written(Faults& faults, Side from, const std::string& frame) {
  std::string out;
  for (const FaultedWrite& each : faults.pass(from, frame, rpc::Framing::newline).writes)
    out += each.bytes;
  return out;
}

Faults one(const std::string& spec, std::uint64_t seed = 1) {
  return Faults({read_fault(spec)}, seed);
}

TEST(FaultSpec, ReadsItsSyntax) {
  const FaultSpec drop = read_fault("drop:agent:10%");
  EXPECT_EQ(drop.kind, FaultSpec::Kind::drop);
  EXPECT_TRUE(drop.agent && !drop.client);
  EXPECT_EQ(drop.chance, std::optional<double>(0.1));
  EXPECT_EQ(read_fault("kill:agent@5").at, std::optional<std::size_t>(5));
  const FaultSpec delay = read_fault("delay=1.5s:both:session/*");
  EXPECT_EQ(delay.time, std::optional(std::chrono::milliseconds(1500)));
  EXPECT_TRUE(delay.agent && delay.client);
  EXPECT_EQ(delay.method, "session/*");
  EXPECT_EQ(read_fault("noise:client:5%:session/update").method, "session/update");
}

TEST(FaultSpec, RefusesWhatItDoesNotKnow) {
  for (const char* const bad :
       {"", "lose:agent", "drop", "drop:nobody", "drop:agent:200%", "drop:agent@0", "drop=3:agent",
        "delay=fast:agent", "drop:agent@3:5%", "split=1:agent", "drop:agent:5",
        "drop:both:0.5:session/prompt"})
    EXPECT_THROW(read_fault(bad), BadFaultSpec) << bad;
  try {
    read_fault("drop:agent:5");
  } catch (const BadFaultSpec& why) {
    EXPECT_STREQ(why.what(), "'drop:agent:5': a chance has a %: 5%; the Nth frame is agent@N");
  }
}

TEST(Faults, DoWhatTheirNameSays) {
  Faults drop = one("drop:agent@2"), twice = one("duplicate:agent@1"),
         late = one("reorder:agent@1"), corrupt = one("corrupt:agent@1"),
         cut = one("truncate:agent@1"), noise = one("noise:agent@1");
  EXPECT_EQ(written(drop, Side::agent, "one"), "one\n");
  EXPECT_EQ(written(drop, Side::client, "other"), "other\n");
  EXPECT_EQ(written(drop, Side::agent, "two"), "");
  EXPECT_EQ(written(twice, Side::agent, "one"), "one\none\n");
  EXPECT_EQ(written(late, Side::agent, "one"), "");
  EXPECT_TRUE(late.holds(Side::agent));
  EXPECT_EQ(written(late, Side::agent, "two"), "two\none\n");
  EXPECT_NE(written(corrupt, Side::agent, "one").find('\xFF'), std::string::npos);
  EXPECT_LT(written(cut, Side::agent, "0123456789").size(), 11U);
  EXPECT_TRUE(written(noise, Side::agent, "one").ends_with("\none\n"));
}

TEST(Faults, SplitAndMergeKeepEveryByte) {
  Faults split = one("split=4:agent"), merge = one("merge:agent@1");
  const auto pieces = split.pass(Side::agent, "0123456789", rpc::Framing::newline).writes;
  EXPECT_GT(pieces.size(), 1U);
  EXPECT_EQ(written(split, Side::agent, "0123456789"), "0123456789\n");
  EXPECT_EQ(written(merge, Side::agent, "one"), "");
  const auto both = merge.pass(Side::agent, "two", rpc::Framing::newline).writes;
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].bytes, "one\ntwo\n");
}

TEST(Faults, KillAndStallSaySo) {
  Faults kill = one("kill:client@1"), stall = one("stall:agent@1");
  EXPECT_TRUE(kill.pass(Side::client, "one", rpc::Framing::newline).kill);
  EXPECT_TRUE(stall.pass(Side::agent, "one", rpc::Framing::newline).writes.at(0).for_good);
}

TEST(Faults, TakeOnlyTheMethodTheyAreMeantFor) {
  Faults faults = one("drop:agent:session/prompt");
  const std::string ask = R"({"jsonrpc":"2.0","id":1,"method":"session/prompt"})";
  EXPECT_EQ(written(faults, Side::client, ask), ask + "\n");
  const std::string other = R"({"jsonrpc":"2.0","id":2,"result":{}})";
  EXPECT_EQ(written(faults, Side::agent, other), other + "\n");
  EXPECT_EQ(written(faults, Side::agent, R"({"jsonrpc":"2.0","id":1,"result":{}})"), "");
}

TEST(Faults, TheSameSeedDoesTheSame) {
  const auto pattern = [](std::uint64_t seed) {
    Faults faults = one("drop:agent:30%", seed);
    std::string out;
    for (int i = 0; i < 200; ++i) out += written(faults, Side::agent, "x").empty() ? '-' : 'x';
    return out;
  };
  EXPECT_EQ(pattern(7), pattern(7));
  EXPECT_NE(pattern(7), pattern(8));
  const std::string some = pattern(7);
  const auto lost = std::count(some.begin(), some.end(), '-');
  EXPECT_GT(lost, 30);
  EXPECT_LT(lost, 90);
}

TEST(Faults, KeepContentLengthFraming) {
  Faults faults = one("duplicate:agent@1");
  const auto writes = faults.pass(Side::agent, "{}", rpc::Framing::content_length).writes;
  EXPECT_EQ(writes.at(0).bytes, "Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n{}");
}

}  // namespace
}  // namespace acp::check
