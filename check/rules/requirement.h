// The requirements of agents and clients, by number.
#pragma once

#include <span>
#include <string_view>

#include "acp/schema/registry.h"

namespace acp::check {

enum class Level { must, should, may };

// One sentence that can be tested.
struct Requirement {
  // "A-TURN-3", "C-PERM-1": the side, the area, a number; never given twice. "A2-TURN-3" is of
  // version 2.
  std::string_view id;
  Side side;            // of whom it is required: agent or client
  Level level;
  std::string_view sentence;
  std::string_view page;  // where the specification says so
};

std::string_view to_string(Level level);

// Whether it is one of this version of the protocol: those of the envelope are of both.
bool holds_for(const Requirement& requirement, int protocol);

// All requirements, in the order of reports.
std::span<const Requirement> requirements();
// The requirement with this id; null if there is none.
const Requirement* find_requirement(std::string_view id);

}  // namespace acp::check
