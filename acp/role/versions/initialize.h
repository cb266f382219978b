// The beginning of a connection in both versions, with its authentication methods.
//
// Where the versions differ:
// - Version 2 demands a name and version of either side: `unknown` where version 1 has none.
// - A terminal method's environment is a map in version 1: of a name that version 2 lists twice,
// the
//   last one counts. The entries' `_meta` is lost.
// - A method of an unknown type stays one in the types; on version 1's wire it reads as an agent's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

v2::Implementation to_v2(Nullable<v1::Implementation> info);
v1::Implementation to_v1(v2::Implementation info);

// Nothing for a method of a type that only version 2 knows, and that does not fit.
std::optional<v2::AuthMethod> to_v2(v1::AuthMethod method);
v1::AuthMethod to_v1(v2::AuthMethod method);
std::vector<v2::AuthMethod> to_v2(std::vector<v1::AuthMethod> methods);
std::vector<v1::AuthMethod> to_v1(std::vector<v2::AuthMethod> methods);

// The protocol version becomes that of the type. A response's must be set if it is another.
v2::InitializeRequest to_v2(v1::InitializeRequest request);
v1::InitializeRequest to_v1(v2::InitializeRequest request);
v2::InitializeResponse to_v2(v1::InitializeResponse response);
v1::InitializeResponse to_v1(v2::InitializeResponse response);

// The params of a client that asks for version 2, and may meet an agent that knows only version 1:
// with the names of both versions.
std::string params_for_both(const v1::InitializeRequest& request);
// Such params, or those of one version alone, for an agent that answers with version 1: version 1's
// names count before version 2's. The protocol version is the one asked for. Nothing if it is none.
std::optional<v1::InitializeRequest> read_as_v1(const Json& params);

}  // namespace acp::detail::versions
