// Processes that are left when a command kills its own supervisor.
#pragma once

#include <functional>

namespace acp::io {

// For a program whose children are known (they are Processes, or were started by start_known()),
// before the first of them is started: if a supervisor is killed, what was in its tree becomes
// ours, and is killed. Otherwise such processes live on: only their supervisor knew them.
void adopt_orphans();

// Calls `start`, which gives the id of a new child, or an error below 0; in a child itself, 0. It
// is not taken for an orphan until it is forgotten: when it has been reaped.
int start_known(const std::function<int()>& start);
void forget_known(int child);

}  // namespace acp::io
