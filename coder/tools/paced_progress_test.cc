#include "coder/tools/paced_progress.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "acp/json/codec.h"

namespace acp::coder {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

struct Shown {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> texts;

  ToolProgress progress() {
    return [this](std::vector<v1::ToolCallContent> content) {
      const std::lock_guard lock(mutex);
      texts.push_back(json::encode(content.front()));
      changed.notify_all();
    };
  }
  // Returns when this is the last that was shown.
  void wait_for(const std::string& text) {
    std::unique_lock lock(mutex);
    changed.wait(
        lock, [&] { return !texts.empty() && texts.back() == json::encode(text_content(text)); });
  }
};

TEST(PacedProgress, AHundredThousandBecomeAFewAndTheLastIsShown) {
  Shown shown;
  const ToolProgress progress = shown.progress();
  const Clock::time_point begin = Clock::now();
  PacedProgress paced(progress, milliseconds(50));
  for (int i = 0; i < 100'000; ++i) paced.tell({text_content(std::to_string(i))});
  shown.wait_for("99999");  // though nothing more comes
  const auto time = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  EXPECT_LE(shown.texts.size(), static_cast<std::size_t>(time / milliseconds(50)) + 2);
  EXPECT_EQ(shown.texts.front(), json::encode(text_content("0")));
}

TEST(PacedProgress, WhatWaitsAtTheEndIsNotShown) {
  Shown shown;
  const ToolProgress progress = shown.progress();
  {
    PacedProgress paced(progress, std::chrono::hours(1));
    paced.tell({text_content("first")});
    paced.tell({text_content("second")});
  }
  EXPECT_EQ(shown.texts.size(), 1u);
}

TEST(PacedProgress, WhatFailsLaterIsThrownToTheNext) {
  std::atomic<int> calls = 0;
  const ToolProgress progress = [&](std::vector<v1::ToolCallContent>) {
    if (++calls == 2) throw std::runtime_error("the client is gone");
  };
  PacedProgress paced(progress, milliseconds(1));
  EXPECT_THROW(
      {
        while (true) paced.tell({text_content("x")});
      },
      std::runtime_error);
}

}  // namespace
}  // namespace acp::coder
