#include "acp/io/process/testing/programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <set>
#include <thread>

#include "acp/io/process/orphans.h"
#include "acp/io/process/process.h"
#include "acp/io/process/testing/observe.h"

namespace acp::io::testing {
namespace {

// A whole line, even if other threads write.
void say(const std::string& line) {
  const std::string text = line + '\n';
  if (write(1, text.data(), text.size()) < 0) _exit(1);
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

int descriptors(const std::string&) {
  std::set<int> found;
  DIR* const directory = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') found.insert(std::atoi(entry->d_name));
  found.erase(dirfd(directory));
  closedir(directory);
  std::string text;
  for (const int fd : found) text += std::to_string(fd) + ' ';
  say(text);
  return 0;
}

int tree(const std::string&) {
  // From a thread that lives on: the kernel lists its child apart from the main thread's.
  std::thread([] {
    if (fork() == 0) {
      signal(SIGTERM, SIG_IGN);
      say(std::to_string(getpid()));
      wait_for_ever();
    }
    wait_for_ever();
  }).detach();
  const pid_t first = fork();
  if (first == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    say(std::to_string(getpid()));
    wait_for_ever();
  }
  waitpid(first, nullptr, 0);
  say(std::to_string(getpid()));
  wait_for_ever();
}

int bomb(const std::string& argument) {
  const int limit = std::atoi(argument.c_str());
  void* const shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& count = *new (shared) std::atomic<int>(1);
  say("lit");
  // Each forks until all are there, and some die on the way: chains and orphans.
  for (;;) {
    const int mine = count.fetch_add(1);
    if (mine >= limit) {
      if (mine == limit) say("full");
      wait_for_ever();
    }
    const pid_t pid = fork();
    if (pid > 0 && mine % 3 == 0) _exit(0);
    if (pid < 0) wait_for_ever();
  }
}

int terms(const std::string&) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  say("ready");
  for (int signal; sigwait(&set, &signal) == 0;) say("term");
  return 1;
}

int host(const std::string&) {
  Process process = start(program("tree"));
  for (int i = 0; i < 3; ++i) say(read_line(process.child_stdout().get()));
  wait_for_ever();
}

int host_with_fork(const std::string&) {
  Process process = start(program("tree"));
  const pid_t sibling = fork();
  if (sibling == 0) wait_for_ever();
  for (int i = 0; i < 3; ++i) say(read_line(process.child_stdout().get()));
  say(std::to_string(sibling));
  wait_for_ever();
}

int killer(const std::string& how) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t parent = getppid();
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    say(std::to_string(getpid()));
    close(ends[0]);
    close(ends[1]);
    for (int fd = 0; fd < 3; ++fd) close(fd);
    const char* const sleeper[] = {"sleep", "1000", nullptr};
    const char* const nothing[] = {nullptr};
    execve("/bin/sleep", const_cast<char**>(sleeper), const_cast<char**>(nothing));
    _exit(1);
  }
  // Until the daemon has let go of everything.
  close(ends[1]);
  char byte;
  if (read(ends[0], &byte, 1) != 0) return 1;
  // Until the host knows that we run: one that is faster is another test's.
  if (read(0, &byte, 1) != 1) return 1;
  if (how == "group") kill(0, SIGKILL);
  kill(parent, how == "stop" ? SIGSTOP : SIGKILL);
  if (how == "stop") return 0;
  wait_for_ever();
}

int stopper(const std::string&) {
  kill(getppid(), SIGSTOP);
  return 0;
}

int adopting_host(const std::string& how) {
  adopt_orphans();
  Process other = start({"cat"});  // which has nothing to do with it
  Process process = start(program("killer", how));
  const int daemon = std::stoi(read_line(process.child_stdout().get()));
  if (write(process.child_stdin().get(), "!", 1) != 1) return 1;
  if (how == "stop") {
    read_all(process.child_stdout().get());  // until it has done it, and exited
    process.kill();
    if (!wait_for_tree(process)) return 1;
  }
  say(wait_for_exit(process));
  if (how == "group") process = Process();
  say(kill(daemon, 0) != 0 ? "gone" : "alive");
  say(other.poll_exit() ? "another one has gone, too" : "others live");
  return 0;
}

int big_host(const std::string&) {
  constexpr std::size_t size = std::size_t{256} << 20;
  // One block of libc's, and many small ones.
  std::vector<char> block(size / 2, 'x');
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < size / 2 / 4096; ++i) {
    blocks.push_back(std::make_unique<char[]>(4096));
    std::memset(blocks.back().get(), static_cast<int>(i), 4096);
  }
  // The supervisor reports the child's end after it has given back the memory, and stays for the
  // other one.
  Process process = start({"sh", "-c", "sleep 1000 &"});
  if (wait_for_exit(process) != "exited with code 0") return 1;
  std::ifstream file("/proc/" + std::to_string(process.supervisor_id()) + "/statm");
  long total = 0, resident = 0, shared = 0;
  file >> total >> resident >> shared;
  say(std::to_string((resident - shared) * sysconf(_SC_PAGESIZE) >> 20));
  return 0;
}

bool forbid_new_calls() {
  constexpr auto at = static_cast<unsigned>(offsetof(seccomp_data, nr));
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_send_signal, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(rules)), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int old_kernel(const std::string&) {
  if (!forbid_new_calls()) return 1;
  if (open("/dev/null", O_RDONLY) < 0) return 1;  // nothing must inherit it
  Process list = start(program("descriptors"));
  say(read_all(list.child_stdout().get()));
  Descriptor output;
  {
    Process process = start(program("tree"));
    for (int i = 0; i < 3; ++i) read_line(process.child_stdout().get());
    output = process.take_stdout();
  }
  say(at_end(output.get()) ? "gone" : "alive");
  return 0;
}

int no_stdio(const std::string&) {
  const int output = fcntl(1, F_DUPFD_CLOEXEC, 10);
  for (int fd = 0; fd < 3; ++fd) close(fd);
  Process process = start({"cat"});
  std::string text = "not started";
  if (process && write(process.child_stdin().get(), "through\n", 8) == 8) {
    process.take_stdin();
    text = read_all(process.child_stdout().get());
  }
  dup2(output, 1);
  say(text);
  return 0;
}

struct Program {
  const char* name;
  int (*run)(const std::string& argument);
};
constexpr Program programs[] = {
    {"descriptors", descriptors},
    {"tree", tree},
    {"bomb", bomb},
    {"terms", terms},
    {"host", host},
    {"host-with-fork", host_with_fork},
    {"big-host", big_host},
    {"killer", killer},
    {"stopper", stopper},
    {"adopting-host", adopting_host},
    {"old-kernel", old_kernel},
    {"no-stdio", no_stdio},
};

}  // namespace

std::vector<std::string> program(const std::string& name, const std::string& argument) {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return {std::string(path, static_cast<std::size_t>(std::max<ssize_t>(size, 0))), "--program",
          name, argument};
}

int run_program(int argc, char** argv) {
  if (argc != 4 || std::strcmp(argv[1], "--program") != 0) return -1;
  for (const Program& program : programs)
    if (std::strcmp(argv[2], program.name) == 0) return program.run(argv[3]);
  return 1;
}

}  // namespace acp::io::testing

// Instead of GoogleTest's own.
int main(int argc, char** argv) {
  const int result = acp::io::testing::run_program(argc, argv);
  if (result >= 0) _exit(result);  // a search for leaks would take longer than the test
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
