// What a check of version 2 consists of.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "check/agent/scenarios.h"

namespace acp::check::version2 {

std::span<const Scenario> scenarios();
std::span<const Precondition> preconditions();
// Rules that a scenario tries, too: it knows whether there was an occasion.
std::span<const std::string_view> tried_by_scenarios();

}  // namespace acp::check::version2
