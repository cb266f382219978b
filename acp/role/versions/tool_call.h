// Tool calls in both versions. Version 2 has one update for a call, which makes it where the id is
// new; in version 1 the first is another message than those that follow.
//
// Where the versions differ:
// - Version 1's null changes nothing: it is omitted in version 2, whose null clears. A version 2
//   null becomes an empty title, name or list, kind `other`, status `pending`, and null itself for
//   raw input and output.
// - A call that version 1 announces again keeps what the second announcement leaves empty.
// - Version 1 has no status for a paused call, which is in progress, and for a cancelled one, which
//   has failed; one that nobody knows is in progress, and such a kind is `other`. The status or
//   kind itself is kept in `_meta`, and so are a call's capabilities.
// - Line 0 becomes line 1, as both mean the first.
#pragma once

#include <vector>

#include <cstddef>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

v2::ToolKind to_v2(v1::ToolKind kind);
v2::ToolCallStatus to_v2(v1::ToolCallStatus status);
v1::ToolKind to_v1(const v2::ToolKind& kind);
v1::ToolCallStatus to_v1(const v2::ToolCallStatus& status);

v2::ToolCallUpdate to_v2(v1::ToolCall call);
v2::ToolCallUpdate to_v2(v1::ToolCallUpdate update);

// The call with the first update of its id; without a title it has its name as one.
v1::ToolCall to_v1_call(v2::ToolCallUpdate first);
v1::ToolCallUpdate to_v1(v2::ToolCallUpdate update);

// About as many bytes as it takes in memory.
std::size_t size_of(const v1::ToolCallContent& content);

}  // namespace acp::detail::versions
