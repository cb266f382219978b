// What a session is doing. In version 1 the answer to a prompt says how its turn ended; in version
// 2 an update does, and another that it began.
//
// Where the versions differ:
// - Version 2 has a stop reason `error`, which in version 1 is an error as the prompt's answer. One
//   that nobody knows is the end of the turn.
// - Work in the background is version 2's alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

// The updates around a turn of a version 1 agent.
v2::StateUpdate running_state();
v2::StateUpdate idle_state(v1::PromptResponse response);
v2::StateUpdate failed_state(v1::Error error);
// Idle without a turn, as after a replay.
v2::StateUpdate idle_state();
// Completes any of them.
void set_background(v2::StateUpdate& state, std::vector<v2::BackgroundWork> work);

// A version 2 state as a client of version 1 can use it.
struct SessionActivity {
  enum class State : std::uint8_t { running, idle, requires_action, unknown };

  State state = State::unknown;
  // Idle after a turn: its answer, or its error.
  std::optional<v1::PromptResponse> answer;
  std::optional<v1::Error> error;
  // Nothing where the update does not say it, as null does.
  std::optional<std::vector<v2::BackgroundWork>> background;
  std::string stop_reason;  // one that version 1 does not have
  std::string unlisted;     // the name of a state that nobody knows
  Json meta;
};
// "running", "idle", "requires_action", "unknown"
const char* to_string(SessionActivity::State state);
SessionActivity to_v1(v2::StateUpdate update);

v1::Error to_v1(v2::Error error);
v2::Error to_v2(v1::Error error);

}  // namespace acp::detail::versions
