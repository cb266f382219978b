// All that a program has installed in its agent.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "acp/agent.h"
#include "acp/io/connection.h"
#include "acp/schema/v1.h"

namespace acp {

struct Agent::Parts {
  v1::Implementation info;
  v1::PromptCapabilities prompt_capabilities;
  v1::McpCapabilities mcp_capabilities;
  std::optional<McpServers> mcp_servers;
  Json capability_meta;
  Json initialize_meta;
  bool additional_directories = false;
  std::set<std::string> open_options;
  bool system_prompt = false;
  bool system_prompt_override = false;
  bool require_authentication = false;
  bool accept_set_model = false;
  std::vector<v1::AuthMethod> auth_methods;
  std::optional<v1::SessionModeState> modes;
  std::vector<v1::SessionConfigOption> config_options;
  std::optional<std::vector<AvailableCommand>> commands;
  SecondPrompt second_prompt = SecondPrompt::waits;
  io::ConnectionOptions connection;
  LogHook log;

  Handler<v1::PromptResponse(Turn)> prompt;
  Handler<v1::NewSessionResponse(SessionContext, v1::NewSessionRequest)> new_session;
  Handler<v1::LoadSessionResponse(SessionContext, v1::LoadSessionRequest)> load_session;
  Handler<v1::ResumeSessionResponse(SessionContext, v1::ResumeSessionRequest)> resume_session;
  Handler<v1::ForkSessionResponse(SessionContext, v1::ForkSessionRequest)> fork_session;
  Handler<v1::ListSessionsResponse(Context, v1::ListSessionsRequest)> list_sessions;
  Handler<v1::CloseSessionResponse(Context, v1::CloseSessionRequest)> close_session;
  Handler<v1::DeleteSessionResponse(Context, v1::DeleteSessionRequest)> delete_session;
  Handler<v1::ArchiveSessionResponse(Context, v1::ArchiveSessionRequest)> archive_session;
  Handler<v1::UnarchiveSessionResponse(Context, v1::UnarchiveSessionRequest)> unarchive_session;
  Handler<v1::SessionStatusResponse(Context, v1::SessionStatusRequest)> session_status;
  Handler<v1::SetSessionTitleResponse(Context, v1::SetSessionTitleRequest)> set_title;
  Handler<v1::SetSessionModeResponse(SessionContext, v1::SetSessionModeRequest)> set_mode;
  Handler<v1::SetSessionConfigOptionResponse(SessionContext, v1::SetSessionConfigOptionRequest)>
      set_config_option;
  Handler<v1::AuthenticateResponse(Context, v1::AuthenticateRequest)> authenticate;
  Handler<v1::LogoutResponse(Context, v1::LogoutRequest)> logout;
  Handler<v1::AuthStatusResponse(Context, v1::AuthStatusRequest)> auth_status;
  Handler<v1::ListProvidersResponse(Context, v1::ListProvidersRequest)> list_providers;
  Handler<v1::SetProviderResponse(Context, v1::SetProviderRequest)> set_provider;
  Handler<v1::DisableProviderResponse(Context, v1::DisableProviderRequest)> disable_provider;
  Handler<void(Context, v1::MessageMcpNotification)> mcp_message;
  std::map<std::string, Handler<Json(Context, Json)>, std::less<>> requests;
  std::map<std::string, Handler<void(Context, Json)>, std::less<>> notifications;
};

}  // namespace acp
