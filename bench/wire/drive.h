// The driver's two parts: a client that drives agents, an agent that drives clients. Each call is
// one process from its start to its end, and gives what was measured by the names in report.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace bench::wire {

struct Contestant {
  std::string name;  // its column: acp, npm, floor, batched; acp2, npm2
  std::vector<std::string> command;
  int version = 1;  // of the protocol
};

// How much of everything.
struct Amounts {
  int updates = 100'000;
  int diffs = 60;
  int reads = 60;
  int round_trips = 5'000;
  int warm_up = 10'000;  // what npm needs until it is compiled
  int batches = 400;     // of 64 requests
  int sessions = 1'000;
  int requests = 20'000;
};

using Samples = std::map<std::string, double>;

// Agents: start, roundtrip, inflight, stream, flush, diff, read. Clients: receive, receive-diff,
// requests, pipe. Version 2 has no files to read: no samples. Throws Failure.
const std::vector<std::string>& agent_steps();
const std::vector<std::string>& client_steps();
Samples drive_agent(const Contestant& agent, const std::string& step, const Amounts& amounts);
Samples drive_client(const Contestant& client, const std::string& step, const Amounts& amounts);

}  // namespace bench::wire
