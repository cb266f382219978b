// All that a program has installed in its client.
#pragma once

#include "acp/io/connection.h"
#include "acp/mcp/client.h"

namespace acp::mcp {

struct Client::Config {
  Implementation info;
  std::vector<std::string> roots;
  std::chrono::milliseconds handshake_time{60'000};
  std::chrono::milliseconds request_time{60'000};
  std::chrono::milliseconds exit_time{2'000};
  std::string cwd;
  std::vector<std::string> withheld;  // variables
  io::ConnectionOptions connection;
  LogHook log;
  std::function<void(std::string_view, std::string_view)> stderr_hook;

  Handler<CreateMessageResult(ServerContext, CreateMessageRequest)> sampling;
  Handler<ElicitResult(ServerContext, ElicitRequest)> form;
  Handler<ElicitResult(ServerContext, ElicitRequest)> url;
  Handler<void(ServerContext, std::string)> elicitation_complete;
  Handler<void(ServerContext, LogMessage)> log_message;
  Handler<void(ServerContext, std::string)> list_changed;
  Handler<void(ServerContext, std::string)> resource_updated;

  // For the owner of servers: gives up connecting; and what is called without a lock.
  std::stop_token stop = {};
  std::function<void(const std::string& reason)> on_ended = nullptr;
  std::function<void()> on_tools_changed = nullptr;
};

}  // namespace acp::mcp
