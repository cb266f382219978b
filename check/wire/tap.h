// A relay between a client and an agent that checks and records their messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"
#include "check/wire/fault.h"
#include "check/wire/recording_mask.h"

namespace acp::check {

struct TapOptions {
  std::vector<std::string> command;  // the agent
  // A file, for its owner alone; empty for none. {n} is the first number from 1 that is free.
  std::string log;
  bool replace_log = false;  // though something stands in it
  std::vector<FaultSpec> faults;
  std::uint64_t seed = 0;
  rpc::Framing framing = rpc::Framing::automatic;
  bool mask = true;
  MaskKnown mask_known = {};  // where there is a mask
  bool quiet = false;         // violations and faults only in the log
  std::string program;        // for the recording's header
};

// Relays between our standard input and output and a new process of the command, until that ends.
// Without faults the bytes pass unchanged; they are written before they are checked. Signals are
// passed on. If the checking thread is 64 MiB late, reading waits for it.
//
// Returns the agent's exit code; 128 and the signal that killed it; 127 if it cannot be started; 2,
// before it is started, if the log cannot be written.
int tap(const TapOptions& options);

}  // namespace acp::check
