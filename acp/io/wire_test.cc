#include "acp/io/wire.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace acp::io {
namespace {

using Kind = Wire::Outcome::Kind;

struct Pipe {
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  Descriptor read, write;
};

// From now on this process is told that there is no pwritev2 with these flags, as before
// Linux 6.18.
bool forbid_quiet_writes() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{4, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// 0 if a write to nobody fails and nothing else happens; else the number of what is wrong.
int write_to_nobody() {
  signal(SIGPIPE, SIG_DFL);
  Pipe reading, writing;
  Wire wire({std::move(reading.read), std::move(writing.write)});
  char byte = 0;
  if (wire.write("x").kind != Kind::done || read(writing.read.get(), &byte, 1) != 1 || byte != 'x')
    return 1;
  writing.read.reset();
  for (int i = 0; i < 2; ++i) {
    const Wire::Outcome outcome = wire.write("x");
    if (outcome.kind != Kind::failed || outcome.code != EPIPE) return 2;
  }
  sigset_t pending, blocked;
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&pending, SIGPIPE) != 0 || sigismember(&blocked, SIGPIPE) != 0 ? 3 : 0;
}

// In a process of its own: what is wrong would kill it.
int status_of(int (*body)()) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Wire, RaisesNoSigpipe) { EXPECT_EQ(status_of(write_to_nobody), 0); }

TEST(Wire, RaisesNoSigpipeOnOlderSystems) {
  EXPECT_EQ(status_of([] { return forbid_quiet_writes() ? write_to_nobody() : 4; }), 0);
}

}  // namespace
}  // namespace acp::io
