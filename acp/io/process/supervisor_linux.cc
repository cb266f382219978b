// Everything here but start_supervisor() runs in a fork of the host: see syscalls_linux.h for what
// it may call. The stack is a host thread's, which may be small.
#include "acp/io/process/supervisor_linux.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "acp/io/process/child_linux.h"
#include "acp/io/process/host_memory_linux.h"
#include "acp/io/process/proc_linux.h"

namespace acp::io {
namespace {

void default_signals() {
  // The kernel's struct sigaction in any layout: SIG_DFL, no flags, no mask.
  const std::uint64_t zeros[8] = {};
  for (int signal = 1; signal <= 64; ++signal)
    syscall(SYS_rt_sigaction, signal, zeros, nullptr, sizeof(sys::SignalSet));
}

// A pipe of the host's that stayed open here would never show end-of-file. The descriptors are
// sorted.
template <int count>
void close_all_but(const int (&kept)[count]) {
  const auto is_kept = [&](int fd) {
    for (const int other : kept)
      if (fd == other) return true;
    return false;
  };
  int next = 0;
  bool closed = true;
  for (const int fd : kept) {
    if (next < fd) closed = syscall(SYS_close_range, next, fd - 1, 0) == 0 && closed;
    next = fd + 1;
  }
  closed = syscall(SYS_close_range, next, ~0u, 0) == 0 && closed;
  if (closed) return;
  // Before Linux 5.9.
  closed = each_number(AT_FDCWD, "/proc/self/fd", [&](int fd, int directory) {
    if (fd != directory && !is_kept(fd)) sys::close(fd);
  });
  if (closed) return;
  std::uint64_t limit[2] = {1024, 1024};  // struct rlimit64
  syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, limit);
  for (int fd = 0; fd < 1048576 && static_cast<std::uint64_t>(fd) < limit[1]; ++fd)
    if (!is_kept(fd)) sys::close(fd);
}

template <int count>
void sort(int (&numbers)[count]) {
  for (int i = 1; i < count; ++i)
    for (int j = i; j > 0 && numbers[j - 1] > numbers[j]; --j) {
      const int larger = numbers[j - 1];
      numbers[j - 1] = numbers[j];
      numbers[j] = larger;
    }
}

// A command that kills all that is called acp, by name or by command line (`pkill -f acp`), leaves
// us alive to kill what it has started: nothing in our name is the host's.
constexpr char supervisor_name[] = "tree-supervisor";

// In place of the host's command line, in our copy of its memory.
void show_name(const SupervisorPlan& plan) {
  volatile char* const text = plan.arguments;
  for (std::size_t i = 0; i < plan.arguments_size; ++i)
    text[i] =
        i + 1 < sizeof supervisor_name && i + 1 < plan.arguments_size ? supervisor_name[i] : '\0';
}

class Supervisor {
 public:
  explicit Supervisor(const SupervisorPlan& plan)
      : control_(plan.control),
        own_group_(plan.group != ProcessGroup::shared),
        tree_(sys::pid(), plan.table, plan.table_size) {}

  [[noreturn]] void run(const SupervisorPlan& plan) {
    const SupervisorReport report = start_child(plan);
    child_ = report.value;
    const int done[] = {plan.child_stdin, plan.child_stdout, plan.child_stderr};
    for (const int fd : done) sys::close(fd);
    // Away from the host's terminal, process group and directory: what is done to them is not meant
    // for us.
    syscall(SYS_setsid);
    syscall(SYS_chdir, "/");
    watch_host(plan.host);
    const sys::SignalSet child_signal{std::uint64_t{1} << (SIGCHLD - 1)};
    child_ended_ = static_cast<int>(
        syscall(SYS_signalfd4, -1, &child_signal, sizeof child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
    send(report);
    show_name(plan);
    if (report.kind == SupervisorReport::failed) sys::exit(1);
    if (plan.release_memory) release_host_memory();  // plan's pointers lead nowhere now
    for (;;) {
      reap();
      if (host_gone_) kill_tree();
      long wait = -1;
      if (terminating_) {
        const long long left = deadline_ - sys::milliseconds();
        if (left <= 0) kill_tree();
        wait = static_cast<long>(left);
      }
      wait_for_news(wait);
    }
  }

 private:
  // Nobody reads it where the host is gone.
  void send(const SupervisorReport& report) const { sys::write(control_, &report, sizeof report); }

  // The socket alone would not tell: a fork of the host that has not exec'ed holds it open, too.
  void watch_host(int host) {
    host_ = static_cast<int>(syscall(SYS_pidfd_open, host, 0));
    const int parent = sys::parent();
    // 0: the host is in another namespace, and its number means nothing here.
    if (parent == 0 && host_ >= 0) {
      sys::close(host_);
      host_ = -1;
    }
    if (parent != 0 && parent != host) host_gone_ = true;
  }

  // Until the host asks for something or is gone, or a child has ended; -1 for no limit in
  // milliseconds.
  void wait_for_news(long limit) {
    pollfd fds[] = {{control_, POLLIN, 0}, {host_, POLLIN, 0}, {child_ended_, POLLIN, 0}};
    if (sys::poll(fds, 3, limit) <= 0) return;
    if (fds[0].revents != 0) {
      SupervisorRequest request{};
      if (sys::read(control_, &request, sizeof request) == static_cast<long>(sizeof request))
        terminate_tree(request.grace);
      else
        host_gone_ = true;
    }
    if (fds[1].revents != 0) host_gone_ = true;
    drain_child_signal();
  }

  void drain_child_signal() const {
    signalfd_siginfo info;
    while (sys::read(child_ended_, &info, sizeof info) > 0) {
    }
  }

  // As the adopter of all orphans we have children for as long as the tree has a process.
  void reap() {
    for (;;) {
      int status = 0;
      const int pid = sys::wait(-1, &status, WNOHANG | __WALL);
      if (pid == 0) return;
      if (pid < 0) {
        send({SupervisorReport::ended, 0, 0, 0});
        sys::exit(0);
      }
      if (pid == child_) {
        child_ = 0;
        send({SupervisorReport::exited, status, 0, 0});
      }
    }
  }

  void terminate_tree(std::int32_t grace) {
    const long long deadline = sys::milliseconds() + grace;
    if (!terminating_ || deadline < deadline_) deadline_ = deadline;
    if (terminating_) return;  // a second SIGTERM means haste to some programs
    terminating_ = true;
    // Listed before the first signal: when a parent dies, its children move.
    tree_.list([](const ProcessTree::Entry&) {});
    // The child's group at a stroke, which misses nothing that is just being forked; then all that
    // have left it. The group's number is safe to use while the child is not reaped. SIGCONT, since
    // a stopped process would not hear of it.
    const int group = own_group_ ? child_ : 0;
    const int signals[] = {SIGTERM, SIGCONT};
    for (const int signal : signals) {
      if (group > 0)
        sys::kill(-group, signal);
      else if (!tree_.ok() && child_ > 0)
        sys::kill(child_, signal);
      for (std::size_t i = 0; i < tree_.size(); ++i)
        if (group == 0 || tree_[i].group != group) tree_.send(tree_[i], signal);
    }
  }

  // Again and again until reap() finds that none is left, and exits. Where one cannot be killed (it
  // runs as another user, or hangs in the kernel) waits longer each time.
  [[noreturn]] void kill_tree() {
    for (long pause = 10;; pause = pause < 500 ? 2 * pause : 1000) {
      reap();
      freeze_tree();
      // Children first: a parent's death would wake stopped process groups.
      for (std::size_t i = tree_.size(); i-- > 0;) tree_.send(tree_[i], SIGKILL);
      if (!tree_.ok() && child_ > 0) sys::kill(own_group_ ? -child_ : child_, SIGKILL);

      const long long end = sys::milliseconds() + pause;
      for (long long left = pause; left > 0; left = end - sys::milliseconds()) {
        reap();
        pollfd news{child_ended_, POLLIN, 0};
        if (sys::poll(&news, 1, static_cast<long>(left)) > 0) drain_child_signal();
      }
    }
  }

  // A process that forks faster than we list would stay ahead for ever. A stopped one does not
  // fork, and keeps its place in the table of processes, for which the others then fight.
  void freeze_tree() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      bool moving = false;
      tree_.list([&](const ProcessTree::Entry& entry) {
        const char state = entry.state;
        if (state == 'T' || state == 't' || state == 'Z' || state == 'X') return;
        if (tree_.send(entry, SIGSTOP)) moving = true;
      });
      if (!moving) return;
      if (attempt > 2) sys::poll(nullptr, 0, 1);
    }
  }

  int control_;
  int host_ = -1;         // a pidfd
  int child_ended_ = -1;  // a signalfd
  int child_ = 0;         // 0 once it is reaped
  bool own_group_;
  bool host_gone_ = false;
  bool terminating_ = false;
  long long deadline_ = 0;
  ProcessTree tree_;
};

[[noreturn]] void supervise(const SupervisorPlan& plan) {
  syscall(SYS_prctl, PR_SET_NAME, supervisor_name, 0, 0, 0);
  // All signals stay blocked here, so that only SIGKILL and SIGSTOP count. A host that ignores
  // SIGCHLD must not make us miss the child's end.
  default_signals();
  syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int kept[] = {plan.child_stdin, plan.child_stdout, plan.child_stderr, plan.control};
  sort(kept);
  close_all_but(kept);
  Supervisor(plan).run(plan);
}

}  // namespace

int start_supervisor(const SupervisorPlan& plan) {
  // No handler of the host's may run in the fork.
  const sys::SignalSet mask = sys::set_signal_mask(sys::all_signals);
  const int pid = sys::fork(0);
  if (pid == 0) supervise(plan);
  const int error = errno;
  sys::set_signal_mask(mask);
  return pid < 0 ? -error : pid;
}

}  // namespace acp::io
