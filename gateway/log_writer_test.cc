#include "gateway/log_writer.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace acp::gateway {
namespace {

constexpr std::chrono::minutes patience{1};

TEST(LogWriter, WritesEveryLineInOrder) {
  std::string written, expected;
  {
    LogWriter log([&](std::string_view text) { written += text; }, 1024 * 1024, patience);
    for (int i = 0; i < 1'000; ++i) log.add(std::to_string(i));
  }
  for (int i = 0; i < 1'000; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(written, expected);
}

TEST(LogWriter, OneWhoDoesNotReadHoldsNobodyUp) {
  std::promise<void> writes, reads;
  std::string written;
  {
    LogWriter log(
        [&](std::string_view text) {
          if (written.empty()) {
            writes.set_value();
            reads.get_future().wait();
          }
          written += text;
        },
        100, patience);
    log.add("first");
    writes.get_future().wait();
    for (int i = 0; i < 1'000; ++i) log.add(std::string(10, 'x'));
    reads.set_value();
  }
  EXPECT_TRUE(written.starts_with("first\nxxxxxxxxxx\n")) << written;
  EXPECT_LT(written.size(), 300u);
  EXPECT_TRUE(written.ends_with("991 lines of the log are missing here: nobody read it)\n"))
      << written;
}

}  // namespace
}  // namespace acp::gateway
