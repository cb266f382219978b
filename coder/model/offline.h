// The model that needs no network: it understands a few plain requests, and carries them out with
// the same tools as any other. Deterministic: for trying the agent, and for testing clients.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coder/model/model.h"

namespace acp::coder {

// Its help text, with all that it understands.
std::string offline_help();

std::unique_ptr<Model> offline_model();

// ---- the parts, for tests

// One thing that a request asks for: a tool's call, or something to say.
struct OfflineStep {
  std::string tool = {};  // empty: no tool
  Json arguments = {};
  std::string text = {};    // to be said
  double wait_seconds = 0;  // before going on
  bool only_reads = false;  // goes together with its neighbours
};
// "list; show README.md; run make"
std::vector<OfflineStep> offline_steps(const std::string& request);

}  // namespace acp::coder
