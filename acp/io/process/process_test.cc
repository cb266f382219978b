#include "acp/io/process/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "acp/io/process/testing/observe.h"
#include "acp/io/process/testing/programs.h"

namespace acp::io {
namespace {

namespace fs = std::filesystem;
using namespace testing;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// Also those that an ordinary wait does not show.
bool has_children() {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

TEST(Process, SpeaksThroughItsPipes) {
  Process process = start({"sh", "-c", "cat; echo done >&2"});
  EXPECT_EQ(write(process.child_stdin().get(), "hello\n", 6), 6);
  EXPECT_EQ(read_line(process.child_stdout().get()), "hello");
  EXPECT_FALSE(process.poll_exit());
  process.take_stdin();
  EXPECT_EQ(read_all(process.child_stdout().get()), "");
  EXPECT_EQ(read_all(process.child_stderr().get()), "done\n");
  EXPECT_EQ(wait_for_exit(process), "exited with code 0");
  EXPECT_TRUE(process.poll_exit()->success());
}

TEST(Process, MovesMoreThanThePipesHold) {
  Process process = start({"cat"});
  const int in = process.child_stdin().get(), out = process.child_stdout().get();
  const std::string text(8 << 20, 'x');
  std::size_t sent = 0, received = 0;
  char buffer[65536];
  while (received < text.size()) {
    const ssize_t written =
        sent < text.size() ? write(in, text.data() + sent, text.size() - sent) : 0;
    if (written > 0) sent += static_cast<std::size_t>(written);
    if (written < 0) {
      ASSERT_EQ(errno, EAGAIN);
    }
    if (!readable(out)) FAIL() << "stuck at " << received;
    const ssize_t size = read(out, buffer, sizeof buffer);
    if (size > 0) received += static_cast<std::size_t>(size);
  }
  EXPECT_EQ(received, text.size());
}

TEST(Process, TellsHowItEnded) {
  Process exited = start({"sh", "-c", "exit 3"});
  EXPECT_EQ(wait_for_exit(exited), "exited with code 3");
  EXPECT_EQ(exited.poll_exit(), (ExitStatus{ExitStatus::Kind::exited, 3}));
  EXPECT_TRUE(wait_for_tree(exited));

  Process killed = start({"sh", "-c", "kill -9 $$"});
  EXPECT_EQ(wait_for_exit(killed), "killed by SIGKILL");
  EXPECT_EQ(killed.poll_exit(), (ExitStatus{ExitStatus::Kind::killed, SIGKILL}));

  EXPECT_EQ((ExitStatus{ExitStatus::Kind::killed, 40}).describe(), "killed by signal 40");
  EXPECT_FALSE(ExitStatus{}.success());
}

TEST(Process, ExitIsToldThoughRequestsWereNotRead) {
  Process process = start({"cat"});
  const Watched child(process.id());
  // The child's end and two requests lie before the supervisor: it takes one, and is done. A
  // request wakes it, so the child's end comes first.
  ::kill(process.supervisor_id(), SIGSTOP);
  ::kill(process.id(), SIGKILL);
  EXPECT_TRUE(child.has_ended(patience));
  process.terminate(milliseconds(1000000));
  process.terminate(milliseconds(1000000));
  EXPECT_EQ(wait_for_exit(process), "killed by SIGKILL");
  EXPECT_TRUE(wait_for_tree(process));
}

TEST(Process, ExitDescriptorIsSilentWhileTheChildLives) {
  Process process = start({"cat"});
  EXPECT_FALSE(readable(process.exit_descriptor(), 0));
  EXPECT_FALSE(process.poll_exit());
  EXPECT_FALSE(process.tree_ended());
  process.take_stdin();
  EXPECT_TRUE(readable(process.exit_descriptor()));
}

TEST(Process, ChildMayEndBeforeItsTree) {
  Process process = start({"sh", "-c", "sleep 1000 & echo $!"});
  const Watched sleeper(std::stoi(read_line(process.child_stdout().get())));
  EXPECT_EQ(wait_for_exit(process), "exited with code 0");
  EXPECT_FALSE(process.tree_ended());
  EXPECT_FALSE(sleeper.has_ended(0));
  process.kill();
  EXPECT_TRUE(wait_for_tree(process));
  EXPECT_TRUE(sleeper.has_ended(0));
}

TEST(ProcessDescriptors, ChildHasThreeAndNoMore) {
  const Descriptor leak(open("/dev/null", O_RDONLY));
  const Descriptor high(fcntl(leak.get(), F_DUPFD, 900));
  Process other = start({"cat"});
  EXPECT_EQ(output(program("descriptors")), "0 1 2 \n");
}

TEST(ProcessDescriptors, SupervisorHoldsNoneOfOurs) {
  const Descriptor leak(open("/dev/null", O_RDONLY));
  Process process = start({"cat"});
  const fs::path folder = "/proc/" + std::to_string(process.supervisor_id()) + "/fd";
  int sockets = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone);
    if (gone) continue;
    if (target.starts_with("socket:")) ++sockets;
    // It holds /proc, and may just be reading there, as in its maps when it gives up our memory.
    EXPECT_TRUE(target.starts_with("socket:") || target.starts_with("anon_inode:") ||
                target.starts_with("/proc"))
        << target;
  }
  EXPECT_EQ(sockets, 1);
}

TEST(ProcessDescriptors, OursAreNonBlockingAndClosedOnExec) {
  Process process = start({"cat"});
  for (const int fd :
       {process.child_stdin().get(), process.child_stdout().get(), process.child_stderr().get()}) {
    EXPECT_NE(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_NE(fcntl(process.exit_descriptor(), F_GETFD) & FD_CLOEXEC, 0);
  // The child's own ends block, as programs expect.
  EXPECT_EQ(output({"sh", "-c", "grep ^flags /proc/self/fdinfo/1"}).find("4"), std::string::npos);
}

TEST(ProcessDescriptors, PipesHaveTheSizeAskedFor) {
  Process large = start({"cat"}, {.pipe_size = 512 * 1024});
  EXPECT_EQ(fcntl(large.child_stdin().get(), F_GETPIPE_SZ), 512 * 1024);
  EXPECT_EQ(fcntl(large.child_stdout().get(), F_GETPIPE_SZ), 512 * 1024);
  Process plain = start({"cat"}, {.pipe_size = 0});
  EXPECT_EQ(fcntl(plain.child_stdin().get(), F_GETPIPE_SZ), 65536);
}

TEST(ProcessDescriptors, TwoProcessesDoNotHoldEachOthersPipes) {
  Process first = start({"cat"});
  Process second = start({"cat"});
  first.take_stdin();
  EXPECT_EQ(read_all(first.child_stdout().get()), "");
  EXPECT_EQ(wait_for_exit(first), "exited with code 0");
  EXPECT_FALSE(second.poll_exit());
  second.take_stdin();
  EXPECT_EQ(read_all(second.child_stdout().get()), "");
}

TEST(ProcessDescriptors, HostMayLackStandardOnes) {
  EXPECT_EQ(output(program("no-stdio")), "through\n\n");
}

TEST(ProcessDescriptors, OlderKernelsDoWithOtherCalls) {
  EXPECT_EQ(output(program("old-kernel")), "0 1 2 \n\ngone\n");
}

TEST(ProcessSignals, MaskAndDispositionsAreClearInTheChild) {
  sigset_t blocked, old;
  sigfillset(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, &old);
  struct sigaction ignore {
  }, old_pipe{}, old_int{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &old_pipe);
  sigaction(SIGINT, &ignore, &old_int);
  Process process = start({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"});
  // Ours are as they were.
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &old, &now);
  EXPECT_EQ(sigismember(&now, SIGUSR1), 1);
  struct sigaction after {};
  sigaction(SIGPIPE, &old_pipe, &after);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
  sigaction(SIGINT, &old_int, nullptr);
  EXPECT_EQ(read_all(process.child_stdout().get()),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

std::atomic<int> child_signals{0};

TEST(ProcessSignals, HostHearsNoSigchld) {
  struct sigaction count {
  }, old{};
  count.sa_handler = [](int) { ++child_signals; };
  sigaction(SIGCHLD, &count, &old);
  {
    Process ended = start({"true"});
    EXPECT_TRUE(wait_for_tree(ended));
    Process killed = start({"cat"});
  }
  sigaction(SIGCHLD, &old, nullptr);
  EXPECT_EQ(child_signals, 0);
}

TEST(ProcessSignals, HostMayIgnoreSigchld) {
  struct sigaction ignore {
  }, old{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &old);
  Process process = start({"sh", "-c", "sh -c 'exit 4'; exit $?"});
  EXPECT_EQ(wait_for_exit(process), "exited with code 4");
  EXPECT_TRUE(wait_for_tree(process));
  sigaction(SIGCHLD, &old, nullptr);
  EXPECT_FALSE(has_children());
}

TEST(ProcessSignals, HostMayReapEverything) {
  // With __WALL it takes our supervisor, too, which plain waitpid(-1) does not see.
  for (const int kinds : {0, __WALL}) {
    std::atomic<bool> stop{false};
    std::thread reaper([&] {
      while (!stop)
        if (waitpid(-1, nullptr, kinds) < 0) std::this_thread::yield();
    });
    for (int i = 0; i < 10; ++i) {
      Process process = start({"sh", "-c", "exit 5"});
      EXPECT_EQ(wait_for_exit(process), "exited with code 5");
      Process killed = start({"cat"});
    }
    stop = true;
    reaper.join();
  }
  EXPECT_FALSE(has_children());
}

TEST(ProcessSignals, SupervisorIgnoresWhatATerminalSends) {
  Process process = start({"cat"});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1})
    EXPECT_EQ(kill(process.supervisor_id(), signal), 0);
  EXPECT_NE(getsid(process.supervisor_id()), getsid(0));
  EXPECT_EQ(write(process.child_stdin().get(), "still\n", 6), 6);
  EXPECT_EQ(read_line(process.child_stdout().get()), "still");
  process.take_stdin();
  EXPECT_EQ(wait_for_exit(process), "exited with code 0");
}

TEST(ProcessSignals, ChildSharesTheTerminalAsFarAsAsked) {
  Process alone = start({"cat"});
  EXPECT_EQ(getsid(alone.id()), alone.id());
  EXPECT_EQ(getpgid(alone.id()), alone.id());
  Process group = start({"cat"}, {.group = ProcessGroup::own_group});
  EXPECT_EQ(getsid(group.id()), getsid(0));
  EXPECT_EQ(getpgid(group.id()), group.id());
  Process shared = start({"cat"}, {.group = ProcessGroup::shared});
  EXPECT_EQ(getsid(shared.id()), getsid(0));
  EXPECT_EQ(getpgid(shared.id()), getpgid(0));
}

TEST(ProcessLifetime, FailureLeavesNothingBehind) {
  failure({"acp-no-such-command"});
  const int before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    failure({"acp-no-such-command"});
    failure({"cat"}, {.cwd = "/no/such/place"});
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(ProcessLifetime, ManyLeakNothing) {
  start({"cat"});
  const int before = open_descriptors();
  for (int i = 0; i < 200; ++i) {
    Process process = start({"cat"});
    if (i % 4 == 1) process.take_stdin();
    if (i % 4 == 2) wait_for_exit(process = start({"true"}));
    if (i % 4 == 3) process.terminate(milliseconds(i));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(ProcessLifetime, MovesAndEndsWithItsOwner) {
  Process first = start({"cat"});
  const int id = first.id();
  const Watched watched(id);
  Process second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): moved from, it is empty
  EXPECT_EQ(second.id(), id);
  EXPECT_FALSE(watched.has_ended(0));
  second = start({"cat"});
  EXPECT_TRUE(watched.has_ended(0));
  second = Process();
  EXPECT_FALSE(has_children());
}

TEST(ProcessLifetime, SurvivesTheThreadThatStartedIt) {
  Process process;
  std::thread([&] { process = start({"cat"}); }).join();
  EXPECT_EQ(write(process.child_stdin().get(), "still\n", 6), 6);
  EXPECT_EQ(read_line(process.child_stdout().get()), "still");
}

TEST(ProcessLifetime, AForkOfTheHostDoesNotKill) {
  Process process = start({"cat"});
  const pid_t pid = fork();
  if (pid == 0) {
    process = Process();
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(write(process.child_stdin().get(), "still\n", 6), 6);
  EXPECT_EQ(read_line(process.child_stdout().get()), "still");
}

TEST(ProcessLifetime, ManyThreadsStartAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        ProcessOptions options;
        options.argv = {"cat"};
        StartResult process = Process::start(options);
        if (!process || write(process->child_stdin().get(), "x", 1) != 1) continue;
        process->take_stdin();
        good += read_all(process->child_stdout().get()) == "x";
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 40);
}

}  // namespace
}  // namespace acp::io
