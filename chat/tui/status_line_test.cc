#include "chat/tui/status_line.h"

#include <gtest/gtest.h>

#include "acp/testing/session_updates.h"

namespace acp::chat {
namespace {

std::string at(const Status& status, std::size_t columns) {
  const Line line = status_line(status, columns);
  EXPECT_LE(width(line), columns);
  return to_plain(line);
}

TEST(StatusLine, PartsGoInTheirOrder) {
  const Status status{.model = "opus",
                      .mode = "Ask",
                      .context = "12%",
                      .cost = "$0.08",
                      .directory = "~/src/parser",
                      .hint = "/help"};
  EXPECT_EQ(at(status, 60), "  opus · Ask · 12% · $0.08 · ~/src/parser              /help");
  EXPECT_EQ(at(status, 40), "  opus · Ask · 12% · $0.08         /help");
  EXPECT_EQ(at(status, 30), "  opus · Ask · 12%       /help");
  EXPECT_EQ(at(status, 22), "  opus · Ask     /help");
  EXPECT_EQ(at(status, 15), "  opus    /help");
  EXPECT_EQ(at(status, 10), "  …  /help");
}

TEST(StatusLine, WhatGoesOnComesFirst) {
  const Status status{.activity = "4 s", .model = "opus", .mode = "Ask", .hint = "Esc stops"};
  EXPECT_EQ(at(status, 40), "● 4 s · opus · Ask             Esc stops");
  EXPECT_EQ(at(status, 20), "● 4 s · …  Esc stops");
}

TEST(StatusLine, SaysWhatTheSessionTells) {
  SessionState state;
  EXPECT_EQ(status_of(state).context, "");
  state.apply(v1::CurrentModeUpdate{.currentModeId = "ask"});
  state.apply(v1::UsageUpdate{
      .used = 53'000, .size = 200'000, .cost = v1::Cost{.amount = 0.045, .currency = "USD"}});
  Status status = status_of(state);
  EXPECT_EQ(status.mode, "ask");
  EXPECT_EQ(status.context, "26%");
  EXPECT_FALSE(status.context_short);
  EXPECT_EQ(status.cost, "$0.04");
  state.apply(v1::UsageUpdate{
      .used = 170'000, .size = 200'000, .cost = v1::Cost{.amount = 1, .currency = "EUR"}});
  status = status_of(state);
  EXPECT_TRUE(status.context_short);
  EXPECT_EQ(status.cost, "1.00 EUR");
}

}  // namespace
}  // namespace acp::chat
