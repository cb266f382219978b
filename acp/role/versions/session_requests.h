// Requests about sessions, and their answers, in both versions. Those that are not here have the
// same shape in both: recode() translates them.
//
// Where the versions differ:
// - Version 1 loads a session where version 2 resumes one with a replay from its start. A replay
//   from elsewhere is neither.
// - MCP servers that the other version cannot express are left out: see inexpressible().
// - Version 2's answers have all options in one list, and the commands, which version 1 sends in an
//   update after the answer. Its null for no options, or no modes, is an empty list.
// - A session's state is version 2's alone; version 1's statuses have none.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "acp/role/versions/config.h"
#include "acp/schema/v1.h"
#include "acp/schema/v2.h"

namespace acp::detail::versions {

v2::NewSessionRequest to_v2(v1::NewSessionRequest request);
v1::NewSessionRequest to_v1(v2::NewSessionRequest request);
v2::ForkSessionRequest to_v2(v1::ForkSessionRequest request);
v1::ForkSessionRequest to_v1(v2::ForkSessionRequest request);

v2::ResumeSessionRequest to_v2(v1::ResumeSessionRequest request);
v2::ResumeSessionRequest to_v2(v1::LoadSessionRequest request);
// Nothing for a replay that version 1 cannot express: the params are invalid then.
std::optional<std::variant<v1::ResumeSessionRequest, v1::LoadSessionRequest>> to_v1(
    v2::ResumeSessionRequest request);

// What a session answers when it begins, in version 1: all four of its types have these members.
struct SessionBegin {
  std::optional<v1::SessionModeState> modes;
  std::vector<v1::SessionConfigOption> options;
};

// For new, resumed, loaded and forked sessions. What the session has moves to `options`, which
// gives the answer its list.
template <class Response>
SessionBegin take_begin(Response& response) {
  SessionBegin begin;
  if (response.modes) begin.modes = std::move(*response.modes);
  if (response.configOptions) begin.options = std::move(*response.configOptions);
  return begin;
}
v2::NewSessionResponse to_v2(v1::NewSessionResponse response, OptionsToV2& options);
v2::ForkSessionResponse to_v2(v1::ForkSessionResponse response, OptionsToV2& options);
v2::ResumeSessionResponse to_v2(v1::ResumeSessionResponse response, OptionsToV2& options);
v2::ResumeSessionResponse to_v2(v1::LoadSessionResponse response, OptionsToV2& options);

// A version 2 answer as version 1 has it.
template <class Response>
struct Begun {
  Response response;
  std::string mode_id;  // OptionsToV1's
  // To be reported after the answer; nothing if the answer has no commands.
  std::optional<v1::AvailableCommandsUpdate> commands;
};
Begun<v1::NewSessionResponse> to_v1(v2::NewSessionResponse response, bool map_modes);
Begun<v1::ForkSessionResponse> to_v1(v2::ForkSessionResponse response, bool map_modes);
Begun<v1::ResumeSessionResponse> to_v1(v2::ResumeSessionResponse response, bool map_modes);
Begun<v1::LoadSessionResponse> to_v1_load(v2::ResumeSessionResponse response, bool map_modes);

// The answers to setting an option or a mode.
v2::SetSessionConfigOptionResponse to_v2(v1::SetSessionConfigOptionResponse response,
                                         OptionsToV2& options);
v2::SetSessionConfigOptionResponse to_v2(v1::SetSessionModeResponse response,
                                         const OptionsToV2& options);
v1::SetSessionConfigOptionResponse to_v1(v2::SetSessionConfigOptionResponse response,
                                         bool map_modes);
v1::SetSessionModeResponse to_v1_mode(v2::SetSessionConfigOptionResponse response);

// A prompt; version 2 demands at least one block, which is an empty text then.
v2::PromptRequest to_v2(v1::PromptRequest request);
v1::PromptRequest to_v1(v2::PromptRequest request);

v2::ListSessionsResponse to_v2(v1::ListSessionsResponse response);
v1::ListSessionsResponse to_v1(v2::ListSessionsResponse response);

}  // namespace acp::detail::versions
