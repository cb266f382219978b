#include "check/requirement_lists.h"

namespace acp::check {

std::span<const Requirement> agent_requirements() { return {}; }

}  // namespace acp::check
