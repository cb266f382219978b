// The last steps before the child is a program of its own.
#pragma once

#include "acp/io/process/supervisor_linux.h"

#pragma GCC visibility push(hidden)  // see process_tree_linux.h
namespace acp::io {

// In the supervisor. Returns when the command runs, or has failed to: `started` or `failed`.
SupervisorReport start_child(const SupervisorPlan& plan);

}  // namespace acp::io
#pragma GCC visibility pop
