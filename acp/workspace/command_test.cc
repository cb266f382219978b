#include "acp/workspace/command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "acp/workspace/testing/processes.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

using testing::lives;
using testing::Scratch;
using namespace std::chrono_literals;

CommandOutcome run(const std::string& line, const CommandLimits& limits = {},
                   const std::function<void(std::string_view)>& on_output = {},
                   std::stop_token stop = {}) {
  CommandLine command;
  command.command = line;
  command.cwd = "/";
  return run_command(command, limits, on_output, std::move(stop));
}

TEST(Command, GivesOutputAndExitCode) {
  const CommandOutcome result = run("echo one; echo two >&2; echo three; exit 3");
  EXPECT_EQ(result.output, "one\ntwo\nthree\n") << "in its order";
  EXPECT_EQ(result.exit.describe(), "exited with code 3");
  EXPECT_FALSE(result.truncated || result.timed_out || result.stopped);
  EXPECT_EQ(run("kill -9 $$").exit.describe(), "killed by SIGKILL");
  EXPECT_EQ(run("no_such_command_at_all").exit.value, 127);
}

TEST(Command, TakesArgumentsAsTheyAre) {
  CommandLine line;
  line.command = "printf";
  line.args = {"%s|", "a b", "$HOME", "; echo no", "*"};
  line.cwd = "/";
  EXPECT_EQ(run_command(line, {}).output, "a b|$HOME|; echo no|*|");
}

TEST(Command, RunsWhereItShallWithWhatItShall) {
  const Scratch scratch;
  CommandLine line;
  line.command = "pwd; echo $TERM $PAGER $MORE; cat; echo end";
  line.cwd = scratch.path();
  line.environment = {{"MORE", "more"}, {"PAGER", "less"}};
  EXPECT_EQ(run_command(line, {}).output, scratch.path().string() + "\ndumb less more\nend\n");
  line.cwd = scratch / "none";
  EXPECT_THROW(run_command(line, {}), CommandFailed);
}

TEST(Command, OutputIsLive) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "go").c_str(), 0600), 0);
  // It ends only after its first line has been seen here.
  std::string seen;
  std::thread opener;
  const CommandOutcome result = run(
      "echo first; read line < " + scratch / "go" + "; echo $line", {}, [&](std::string_view text) {
        seen += text;
        if (seen == "first\n")
          opener = std::thread([&] { std::ofstream(scratch / "go") << "second\n"; });
      });
  opener.join();
  EXPECT_EQ(seen, "first\nsecond\n");
  EXPECT_EQ(result.output, seen);
}

TEST(Command, KeepsTheEndOfLongOutput) {
  CommandLimits limits;
  limits.output_bytes = 1000;
  std::size_t seen = 0;
  const CommandOutcome result =
      run("i=0; while [ $i -lt 3000 ]; do echo \xC3\xA4\xC3\xA4 $i; i=$((i+1)); done", limits,
          [&](std::string_view text) { seen += text.size(); });
  EXPECT_LE(result.output.size(), 1000u);
  EXPECT_GT(result.output.size(), 990u);
  EXPECT_TRUE(result.output.ends_with("\xC3\xA4\xC3\xA4 2999\n"));
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.total_bytes, seen);
}

TEST(Command, TimeIsUpForTheWholeTree) {
  CommandLimits limits;
  limits.time = 300ms;
  const CommandOutcome result =
      run("trap '' TERM; setsid sleep 1000 & echo $!; echo before; sleep 1000", limits);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit.describe(), "killed by SIGKILL");
  const std::size_t line = result.output.find('\n');
  EXPECT_EQ(result.output.substr(line), "\nbefore\n") << "what it had printed is there";
  EXPECT_FALSE(lives(std::stoi(result.output)));
}

TEST(Command, IsStopped) {
  std::stop_source stop;
  const CommandOutcome result = run(
      "echo begun; sleep 1000", {}, [&](std::string_view) { stop.request_stop(); },
      stop.get_token());
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "begun\n");
  stop = std::stop_source();
  stop.request_stop();
  EXPECT_TRUE(run("sleep 1000", {}, {}, stop.get_token()).stopped) << "before it began";
}

TEST(Command, WhatItLeavesBehindGoesWithIt) {
  // Its number goes elsewhere: of the output only the end is kept, which may be all noise.
  const Scratch scratch;
  const std::filesystem::path number = scratch.path() / "number";
  const CommandOutcome result =
      run("(while :; do echo noise; done) & echo $! >'" + number.string() + "'");
  EXPECT_EQ(result.exit.describe(), "exited with code 0");
  int left = 0;
  ASSERT_TRUE(std::ifstream(number) >> left);
  EXPECT_FALSE(lives(left));
}

}  // namespace
}  // namespace acp::workspace
