// What the clients of both versions' tests have in common: how an agent is reached, and the record
// of what passes.
#pragma once

#include <acp/client.h>
#include <acp/io/process/process.h>

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "interop/testing/inbox.h"

namespace interop {

// "stdio", or by which transport the agent is reached: "http", "ws".
std::string transport();
inline bool remote() { return transport() != "stdio"; }

// A server of the tests: it ends with this object.
class ServerProcess {
 public:
  // Its address.
  std::string start(const std::vector<std::string>& command);

 private:
  std::optional<acp::io::Process> process_;
  acp::io::Descriptor input_, output_;
};

// Starts this agent; for another transport with `serve` added to the command.
acp::AgentHandle start_agent(const acp::Client& client, ServerProcess& server,
                             std::vector<std::string> command);

// Frames, under "client" and "agent", for tests; and for the matrix, one line each in the file that
// ACP_INTEROP_TRANSCRIPT names.
void record(acp::Client& client, Inbox& wire);

// Until the stop token is set; then throws acp::Cancelled.
void until_cancelled(std::stop_token stop);

// The error with this code that the call must end in.
acp::Error failure(std::int32_t code, const std::function<void()>& call);

}  // namespace interop
