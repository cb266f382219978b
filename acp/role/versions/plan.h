// Plans in both versions. Version 1's one plan has a fixed id in version 2.
//
// Where the versions differ: a cancelled entry is completed in version 1, one whose status or
// priority nobody knows is pending, or of medium priority. What it was is kept in `_meta`.
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

inline constexpr std::string_view only_plan = "plan";

v2::PlanUpdate to_v2(v1::Plan plan);
// Nothing if its content is of a kind that version 2 knows, but malformed.
std::optional<v2::PlanUpdate> to_v2(v1::PlanUpdate update);
v2::PlanRemoved to_v2(v1::PlanRemoved removed);

// Entries under the fixed id are version 1's one plan; others are its plan_update (unstable).
std::optional<std::variant<v1::Plan, v1::PlanUpdate>> to_v1(v2::PlanUpdate update);
// Without entries if it is version 1's one plan.
std::variant<v1::Plan, v1::PlanRemoved> to_v1(v2::PlanRemoved removed);

}  // namespace acp::detail::versions
