// The scenarios of version 2 by topic, each topic in a file of its own.
#pragma once

#include <vector>

#include "check/client/scenario_parts.h"

namespace acp::check::version2 {

std::vector<ScenarioCase> start_scenarios();
std::vector<ScenarioCase> turn_scenarios();
std::vector<ScenarioCase> update_scenarios();
std::vector<ScenarioCase> question_scenarios();

}  // namespace acp::check::version2
