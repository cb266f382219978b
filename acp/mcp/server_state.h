// The state of a Server: the connection, and the process or the HTTP link at its other end.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "acp/http/link.h"
#include "acp/io/process/attended_process.h"
#include "acp/mcp/role.h"

namespace acp::mcp::detail {

struct ServerState {
  ~ServerState() { close(); }
  void close();
  // Collects what is known when the server cannot be used.
  StartFailed failure(StartFailed::Phase phase, std::string reason, std::string hint = {});
  // Why the connection has ended: the process's exit and last output, or HTTP's error.
  std::string end_report() const;

  std::shared_ptr<const Client::Config> config;
  std::string name;
  std::string command;  // as one would type it; empty if there is none
  std::shared_ptr<io::Connection> connection;
  std::shared_ptr<Role> role;
  InitializeResult info;
  io::AttendedProcess process;
  std::unique_ptr<http::Link> link;
  bool ready = false;
  std::mutex closing;  // the second to close waits for the first
  std::atomic<bool> closed = false;
};

// Send a request, and wait no longer than the options allow. call() adds why a connection ended.
Task<Json> ask(std::shared_ptr<ServerState> server, std::string method, Json params,
               CallOptions options);
Task<Json> call(std::shared_ptr<ServerState> server, std::string method, Json params,
                CallOptions options);

}  // namespace acp::mcp::detail
