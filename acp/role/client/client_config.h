// All that a program has installed in its client.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acp/client.h"
#include "acp/io/connection.h"
#include "acp/role/client/client_dialect.h"

namespace acp {

struct Client::Config {
  v1::Implementation info;
  std::vector<int> versions = {1};  // of the protocol, in order
  std::unique_ptr<detail::ClientDialect> (*make_version_2)(detail::ClientRole&) = nullptr;
  v1::ClientCapabilities capabilities;  // what cannot be seen from the handlers
  Json initialize_meta;
  std::chrono::milliseconds handshake_time{60'000};
  std::chrono::milliseconds session_time{60'000};
  std::chrono::milliseconds exit_time{2'000};
  bool keep_state = true;
  io::ConnectionOptions connection;
  LogHook log;
  std::function<void(const AgentId&, std::string_view)> stderr_hook, disconnected;

  Handler<Decision(ClientContext, v1::RequestPermissionRequest)> permission;
  Handler<v1::ReadTextFileResponse(ClientContext, v1::ReadTextFileRequest)> read_text_file;
  Handler<v1::WriteTextFileResponse(ClientContext, v1::WriteTextFileRequest)> write_text_file;
  TerminalHandlers terminals;
  Handler<v1::CreateElicitationResponse(ClientContext, v1::CreateElicitationRequest)> form;
  Handler<v1::CreateElicitationResponse(ClientContext, v1::CreateElicitationRequest)> url;
  Handler<void(ClientContext, v1::CompleteElicitationNotification)> elicitation_complete;
  Handler<void(ClientContext)> state_changed;
  Handler<void(ClientContext, v1::SessionNotification)> update;
  Handler<void(ClientContext, v1::AuthStatusUpdateNotification)> auth_status;
  Handler<v1::MessageMcpResponse(ClientContext, v1::MessageMcpRequest)> mcp_message;
  Handler<std::string(ClientContext, std::vector<v1::AuthMethod>)> auth_required;
  std::map<std::string, Handler<Json(ClientContext, Json)>, std::less<>> requests;
  std::map<std::string, Handler<void(ClientContext, Json)>, std::less<>> notifications;
};

}  // namespace acp
