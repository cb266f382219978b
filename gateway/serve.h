// acp serve: agents of this machine, for remote clients.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "acp/io/process/process.h"
#include "acp/remote/server.h"
#include "gateway/logins.h"

namespace acp::gateway {

struct ServeOptions {
  remote::ServerOptions server = {};  // but for who may use it, and its logs
  LoginOptions logins = {};
  io::ProcessOptions agent = {};
  std::string agent_name = {};
  std::vector<std::string> roots = {};
  bool client_mcp = false;         // see SessionLimits
  std::size_t max_sessions = 100;  // of one client
  std::chrono::milliseconds drain{10'000};
  bool json_log = false;  // JSON lines: the access log, and all else
  bool quiet = false;     // no access log
  std::vector<std::string> token_files = {};
  bool shows_token = false;  // it is new, and a person looks on
};

// Serves until it is asked to stop; then running turns have the time `drain`. Returns the exit
// code. Throws what remote::Server throws, and std::filesystem::filesystem_error about a root.
int serve(const ServeOptions& options, const std::stop_token& stop);

// One line of the access log, without its end.
std::string access_line(const remote::Access& access, bool json,
                        std::chrono::system_clock::time_point now);

}  // namespace acp::gateway
