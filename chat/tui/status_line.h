// The last line of the screen: model, mode, context, cost, directory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "acp/session_state.h"
#include "chat/render/text/styled.h"

namespace acp::chat {

struct Status {
  std::string activity = {};  // what goes on: "4 s", "starting …"; empty: nothing
  std::string model = {};     // or, where that is not known, the agent
  std::string mode = {};
  std::string context = {};  // "12%"
  bool context_short = false;
  std::string cost = {};
  std::string directory = {};
  std::string hint = {};  // at the right: what a key does now
};

// The part of the status that the session reports.
Status status_of(const SessionState& state);

// One row. Without room, parts are left out in this order: directory, cost, context, mode.
Line status_line(Status status, std::size_t columns);

// The path with ~ for the home directory.
std::string short_path(const std::string& path);

}  // namespace acp::chat
