#include "acp/io/outbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "acp/io/testing/fake_clock.h"

namespace acp::io {
namespace {

using namespace std::chrono_literals;
using testing::FakeClock;
using Flushed = Outbox::Flushed;

// More than a pipe holds.
constexpr std::size_t large = 4 << 20;

struct Silent : rpc::EngineHandler {
  void on_request(const rpc::RequestId&, std::string_view, JsonView) override {}
  bool on_notification(rpc::NotificationToken, std::string_view, JsonView) override { return true; }
  void on_cancel(const rpc::RequestId&) override {}
};

struct OutboxTest : ::testing::Test {
  static Transport pipes(Descriptor& reader, Descriptor& writer) {
    int in[2], out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    writer.reset(in[1]);
    reader.reset(out[0]);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    Transport transport;
    transport.in.reset(in[0]);
    transport.out.reset(out[1]);
    return transport;
  }
  void add(std::size_t bytes) {
    engine.notify("x", [&](json::Writer& out) { out.string(std::string(bytes, 'x')); });
  }
  // As a connection does after each message.
  bool goes_out() { return outbox.worth_a_look() && outbox.gather(); }
  std::size_t arrived() {
    std::string buffer(1 << 20, '\0');
    std::size_t total = 0;
    for (ssize_t n; (n = read(reader.get(), buffer.data(), buffer.size())) > 0;)
      total += static_cast<std::size_t>(n);
    return total;
  }

  FakeClock clock;
  Descriptor reader, writer;
  Silent silent;
  rpc::Engine engine{rpc::EngineOptions{.congestion_bytes = 100'000}, silent};
  Wire wire{pipes(reader, writer)};
  Outbox outbox{engine, wire, &FakeClock::now};
};

TEST_F(OutboxTest, SendsTheFirstMessageAtOnceAndGathersWhatFollows) {
  add(10);
  EXPECT_TRUE(goes_out());
  EXPECT_EQ(outbox.flush_quickly().state, Flushed::all);
  EXPECT_GT(arrived(), 10u);
  add(10);
  EXPECT_FALSE(goes_out());
  FakeClock::pass(24us);
  add(10);
  EXPECT_FALSE(goes_out());
  FakeClock::pass(1us);
  add(10);
  EXPECT_TRUE(goes_out());
}

TEST_F(OutboxTest, ReadsTheClockOnlyAfterTwiceAsMuch) {
  add(100);
  EXPECT_TRUE(goes_out());
  outbox.flush_quickly();
  add(100);
  EXPECT_FALSE(goes_out());
  FakeClock::pass(1h);
  EXPECT_FALSE(outbox.worth_a_look());
  add(200);
  EXPECT_TRUE(goes_out());
}

TEST_F(OutboxTest, SendsMuchWithoutWaiting) {
  add(10);
  outbox.flush();
  add(64 * 1024);
  EXPECT_TRUE(goes_out());
}

TEST_F(OutboxTest, HoldsProducersBackWhileNobodyReads) {
  add(large);
  const auto first = outbox.flush();
  EXPECT_EQ(first.state, Flushed::blocked);
  EXPECT_TRUE(first.changed);
  EXPECT_TRUE(outbox.blocked());
  EXPECT_TRUE(outbox.congested()) << outbox.size();
  EXPECT_FALSE(outbox.flush().changed);
  const auto room = std::make_shared<async::Completion<void>>();
  outbox.wait_for_room(room);
  EXPECT_FALSE(room->ready());
  std::size_t total = 0;
  while (outbox.flush().state == Flushed::blocked) total += arrived();
  total += arrived();
  EXPECT_GT(total, large);
  EXPECT_TRUE(room->ready());
  EXPECT_FALSE(outbox.blocked() || outbox.congested());
}

TEST_F(OutboxTest, DropsWhatNobodyWillRead) {
  add(large);
  outbox.flush();
  const auto room = std::make_shared<async::Completion<void>>();
  outbox.wait_for_room(room);
  reader.reset();
  const auto failed = outbox.flush();
  EXPECT_EQ(failed.state, Flushed::failed);
  EXPECT_TRUE(failed.changed);
  EXPECT_EQ(failed.code, EPIPE);
  EXPECT_TRUE(outbox.failed() && outbox.empty() && room->ready());
  add(10);
  const auto again = outbox.flush();
  EXPECT_EQ(again.state, Flushed::failed);
  EXPECT_FALSE(again.changed);
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace acp::io
