#include "check/wire/wire_peer.h"

#include <gtest/gtest.h>

namespace acp::check {
namespace {

using namespace std::chrono_literals;

WirePeer::Time soon() { return std::chrono::steady_clock::now() + 20s; }

io::ProcessOptions shell(const std::string& script) {
  io::ProcessOptions options;
  options.argv = {"/bin/sh", "-c", script};
  return options;
}

TEST(WirePeer, TwoEndsOfASocketSendFramesAndBytes) {
  for (const auto framing : {rpc::Framing::newline, rpc::Framing::content_length}) {
    auto [left, right] = memory_pair();
    WirePeer one(std::move(left), framing), two(std::move(right), framing);
    one.send(std::string_view(R"({"a":1})"));
    one.send(Json::object({{"b", 2}}));
    EXPECT_EQ(two.receive(soon())->text, R"({"a":1})");
    EXPECT_EQ(two.receive(soon())->text, R"({"b":2})");
    EXPECT_FALSE(two.receive(std::chrono::steady_clock::now()));
    EXPECT_FALSE(two.ended());
    one.send_bytes("no json\n");
    one.close_output();
    if (framing == rpc::Framing::newline) {
      EXPECT_EQ(two.receive(soon())->text, "no json");
    }
    while (two.receive(soon())) {
    }
    EXPECT_TRUE(two.ended());
    ASSERT_EQ(one.transcript().size(), 3u);
    EXPECT_TRUE(one.transcript()[2].malformed);
    EXPECT_TRUE(one.transcript()[0].sent);
    EXPECT_FALSE(two.transcript()[0].sent);
  }
}

// Both write more than a pipe holds before they read.
TEST(WirePeer, LargeFramesCrossWithoutWaitingForEachOther) {
  ProgramPeer cat(shell("cat"), rpc::Framing::newline);
  const std::string large(std::size_t{8} << 20, 'x');
  for (int i = 0; i < 3; ++i) cat.wire().send(std::string_view(large));
  for (int i = 0; i < 3; ++i) {
    const auto frame = cat.wire().receive(soon());
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->text.size(), large.size());
  }
}

TEST(WirePeer, AProgramsEndItsCodeAndItsLastWordsAreSeen) {
  ProgramPeer peer(shell("read line; echo \"$line\"; echo bad luck >&2; exit 7"),
                   rpc::Framing::newline);
  peer.wire().send(std::string_view("hello"));
  EXPECT_EQ(peer.wire().receive(soon())->text, "hello");
  EXPECT_FALSE(peer.wire().receive(soon()));
  EXPECT_TRUE(peer.wire().ended());
  const auto status = peer.wait_exit(20s);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->describe(), "exited with code 7");
  EXPECT_TRUE(peer.wait_tree_ended(20s));
  EXPECT_NE(peer.stderr_tail().find("bad luck"), std::string::npos);
}

TEST(WirePeer, WhatTheProgramLeftBehindIsNoticed) {
  ProgramPeer peer(shell("sleep 1000 >/dev/null 2>&1 & echo up; read line"), rpc::Framing::newline);
  EXPECT_EQ(peer.wire().receive(soon())->text, "up");
  peer.wire().close_output();
  EXPECT_TRUE(peer.wait_exit(20s));
  EXPECT_FALSE(peer.wait_tree_ended(100ms));
}

TEST(WirePeer, AProgramThatIsNotThereIsAnError) {
  io::ProcessOptions options;
  options.argv = {"/nowhere/agent"};
  EXPECT_THROW(ProgramPeer(options, rpc::Framing::newline), PeerNotStarted);
}

}  // namespace
}  // namespace acp::check
