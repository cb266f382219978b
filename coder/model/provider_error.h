// Errors of providers. The sentence is ours; the provider's own message is only logged: it may
// contain anything.
#pragma once

#include <optional>
#include <string_view>

#include "coder/model/model.h"

namespace acp::coder {

// `status` is that of HTTP (0: none), `code` the provider's name for the error, which is shown if
// it looks like a name.
ModelError provider_error(ModelError::Kind kind, int status, std::string_view code,
                          std::string_view body, std::optional<double> retry_after);

}  // namespace acp::coder
