// Runs in a fork of the host: see syscalls_linux.h for what it may call. Compiled without
// sanitizers: up to its exec the child shares the supervisor's memory, and would leave its marks on
// it.
#include "acp/io/process/child_linux.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "acp/io/process/syscalls_linux.h"

#ifdef __GLIBC__
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);
#endif

namespace acp::io {
namespace {

#ifdef __GLIBC__
// By the name that the thread sanitizer does not intercept.
constexpr auto clone_child = __clone;
#else
constexpr auto clone_child = clone;
#endif

// What the child is given, and what it tells.
struct ChildStart {
  const SupervisorPlan& plan;
  int supervisor;
  SupervisorReport report;
};

[[noreturn]] void fail(ChildStart& start, std::int32_t step, std::int32_t candidate = 0) {
  start.report = {SupervisorReport::failed, errno, step, candidate};
  sys::exit(127);
}

// The order and the errors that end the search are those of execvp.
[[noreturn]] void exec(ChildStart& start) {
  const SupervisorPlan& plan = start.plan;
  int denied = -1;
  for (int i = 0; plan.candidates[i] != nullptr; ++i) {
    const char* const path = plan.candidates[i];
    syscall(SYS_execve, path, plan.argv, plan.environment);
    if (errno == ENOEXEC) {
      const char** const with_shell = plan.argv - 1;
      with_shell[0] = "/bin/sh";
      with_shell[1] = path;
      syscall(SYS_execve, with_shell[0], with_shell, plan.environment);
      errno = ENOEXEC;
    }
    switch (errno) {
      case EACCES:
        if (denied < 0) denied = i;
        break;
      case ENOENT:
      case ENOTDIR:
      case ESTALE:
      case ENODEV:
      case ETIMEDOUT:
        break;
      default:
        fail(start, SupervisorReport::exec, i);
    }
  }
  errno = denied < 0 ? ENOENT : EACCES;
  fail(start, SupervisorReport::exec, denied < 0 ? 0 : denied);
}

int run_child(void* argument) {
  ChildStart& start = *static_cast<ChildStart*>(argument);
  const SupervisorPlan& plan = start.plan;
  // Should the supervisor be killed, at least the child goes with it.
  syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (sys::parent() != start.supervisor) sys::exit(127);

  if (plan.group == ProcessGroup::own_session) syscall(SYS_setsid);
  if (plan.group == ProcessGroup::own_group) syscall(SYS_setpgid, 0, 0);

  // All of them beyond 2 first: a host without standard descriptors has its pipes there.
  int ends[] = {plan.child_stdin, plan.child_stdout, plan.child_stderr};
  for (int& fd : ends)
    if (fd < 3) fd = static_cast<int>(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3));
  for (int i = 0; i < 3; ++i)
    if (syscall(SYS_dup3, ends[i], i, 0) < 0) fail(start, SupervisorReport::spawn);

  if (plan.cwd != nullptr && syscall(SYS_chdir, plan.cwd) != 0) fail(start, SupervisorReport::cwd);
  sys::set_signal_mask(sys::no_signals);
  exec(start);
}

}  // namespace

// As vfork does it: a second copy of the host's page tables would cost as much as the first, and we
// go on only when the exec has succeeded or failed.
SupervisorReport start_child(const SupervisorPlan& plan) {
  alignas(16) char stack[8192];
  ChildStart start{plan, sys::pid(), {SupervisorReport::started, 0, 0, 0}};
  const int child =
      clone_child(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (child < 0) return {SupervisorReport::failed, errno, SupervisorReport::spawn, 0};
  if (start.report.kind == SupervisorReport::failed)
    sys::wait(child, nullptr, __WALL);
  else
    start.report.value = child;
  return start.report;
}

}  // namespace acp::io
