#include "acp/workspace/terminals.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "acp/testing/sanitized.h"
#include "acp/workspace/testing/processes.h"
#include "acp/workspace/testing/scratch.h"

namespace acp::workspace {
namespace {

using testing::lives;
using testing::Scratch;

CommandLine shell(const std::string& line) {
  CommandLine command;
  command.command = line;
  command.cwd = "/";
  return command;
}

int open_descriptors() {
  int count = 0;
  DIR* const directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

long resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      long kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  return 0;
}

TEST(Terminals, ShowWhatACommandPrints) {
  Terminals terminals;
  const std::string id = terminals.create(
      shell("test -t 1 && echo a terminal; cat; echo $TERM $PAGER; echo error >&2; exit 3"), "s");
  EXPECT_EQ(terminals.wait(id).wait().describe(), "exited with code 3");
  const Terminals::Output output = terminals.output(id);
  EXPECT_EQ(output.text, "a terminal\ndumb cat\nerror\n");
  EXPECT_FALSE(output.truncated);
  EXPECT_EQ(output.exit->value, 3);
}

TEST(Terminals, TakeArgumentsAsTheyAre) {
  Terminals terminals;
  CommandLine line;
  line.command = "printf";
  line.args = {"%s|", "a b", "$HOME", "; echo no", "*"};
  line.cwd = "/";
  const std::string id = terminals.create(line, "s");
  EXPECT_TRUE(terminals.wait(id).wait().success());
  EXPECT_EQ(terminals.output(id).text, "a b|$HOME|; echo no|*|");
}

TEST(Terminals, AnswerAtOnceAndTellLive) {
  const Scratch scratch;
  ASSERT_EQ(mkfifo((scratch / "go").c_str(), 0600), 0);
  std::mutex mutex;
  std::condition_variable changed;
  std::string seen;
  Terminals terminals([&](const std::string&, std::string_view text) {
    const std::lock_guard lock(mutex);
    seen += text;
    changed.notify_all();
  });
  const std::string id =
      terminals.create(shell("echo first; read line < " + scratch / "go" + "; echo $line"), "s");
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return seen == "first\n"; });
  }
  EXPECT_EQ(terminals.output(id).text, "first\n");
  EXPECT_EQ(terminals.output(id).exit, std::nullopt);
  std::ofstream(scratch / "go") << "second\n";
  terminals.wait(id).wait();
  EXPECT_EQ(terminals.output(id).text, "first\nsecond\n");
}

TEST(Terminals, TellTheirEnd) {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> told;
  Terminals terminals(
      [&](const std::string& id, std::string_view text) {
        const std::lock_guard lock(mutex);
        told.push_back(id + " printed " + std::string(text));
      },
      [&](const std::string& id, const std::optional<io::ExitStatus>& exit) {
        const std::lock_guard lock(mutex);
        told.push_back(id + (exit ? " " + exit->describe() : " released"));
        changed.notify_all();
      });
  const std::string id = terminals.create(shell("echo x; exit 3"), "s");
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return told.size() == 2; });
  }
  terminals.release(id);
  EXPECT_EQ(told, (std::vector<std::string>{id + " printed x\n", id + " exited with code 3",
                                            id + " released"}));
}

// A program that shows how commands ended knows it before the agent does.
TEST(Terminals, TellTheirEndToTheHookFirst) {
  std::optional<Terminals> terminals;
  std::string id;
  std::mutex created;
  std::optional<io::ExitStatus> early;
  std::optional<Task<io::ExitStatus>> waiting;
  std::atomic<bool> told = false;
  terminals.emplace(nullptr, [&](const std::string&, const std::optional<io::ExitStatus>& exit) {
    if (!exit) return;
    const std::lock_guard lock(created);
    early = terminals->output(id).exit;
    waiting = terminals->wait(id);
    told = true;
  });
  {
    const std::lock_guard lock(created);
    id = terminals->create(shell("exit 3"), "s");
  }
  EXPECT_EQ(terminals->wait(id).wait().value, 3);
  EXPECT_TRUE(told);
  EXPECT_EQ(early, std::nullopt);
  EXPECT_EQ(std::move(*waiting).wait().value, 3);
}

TEST(Terminals, KeepTheEnd) {
  Terminals terminals;
  const std::string id = terminals.create(
      shell("i=0; while [ $i -lt 5000 ]; do echo \xE2\x82\xAC $i; i=$((i+1)); done"), "s", 1000);
  terminals.wait(id).wait();
  const Terminals::Output output = terminals.output(id);
  EXPECT_TRUE(output.truncated);
  EXPECT_LE(output.text.size(), 1000u);
  EXPECT_TRUE(output.text.ends_with("\xE2\x82\xAC 4999\n")) << output.text;
  const std::string binary = terminals.create(shell("printf 'a\\377b'"), "s");
  terminals.wait(binary).wait();
  EXPECT_EQ(terminals.output(binary).text,
            "a\xEF\xBF\xBD"
            "b");
  const std::string none = terminals.create(shell("echo x"), "s", 0);
  terminals.wait(none).wait();
  EXPECT_EQ(terminals.output(none).text, "");
  EXPECT_TRUE(terminals.output(none).truncated);
}

TEST(Terminals, AnyNumberMayWait) {
  Terminals terminals;
  const std::string id = terminals.create(shell("sleep 1000"), "s");
  std::vector<std::thread> threads;
  std::atomic<int> told = 0;
  for (int i = 0; i < 5; ++i)
    threads.emplace_back(
        [&] { told += terminals.wait(id).wait().describe() == "killed by SIGKILL"; });
  terminals.kill(id);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told, 5);
  EXPECT_EQ(terminals.wait(id).wait().describe(), "killed by SIGKILL") << "also afterwards";
  EXPECT_EQ(terminals.output(id).exit->describe(), "killed by SIGKILL");
}

TEST(Terminals, AreNotKnownAfterTheirRelease) {
  Terminals terminals;
  const std::string id = terminals.create(shell("echo $$; sleep 1000"), "s");
  while (terminals.output(id).text.empty()) std::this_thread::yield();
  const int process = std::stoi(terminals.output(id).text);
  EXPECT_TRUE(lives(process));
  Task<io::ExitStatus> waiting = terminals.wait(id);
  terminals.release(id);
  EXPECT_FALSE(lives(process));
  EXPECT_EQ(std::move(waiting).wait().describe(), "killed by SIGKILL");
  EXPECT_THROW(terminals.output(id), UnknownTerminal);
  EXPECT_THROW(terminals.kill(id), UnknownTerminal);
  EXPECT_THROW((void)terminals.wait(id), UnknownTerminal);
  EXPECT_THROW(terminals.release(id), UnknownTerminal);
  EXPECT_NE(terminals.create(shell("true"), "s"), id);
}

TEST(Terminals, OfOneOwnerGoTogether) {
  Terminals terminals;
  const std::string first = terminals.create(shell("sleep 1000"), "one");
  const std::string second = terminals.create(shell("sleep 1000"), "one");
  const std::string other = terminals.create(shell("sleep 1000"), "two");
  terminals.release_all("one");
  EXPECT_THROW(terminals.output(first), UnknownTerminal);
  EXPECT_THROW(terminals.output(second), UnknownTerminal);
  EXPECT_EQ(terminals.output(other).exit, std::nullopt);
}

TEST(Terminals, SayWhatDoesNotStart) {
  Terminals terminals;
  CommandLine line = shell("true");
  line.cwd = "/no/such/directory";
  EXPECT_THROW(terminals.create(line, "s"), CommandFailed);
  const std::string id = terminals.create(shell("no_such_command_at_all"), "s");
  EXPECT_EQ(terminals.wait(id).wait().value, 127);
  EXPECT_NE(terminals.output(id).text.find("not found"), std::string::npos);
}

// Each new one has a child of its own, down to a depth: all of them go.
TEST(Terminals, TakeAWholeTreeWithThem) {
  const Scratch scratch;
  scratch.put("grow.sh",
              "echo $$; n=$1; [ $n -gt 0 ] && { trap '' TERM HUP; sh $0 $((n-1)) & "
              "setsid sh $0 $((n-1)) & }; sleep 1000\n");
  Terminals terminals;
  const std::string id = terminals.create(shell("sh " + scratch / "grow.sh" + " 4"), "s");
  const auto lines = [&] {
    const std::string text = terminals.output(id).text;
    return std::count(text.begin(), text.end(), '\n');
  };
  while (lines() < 31) std::this_thread::yield();
  std::istringstream text(terminals.output(id).text);
  terminals.release(id);
  for (int process; text >> process;) EXPECT_FALSE(lives(process)) << process;
}

// Sanitizers hold freed memory back.
#ifdef ACP_SANITIZED
constexpr long much_kilobytes = 128 * 1024;
#else
constexpr long much_kilobytes = 8 * 1024;
#endif

TEST(Terminals, ManyLeaveNothingBehind) {
  Terminals terminals;
  const auto once = [&] {
    const std::string id = terminals.create(shell("echo x"), "s");
    EXPECT_TRUE(terminals.wait(id).wait().success());
    EXPECT_EQ(terminals.output(id).text, "x\n");
    terminals.release(id);
  };
  for (int i = 0; i < 20; ++i) once();
  const int before = open_descriptors();
  const long memory = resident_kilobytes();
  for (int i = 0; i < 1000; ++i) once();
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_LT(resident_kilobytes() - memory, much_kilobytes);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left, not even a dead one";
  std::vector<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(terminals.create(shell("echo x; sleep 1000"), "s"));
  for (const std::string& id : ids)
    while (terminals.output(id).text != "x\n") std::this_thread::yield();
  terminals.release_all("s");
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace acp::workspace
