// A connected agent, and its process if we started one.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "acp/io/process/attended_process.h"
#include "acp/role/client/client_role.h"

namespace acp::detail {

struct AgentProcess {
  ~AgentProcess();
  void close();
  // Collects what is known when the agent cannot be used.
  StartFailed::Diagnosis diagnose(StartFailed::Phase phase, std::string reason);

  std::shared_ptr<const Client::Config> config;
  std::shared_ptr<io::Connection> connection;
  std::shared_ptr<ClientRole> role;
  v1::InitializeResponse info;
  std::string command;
  bool answered = false;  // initialize, if only by an error
  bool ready = false;     // guarded by the connection's lock

  // One that did not take version 2: it ends by itself, or with this.
  std::shared_ptr<AgentProcess> predecessor;
  io::AttendedProcess process;
  std::mutex closing;  // the second to close waits for the first
  bool closed = false;
};

}  // namespace acp::detail
