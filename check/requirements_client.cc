#include "check/requirement_lists.h"

namespace acp::check {

std::span<const Requirement> client_requirements() { return {}; }

}  // namespace acp::check
