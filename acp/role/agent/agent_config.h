// All that a program has installed in its agent.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "acp/agent.h"
#include "acp/io/connection.h"
#include "acp/role/agent/agent_dialect.h"
#include "acp/role/agent/agent_methods.h"
#include "acp/schema/v1.h"

namespace acp {

struct Agent::Config {
  v1::Implementation info;
  std::vector<int> versions = {1};  // of the protocol, in order
  std::unique_ptr<detail::AgentDialect> (*make_version_2)(detail::AgentRole&) = nullptr;
  MakeOwnMachine own_machine;  // of version 2
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
  PromptInsertion prompt_insertion = PromptInsertion::before_handler;
  io::ConnectionOptions connection;
  LogHook log;

  Handler<v1::PromptResponse(Turn)> prompt;
#define ACP_PART(method, name, Type, Context, way, capability) \
  Handler<v1::Type##Response(Context, v1::Type##Request)> name;
  ACP_AGENT_METHODS(ACP_PART, ACP_PART)
#undef ACP_PART
  Handler<void(Context, v1::MessageMcpNotification)> mcp_message;
  std::map<std::string, Handler<Json(Context, Json)>, std::less<>> requests;
  std::map<std::string, Handler<void(Context, Json)>, std::less<>> notifications;
};

}  // namespace acp
