// The server that a command line names.
#pragma once

#include <string>
#include <vector>

#include "acp/mcp/client.h"

namespace acp::cli {

struct ServerChoice {
  std::string server;  // its name in the configuration
  std::vector<std::string> command;
  std::string url;
  bool sse = false;
  std::vector<std::string> headers;
  std::vector<std::string> roots;
  double timeout = 0;  // seconds; 0: none
  bool verbose = false;
};

// Prints to stderr.
void say(const std::string& what);
// Connects. Throws BadUsage and StartFailed. The library's log goes to stderr.
mcp::Server connect(const ServerChoice& choice);

}  // namespace acp::cli
