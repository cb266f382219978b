// System calls for code that runs between a fork and an exec, or in the supervisor, which never
// execs.
//
// In a fork of a program with threads only the forking thread lives on: any lock may be held for
// ever by one that does not. So that code calls nothing but syscall(): no malloc, no std::string,
// no libc. Unlike libc's functions, syscall() is no cancellation point, runs no atfork handlers,
// and sanitizers do not intercept it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace acp::io::sys {

// All static: code that must not be instrumented does not share them with code that is.

// The kernel's sets of signals and of time, which are not libc's.
struct SignalSet {
  std::uint64_t bits;
};
struct Time {
  long seconds;
  long nanoseconds;
};

inline constexpr SignalSet all_signals{~std::uint64_t{0}};
inline constexpr SignalSet no_signals{0};

static inline long read(int fd, void* to, std::size_t size) {
  return syscall(SYS_read, fd, to, size);
}
static inline long write(int fd, const void* from, std::size_t size) {
  return syscall(SYS_write, fd, from, size);
}
static inline void close(int fd) { syscall(SYS_close, fd); }
static inline int open(int directory, const char* path, int flags) {
  return static_cast<int>(syscall(SYS_openat, directory, path, flags | O_CLOEXEC, 0));
}
static inline int pid() { return static_cast<int>(syscall(SYS_getpid)); }
static inline int parent() { return static_cast<int>(syscall(SYS_getppid)); }
static inline int kill(int pid, int signal) {
  return static_cast<int>(syscall(SYS_kill, pid, signal));
}
static inline int wait(int pid, int* status, int options) {
  return static_cast<int>(syscall(SYS_wait4, pid, status, options, nullptr));
}
[[noreturn]] static inline void exit(int code) {
  for (;;) syscall(SYS_exit_group, code);
}

static inline SignalSet set_signal_mask(SignalSet mask) {
  SignalSet old{0};
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof mask);
  return old;
}

static inline int poll(pollfd* fds, unsigned count, long milliseconds) {
  const Time time{milliseconds / 1000, milliseconds % 1000 * 1000000};
  return static_cast<int>(syscall(SYS_ppoll, fds, count, milliseconds < 0 ? nullptr : &time,
                                  nullptr, sizeof(SignalSet)));
}

// Monotonic.
static inline long long milliseconds() {
  Time time{0, 0};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return time.seconds * 1000LL + time.nanoseconds / 1000000;
}

// A fork that runs no handlers. With exit signal 0 the end of the new process is nobody's news: no
// SIGCHLD, and it is neither reaped by the parent's waitpid(-1) nor lost where SIGCHLD is ignored.
static inline int fork(unsigned long exit_signal) {
  return static_cast<int>(syscall(SYS_clone, exit_signal, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace acp::io::sys
