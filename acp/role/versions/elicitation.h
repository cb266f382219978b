// Questions to the user (elicitation) and their answers, in both versions.
//
// Where the versions differ:
// - Version 2 demands at least one value where it lists values: a text without any takes any text,
//   and a choice of several without any is left out of the form.
// - A text's format that version 1 does not know is left out.
// - Version 2's answers can have any JSON for a member: in version 1 it is that JSON as a text.
// - An action that nobody knows is `cancel` in version 1, as version 2 says.
// - A request that belongs to a request with id null cannot be expressed in version 2.
#pragma once

#include <optional>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// Nothing if the other version cannot express it.
std::optional<v2::CreateElicitationRequest> to_v2(v1::CreateElicitationRequest request);
std::optional<v1::CreateElicitationRequest> to_v1(v2::CreateElicitationRequest request);

v2::CreateElicitationResponse to_v2(v1::CreateElicitationResponse response);
v1::CreateElicitationResponse to_v1(v2::CreateElicitationResponse response);

}  // namespace acp::detail::versions
