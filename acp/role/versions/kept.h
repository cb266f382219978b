// What version 1 has no member for, kept in `_meta` under a key of this library, so that programs
// can see it, and that it comes back in version 2.
#pragma once

#include <string_view>

#include "acp/json/json.h"

namespace acp::detail::versions {

inline constexpr std::string_view kept_key = "libacp/v2";

// Nothing happens for an absent value.
void keep(Json& meta, std::string_view name, const Json& value);
// All that was kept, as an object; absent if nothing was. It is gone from `meta` then.
Json take_kept(Json& meta);

}  // namespace acp::detail::versions
