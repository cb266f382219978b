// Our agent, for a client that reaches it over the network: a server on loopback.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "acp/remote/server.h"

namespace acp::check {

class ScenarioServer {
 public:
  // Listens. Throws std::system_error.
  ScenarioServer();

  // Its URL, with the scheme "http" or "ws".
  std::string url(const std::string& scheme) const;
  // Waits for the next client that has sent `initialize`; nothing if the time is over.
  std::optional<Transport> wait(std::chrono::milliseconds time);

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Transport> clients_;
  remote::Server server_;
};

}  // namespace acp::check
