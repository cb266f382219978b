#include "acp/role/versions/session_requests.h"

#include "acp/role/versions/content.h"
#include "acp/role/versions/mcp_server.h"
#include "acp/role/versions/recode.h"
#include "acp/role/versions/session_parts.h"

namespace acp::detail::versions {

namespace {

// The members that all requests have which begin a session.
template <class To>
To beginning(auto&& from) {
  To to;
  if constexpr (requires { to.sessionId; }) to.sessionId = std::move(from.sessionId);
  to.cwd = std::move(from.cwd);
  to.additionalDirectories = std::move(from.additionalDirectories);
  if constexpr (std::is_same_v<decltype(to.mcpServers), std::vector<v2::McpServer>>)
    to.mcpServers = to_v2(std::move(from.mcpServers));
  else
    to.mcpServers = to_v1(std::move(from.mcpServers));
  using Prompt = std::remove_reference_t<decltype(*to.systemPrompt)>;
  to.systemPrompt = recoded<Prompt>(from.systemPrompt);
  to._meta = std::move(from._meta);
  return to;
}

template <class To>
To begun_in_v2(auto&& from, OptionsToV2& options) {
  To to;
  SessionBegin begin = take_begin(from);
  options = OptionsToV2(std::move(begin.modes), std::move(begin.options));
  if constexpr (requires { to.sessionId; }) to.sessionId = std::move(from.sessionId);
  to.configOptions = options.list();
  to._meta = std::move(from._meta);
  return to;
}

template <class To>
Begun<To> begun_in_v1(auto&& from, bool map_modes) {
  Begun<To> to;
  OptionsToV1 options = OptionsToV1::of(std::move(from.configOptions), map_modes);
  if constexpr (requires { to.response.sessionId; })
    to.response.sessionId = std::move(from.sessionId);
  if (options.modes) to.response.modes = std::move(*options.modes);
  if (!options.options.empty()) to.response.configOptions = std::move(options.options);
  to.response._meta = std::move(from._meta);
  to.mode_id = std::move(options.mode_id);
  if (!from.availableCommands.empty())
    to.commands.emplace().availableCommands = to_v1(std::move(from.availableCommands));
  return to;
}

template <class To>
To session_list(auto&& from) {
  To to;
  using Info = typename decltype(to.sessions)::value_type;
  to.sessions = mapped_list<Info>(std::move(from.sessions),
                                  [](const auto& info) { return recode<Info>(info); });
  to.nextCursor = std::move(from.nextCursor);
  to._meta = std::move(from._meta);
  return to;
}

}  // namespace

v2::NewSessionRequest to_v2(v1::NewSessionRequest request) {
  return beginning<v2::NewSessionRequest>(std::move(request));
}
v1::NewSessionRequest to_v1(v2::NewSessionRequest request) {
  return beginning<v1::NewSessionRequest>(std::move(request));
}
v2::ForkSessionRequest to_v2(v1::ForkSessionRequest request) {
  return beginning<v2::ForkSessionRequest>(std::move(request));
}
v1::ForkSessionRequest to_v1(v2::ForkSessionRequest request) {
  return beginning<v1::ForkSessionRequest>(std::move(request));
}
v2::ResumeSessionRequest to_v2(v1::ResumeSessionRequest request) {
  return beginning<v2::ResumeSessionRequest>(std::move(request));
}

v2::ResumeSessionRequest to_v2(v1::LoadSessionRequest request) {
  auto to = beginning<v2::ResumeSessionRequest>(std::move(request));
  to.replayFrom = v2::ReplayFrom(v2::ReplayFromStart());
  return to;
}

std::optional<std::variant<v1::ResumeSessionRequest, v1::LoadSessionRequest>> to_v1(
    v2::ResumeSessionRequest request) {
  if (!request.replayFrom) return beginning<v1::ResumeSessionRequest>(std::move(request));
  if (!std::holds_alternative<v2::ReplayFromStart>(*request.replayFrom)) return std::nullopt;
  return beginning<v1::LoadSessionRequest>(std::move(request));
}

v2::NewSessionResponse to_v2(v1::NewSessionResponse response, OptionsToV2& options) {
  return begun_in_v2<v2::NewSessionResponse>(std::move(response), options);
}
v2::ForkSessionResponse to_v2(v1::ForkSessionResponse response, OptionsToV2& options) {
  return begun_in_v2<v2::ForkSessionResponse>(std::move(response), options);
}
v2::ResumeSessionResponse to_v2(v1::ResumeSessionResponse response, OptionsToV2& options) {
  return begun_in_v2<v2::ResumeSessionResponse>(std::move(response), options);
}
v2::ResumeSessionResponse to_v2(v1::LoadSessionResponse response, OptionsToV2& options) {
  return begun_in_v2<v2::ResumeSessionResponse>(std::move(response), options);
}

Begun<v1::NewSessionResponse> to_v1(v2::NewSessionResponse response, bool map_modes) {
  return begun_in_v1<v1::NewSessionResponse>(std::move(response), map_modes);
}
Begun<v1::ForkSessionResponse> to_v1(v2::ForkSessionResponse response, bool map_modes) {
  return begun_in_v1<v1::ForkSessionResponse>(std::move(response), map_modes);
}
Begun<v1::ResumeSessionResponse> to_v1(v2::ResumeSessionResponse response, bool map_modes) {
  return begun_in_v1<v1::ResumeSessionResponse>(std::move(response), map_modes);
}
Begun<v1::LoadSessionResponse> to_v1_load(v2::ResumeSessionResponse response, bool map_modes) {
  return begun_in_v1<v1::LoadSessionResponse>(std::move(response), map_modes);
}

v2::SetSessionConfigOptionResponse to_v2(v1::SetSessionConfigOptionResponse response,
                                         OptionsToV2& options) {
  options.set_options(std::move(response.configOptions));
  v2::SetSessionConfigOptionResponse to;
  to.configOptions = options.list();
  to._meta = std::move(response._meta);
  return to;
}

v2::SetSessionConfigOptionResponse to_v2(v1::SetSessionModeResponse response,
                                         const OptionsToV2& options) {
  v2::SetSessionConfigOptionResponse to;
  to.configOptions = options.list();
  to._meta = std::move(response._meta);
  return to;
}

v1::SetSessionConfigOptionResponse to_v1(v2::SetSessionConfigOptionResponse response,
                                         bool map_modes) {
  v1::SetSessionConfigOptionResponse to;
  to.configOptions = OptionsToV1::of(std::move(response.configOptions), map_modes).options;
  to._meta = std::move(response._meta);
  return to;
}

v1::SetSessionModeResponse to_v1_mode(v2::SetSessionConfigOptionResponse response) {
  v1::SetSessionModeResponse to;
  to._meta = std::move(response._meta);
  return to;
}

v2::PromptRequest to_v2(v1::PromptRequest request) {
  v2::PromptRequest to;
  to.sessionId = std::move(request.sessionId);
  to.prompt = to_v2(std::move(request.prompt));
  if (to.prompt.empty()) to.prompt.emplace_back("");
  to._meta = std::move(request._meta);
  return to;
}

v1::PromptRequest to_v1(v2::PromptRequest request) {
  v1::PromptRequest to;
  to.sessionId = std::move(request.sessionId);
  to.prompt = to_v1(std::move(request.prompt));
  to._meta = std::move(request._meta);
  return to;
}

v2::ListSessionsResponse to_v2(v1::ListSessionsResponse response) {
  return session_list<v2::ListSessionsResponse>(std::move(response));
}
v1::ListSessionsResponse to_v1(v2::ListSessionsResponse response) {
  return session_list<v1::ListSessionsResponse>(std::move(response));
}

}  // namespace acp::detail::versions
