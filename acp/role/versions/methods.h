// The table of version 2's methods, by their params.
#pragma once

#include "acp/schema/registry.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// Null if there is none.
inline const Method* method_of(const json::Type& params) {
  for (const Method& method : v2::methods())
    if (method.params == &params && method.side != Side::proxy) return &method;
  return nullptr;
}

}  // namespace acp::detail::versions
