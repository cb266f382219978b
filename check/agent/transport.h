// Checks a server's transport, Streamable HTTP and WebSocket, against the requirements of
// requirements_transport.cc. It uses sockets of its own, so that a fault of the library's client
// cannot hide one of the server.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "check/rules/report.h"

namespace acp::check {

struct TransportCheckOptions {
  std::string url;  // http:// or ws://: the same address has both
  // Sent with every request, such as Authorization.
  std::map<std::string, std::string> headers = {};
  std::chrono::milliseconds timeout{30'000};
  // A directory on the server's machine for the session that is opened.
  std::string cwd;
  // Prompts by kind: see AgentCheckOptions. Only "hello" and "write" are used.
  std::map<std::string, std::string> prompts = {};
};

// Whether a requirement is one of a server's transport.
bool is_transport_requirement(const Requirement& requirement);

// Checks a transport. Returns why nothing was checked (no support of TLS), or an empty text. Gives
// up (report.gave_up()) if the server lets nobody in. Throws PeerNotStarted if nobody listens
// there.
std::string check_transport(const TransportCheckOptions& options, Report& report);

}  // namespace acp::check
