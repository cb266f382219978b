// Secrets out of recordings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acp/json/json.h"

namespace acp::check {

inline constexpr std::string_view mask_text = "***";

// Whether a field, a header or an option of this name holds a secret.
bool names_secret(std::string_view name);

// Whether the text may hold any: no more than a quick look.
bool may_hold_secrets(std::string_view json);
// The message with the values of env and headers, and all that names_secret(), masked; and the
// params of authenticate but for the method.
Json masked(JsonView message);
// `--token X`, `--api-key=X` and `TOKEN=X` without X.
std::vector<std::string> masked_arguments(std::vector<std::string> arguments);
// Text that is not JSON: what stands behind `token:`, `password=`, `Bearer`.
std::string masked_text(std::string_view text);

}  // namespace acp::check
