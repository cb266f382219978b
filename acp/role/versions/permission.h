// Requests for permission and their answers, in both versions.
//
// Where the versions differ:
// - Version 2 has a title of its own: in version 1 it is the tool call's.
// - Version 1 always asks about a tool call. Where version 2 asks about a command, it is one of
// kind
//   `execute` that shows the command; where it asks about something else or nothing, one with the
//   title alone. A description becomes the first of the call's content.
// - Version 2's title, description and other subjects are kept in `_meta`, where they are more than
//   the tool call says.
// - An option of a kind that nobody knows is left out in version 1: any kind that it got could make
//   a program choose it by itself.
// - In version 2 `cancelled` means that nobody approved; in version 1, that the turn is cancelled.
//   Outside of a cancelled turn the option that rejects once is selected instead; without one the
//   outcome is `_rejected`, which is no outcome of version 1, and `cancelled` in version 2.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// `known_title` is the tool call's, for a request that does not repeat it. Nothing without options,
// which version 2 demands.
std::optional<v2::RequestPermissionRequest> to_v2(v1::RequestPermissionRequest request,
                                                  std::string_view known_title);
// What a request without a tool call is given as one, and what the client has of the call that it
// names.
struct AskedCall {
  std::string made_id;
  const std::vector<v1::ToolCallContent>* shown = nullptr;
};
v1::RequestPermissionRequest to_v1(v2::RequestPermissionRequest request, AskedCall call);
// The call that the request is about, empty if it names none.
std::string_view asked_call(const v2::RequestPermissionRequest& request);

v2::RequestPermissionResponse to_v2(v1::RequestPermissionResponse response);
v1::RequestPermissionResponse to_v1(v2::RequestPermissionResponse response,
                                    const std::vector<v1::PermissionOption>& options,
                                    bool turn_cancelled);

}  // namespace acp::detail::versions
