// What becomes of everything that a child has started.
#include "acp/io/process/process_tree_linux.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <set>

#include "acp/io/process/host_memory_linux.h"
#include "acp/io/process/process.h"
#include "acp/io/process/testing/observe.h"
#include "acp/io/process/testing/programs.h"

extern char** environ;

namespace acp::io {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using std::chrono::milliseconds;

// The processes whose ids stand in the next three lines.
std::vector<Watched> three(int fd) {
  std::vector<Watched> processes;
  for (int i = 0; i < 3; ++i) {
    const std::string line = read_line(fd);
    EXPECT_FALSE(line.empty());
    if (!line.empty()) processes.emplace_back(std::stoi(line));
  }
  return processes;
}

int alive(const std::vector<Watched>& processes, int patience = 0) {
  int count = 0;
  for (const Watched& process : processes) count += process.has_ended(patience) ? 0 : 1;
  return count;
}

constexpr milliseconds long_grace{1000 * patience};

TEST(ProcessTree, IsGoneAfterDestruction) {
  for (const ProcessGroup group :
       {ProcessGroup::own_session, ProcessGroup::own_group, ProcessGroup::shared}) {
    Process process = start(program("tree"), {.group = group});
    const std::vector<Watched> tree = three(process.child_stdout().get());
    const Descriptor output = process.take_stdout();
    EXPECT_EQ(alive(tree), 3);
    process = Process();
    EXPECT_EQ(alive(tree), 0);
    EXPECT_TRUE(at_end(output.get()));
  }
}

TEST(ProcessTree, IsGoneAfterKill) {
  Process process = start(program("tree"));
  const std::vector<Watched> tree = three(process.child_stdout().get());
  process.kill();
  EXPECT_TRUE(wait_for_tree(process));
  EXPECT_EQ(alive(tree), 0);
  EXPECT_EQ(wait_for_exit(process), "killed by SIGKILL");
}

TEST(ProcessTree, IsGoneAfterTerminate) {
  for (const ProcessGroup group :
       {ProcessGroup::own_session, ProcessGroup::own_group, ProcessGroup::shared}) {
    Process process = start(program("tree"), {.group = group});
    const std::vector<Watched> tree = three(process.child_stdout().get());
    process.terminate(milliseconds(300));
    EXPECT_EQ(wait_for_exit(process), "killed by SIGTERM");
    EXPECT_TRUE(wait_for_tree(process));
    EXPECT_EQ(alive(tree), 0);
  }
}

TEST(ProcessTree, IsGoneWhenTheHostIsKilled) {
  for (const char* const host : {"host", "host-with-fork"}) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const Descriptor output(ends[0]);
    Descriptor input(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input.get(), 1);
    std::vector<std::string> words = program(host);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    ASSERT_EQ(posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    input.reset();

    const std::vector<Watched> tree = three(output.get());
    // The host's own fork has its socket to the supervisor, which therefore never closes.
    const std::string fork = host == std::string("host") ? "" : read_line(output.get());
    EXPECT_EQ(alive(tree), 3);
    kill(pid, SIGKILL);
    EXPECT_EQ(alive(tree, patience), 0) << host;
    waitpid(pid, nullptr, 0);
    if (!fork.empty()) kill(std::stoi(fork), SIGKILL);
  }
}

TEST(ProcessTree, ChildIsGoneWhenTheSupervisorIsKilled) {
  Process process = start({"cat"});
  const Watched child(process.id());
  EXPECT_FALSE(child.has_ended(0));
  kill(process.supervisor_id(), SIGKILL);
  EXPECT_TRUE(child.has_ended(patience));
  EXPECT_EQ(wait_for_exit(process), "ended in an unknown way: its supervisor was killed");
  EXPECT_TRUE(process.tree_ended());
  process.terminate(milliseconds(1));
  process.kill();
}

TEST(ProcessTree, DaemonsAreGoneWhenTheirCommandKillsItsSupervisor) {
  const auto told = [](const char* how) { return output(program("adopting-host", how)); };
  EXPECT_EQ(told("supervisor"),
            "ended in an unknown way: its supervisor was killed\ngone\nothers live\n");
  EXPECT_EQ(told("group"), "killed by SIGKILL\ngone\nothers live\n");
}

TEST(ProcessTree, IsGoneWhenTheSupervisorIsStopped) {
  EXPECT_EQ(output(program("adopting-host", "stop")), "exited with code 0\ngone\nothers live\n");
}

// It may be faster than the supervisor's first report.
TEST(ProcessTree, StartsThoughTheSupervisorIsStoppedAtOnce) {
  for (int i = 0; i < 20; ++i) {
    Process process = start(program("stopper"));
    read_all(process.child_stdout().get());  // until it has done it, and exited
    process.kill();
    EXPECT_TRUE(wait_for_tree(process));
    EXPECT_EQ(wait_for_exit(process), "exited with code 0");
  }
}

// What kills all that is called as the host is called leaves it alive.
TEST(Supervisor, HasANameOfItsOwn) {
  // Its last report comes after it has taken the name, and it stays for the other process.
  Process process = start({"sh", "-c", "sleep 1000 &"});
  EXPECT_EQ(wait_for_exit(process), "exited with code 0");
  const std::string place = "/proc/" + std::to_string(process.supervisor_id());
  for (const char* const file : {"/comm", "/cmdline"}) {
    std::string text;
    std::getline(std::ifstream(place + file), text);
    EXPECT_EQ(text.substr(0, text.find('\0')), "tree-supervisor") << file;
    EXPECT_EQ(text.find("test"), text.npos) << "the host's name: " << text;
  }
}

TEST(ProcessTree, TreesOfTreesAreGone) {
  Process process = start(program("host"));
  const std::vector<Watched> tree = three(process.child_stdout().get());
  process = Process();
  EXPECT_EQ(alive(tree), 0);
}

// Every process of the bomb has the pipe: its end shows that the last one has gone.
TEST(ProcessTree, ForkBombsAreGone) {
  for (const bool wait : {true, false}) {
    Process process = start(program("bomb", "400"));
    const Descriptor output = process.take_stdout();
    EXPECT_EQ(read_line(output.get()), "lit");
    if (wait) {
      EXPECT_EQ(read_line(output.get()), "full");
    }
    process = Process();
    read_all(output.get());
    EXPECT_TRUE(at_end(output.get()));
  }
}

TEST(ProcessTerminate, LeavesTimeToEndInOrder) {
  Process process =
      start({"sh", "-c", "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.1; done"});
  EXPECT_EQ(read_line(process.child_stdout().get()), "ready");
  process.terminate(long_grace);
  EXPECT_EQ(read_line(process.child_stdout().get()), "bye");
  EXPECT_EQ(wait_for_exit(process), "exited with code 7");
}

TEST(ProcessTerminate, WakesAStoppedProcess) {
  Process process = start({"cat"});
  kill(process.id(), SIGSTOP);
  process.terminate(long_grace);
  EXPECT_EQ(wait_for_exit(process), "killed by SIGTERM");
}

TEST(ProcessTerminate, ReachesProcessesThatLeftTheGroup) {
  Process process = start({"sh", "-c", "setsid sh -c 'echo $$; exec sleep 1000' & wait"});
  const Watched sleeper(std::stoi(read_line(process.child_stdout().get())));
  process.terminate(long_grace);
  EXPECT_TRUE(sleeper.has_ended(patience));
  EXPECT_TRUE(wait_for_tree(process));
}

TEST(ProcessTerminate, AsksOnceAndThenOnlyShortensTheGrace) {
  for (const ProcessGroup group : {ProcessGroup::own_session, ProcessGroup::shared}) {
    Process process = start(program("terms"), {.group = group});
    const Descriptor output = process.take_stdout();
    EXPECT_EQ(read_line(output.get()), "ready");
    process.terminate(long_grace);
    EXPECT_EQ(read_line(output.get()), "term");
    process.terminate(milliseconds(200));
    process.terminate(long_grace);
    EXPECT_EQ(read_all(output.get()), "");
    EXPECT_EQ(wait_for_exit(process), "killed by SIGKILL");
  }
}

TEST(ProcessTerminate, KillEndsTheGrace) {
  Process process = start(program("terms"));
  EXPECT_EQ(read_line(process.child_stdout().get()), "ready");
  process.terminate(long_grace);
  process.kill();
  EXPECT_EQ(wait_for_exit(process), "killed by SIGKILL");
}

TEST(ProcessTree, BothSourcesTellTheSame) {
  Process process = start(program("tree"));
  three(process.child_stdout().get());
  constexpr std::size_t capacity = 64;
  const auto table = std::make_unique<ProcessTree::Entry[]>(capacity);
  std::set<int> found[2];
  for (const auto source :
       {ProcessTree::Source::children_files, ProcessTree::Source::all_processes}) {
    ProcessTree tree(process.supervisor_id(), table.get(), capacity, source);
    ASSERT_TRUE(tree.ok());
    std::size_t visited = 0;
    tree.list([&](const ProcessTree::Entry&) { ++visited; });
    EXPECT_EQ(visited, tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i)
      found[static_cast<int>(source)].insert(tree[i].pid);
  }
  EXPECT_EQ(found[0].size(), 3u);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_TRUE(found[0].contains(process.id()));
}

// A process whose number has passed to another one since it was listed.
TEST(ProcessTree, LeavesStrangersAlone) {
  Process process = start({"sh", "-c", "sleep 1000 & echo ready; wait"});
  read_line(process.child_stdout().get());
  ProcessTree::Entry table[4];
  ProcessTree tree(process.supervisor_id(), table, 4);
  tree.list([](ProcessTree::Entry&) {});
  ASSERT_EQ(tree.size(), 2u);
  EXPECT_TRUE(tree.send(tree[0], 0));
  ProcessTree::Entry stranger = tree[0];
  ++stranger.start;
  EXPECT_FALSE(tree.send(stranger, SIGKILL));
  // Nor are its children ours.
  tree.list([](ProcessTree::Entry& entry) { ++entry.start; });
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_FALSE(process.poll_exit());
}

TEST(ProcessTree, ATableTooSmallOnlyTakesLonger) {
  Process process = start({"sh", "-c", "sleep 1000 & sleep 1000 & sleep 1000 & echo ready; wait"});
  read_line(process.child_stdout().get());
  ProcessTree::Entry table[2];
  ProcessTree tree(process.supervisor_id(), table, 2);
  tree.list([](ProcessTree::Entry&) {});
  EXPECT_EQ(tree.size(), 2u);
}

TEST(Supervisor, LetsGoOfTheHostsMemory) {
  Process process = start(program("big-host"));
  const std::string megabytes = read_line(process.child_stdout().get());
  ASSERT_FALSE(megabytes.empty());
  if (can_release_host_memory) {
    EXPECT_LT(std::stoi(megabytes), 16);
  }
}

}  // namespace
}  // namespace acp::io
