// The last steps before the child is a program of its own.
#pragma once

#include "acp/io/supervisor_posix.h"

#pragma GCC visibility push(hidden)  // see process_tree_posix.h
namespace acp::io {

// In the supervisor. Returns when the command runs, or has failed to: `started` or `failed`.
SupervisorReport start_child(const SupervisorPlan& plan);

}  // namespace acp::io
#pragma GCC visibility pop
