#pragma once

#include "acp/io/process/orphans.h"

namespace acp::io {

// For a supervisor that has ended and is not reaped. If it was killed, kills what it has left to
// us, where adopt_orphans() was called. Returns when none is left, or after ten seconds.
void kill_orphans_of(int supervisor);

}  // namespace acp::io
