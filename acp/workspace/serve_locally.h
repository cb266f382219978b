// An agent that does on its own machine what its client does not do. A client of version 2 of the
// protocol has neither files nor terminals for its agent; with one line the same handlers work
// there, too:
//
//   acp::Agent agent("worker", "1.0");
//   agent.versions({1, 2}).on_prompt(work);   // turn.read_file(), turn.run_command() …
//   acp::workspace::serve_locally(agent);
#pragma once

#include "acp/agent.h"
#include "acp/workspace/offer.h"

namespace acp::workspace {

// Where a client speaks version 2, its agent's read_file(), write_file(), create_terminal() and
// run_command() work on this machine: inside the session's directories and nowhere else, also not
// through links. The client is shown each command as a terminal, and may cancel it. What runs ends
// with its session, its connection and this program. Where a client speaks version 1, it does all
// of this itself, as without this call.
//
// `client_capabilities()` of a version 2 client then has files and terminals, so that a handler
// need not know who does the work.
void serve_locally(Agent& agent, OfferOptions options = {});

}  // namespace acp::workspace
