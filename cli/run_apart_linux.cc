#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "acp/io/process/orphans.h"
#include "cli/run_apart.h"

namespace acp::cli {

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// Waits for what the process has left to us: it is killed already. Not long: children that somebody
// gave us are there, too.
void reap_orphans(const sigset_t& signals) {
  const std::time_t end = std::time(nullptr) + 2;
  while (std::time(nullptr) <= end) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return;
    const timespec pause{0, 20'000'000};
    if (ended == 0) sigtimedwait(&signals, nullptr, &pause);
  }
}

// The exit code, when the process has ended.
int wait_for(pid_t process, const sigset_t& signals) {
  int by = 0;
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) {
      if (by != 0) return 128 + by;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    if (ended < 0 && errno != EINTR) return 1;
    const int signal = sigwaitinfo(&signals, nullptr);
    if (signal <= 0 || signal == SIGCHLD) continue;
    if (by == 0) by = signal;
    kill(process, SIGKILL);
  }
}

}  // namespace

int run_apart(const std::function<int(const std::string& directory)>& body,
              const std::function<void()>& left) {
  std::string directory =
      std::filesystem::canonical(std::filesystem::temp_directory_path()) / "acp-check-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) fail("mkdtemp");
  // As any new one: what is checked may run as another user.
  const mode_t mask = umask(0);
  umask(mask);
  chmod(directory.c_str(), 0777 & ~mask);
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) sigaddset(&signals, signal);
  // The process never takes these: they are for us, also those of the terminal.
  sigprocmask(SIG_BLOCK, &signals, &before);
  sigaddset(&signals, SIGCHLD);
  const pid_t own = getpid(), process = fork();
  if (process < 0) fail("fork");
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != own) _exit(1);
    io::adopt_orphans();
    return body(directory);
  }
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  const int code = wait_for(process, signals);
  reap_orphans(signals);
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  if (left) left();
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return code;
}

}  // namespace acp::cli
