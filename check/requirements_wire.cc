#include "check/requirement_lists.h"

namespace acp::check {

std::span<const Requirement> wire_requirements() { return {}; }

}  // namespace acp::check
