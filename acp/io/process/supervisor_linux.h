// The process between host and child: starts the child, reports its end, and kills the tree on
// request or when the host is gone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acp/io/process/process.h"
#include "acp/io/process/process_tree_linux.h"

#pragma GCC visibility push(hidden)  // see process_tree_linux.h
namespace acp::io {

// All that supervisor and child need, made before the fork: after it nothing can be allocated.
struct SupervisorPlan {
  // Tried in turn, as execvp does; ends with null.
  const char* const* candidates;
  // Ends with null. A free place stands before argv[0]: a script without a first line `#!` is given
  // to the shell, as execvp does.
  const char** argv;
  const char* const* environment;
  const char* cwd;  // null for the host's
  ProcessGroup group;
  int child_stdin, child_stdout, child_stderr;  // the child's ends
  int control;                                  // a SOCK_SEQPACKET socket to the host
  int host;
  ProcessTree::Entry* table;
  std::size_t table_size;
  char* arguments;  // where the host's command line stands, for /proc
  std::size_t arguments_size;
  bool release_memory;
};

// From supervisor to host, a packet each. First `started` or `failed`, then `exited`, then `ended`.
struct SupervisorReport {
  enum Kind : std::int32_t { started, failed, exited, ended };
  enum Step : std::int32_t { spawn, cwd, exec };

  std::int32_t kind;
  std::int32_t
      value;  // started: the child's id; failed: errno; exited: the status that wait() gives
  std::int32_t step;       // failed
  std::int32_t candidate;  // failed in exec: which one
};

// From host to supervisor: terminate, then kill after so many milliseconds. When no more can come,
// because the host shut the socket down, closed it or died, the supervisor kills at once.
struct SupervisorRequest {
  std::int32_t grace;
};

// The supervisor's process id, or -errno. All of the host's signals are blocked meanwhile.
int start_supervisor(const SupervisorPlan& plan);

}  // namespace acp::io
#pragma GCC visibility pop
