// The small parts of a session's updates, in both versions.
//
// Where the versions differ:
// - Version 2's commands and their input have a tag. A command with an unknown one is left out in
//   version 1; an unknown input is left out, and kept in `_meta`.
// - A cost that is null clears it in version 2; version 1 knows no null there, so it is the same.
// - Version 2 demands dates as RFC 3339 has them: another one is left out.
#pragma once

#include <optional>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

std::vector<v2::AvailableCommand> to_v2(std::vector<v1::AvailableCommand> commands);
std::vector<v1::AvailableCommand> to_v1(std::vector<v2::AvailableCommand> commands);
v2::AvailableCommandsUpdate to_v2(v1::AvailableCommandsUpdate update);
v1::AvailableCommandsUpdate to_v1(v2::AvailableCommandsUpdate update);

v2::CompactionUpdate to_v2(v1::CompactionUpdate update);
v1::CompactionUpdate to_v1(v2::CompactionUpdate update);
// Nothing if the content does not fit.
std::optional<v2::CompactionSummaryChunk> to_v2(v1::CompactionSummaryChunk chunk);
std::optional<v1::CompactionSummaryChunk> to_v1(v2::CompactionSummaryChunk chunk);

// Unstable: what is between the sessions of agents.
v2::SessionMessage to_v2(v1::SessionMessage message);
v1::SessionMessage to_v1(v2::SessionMessage message);
std::optional<v2::SessionMessageChunk> to_v2(v1::SessionMessageChunk chunk);
std::optional<v1::SessionMessageChunk> to_v1(v2::SessionMessageChunk chunk);

}  // namespace acp::detail::versions
