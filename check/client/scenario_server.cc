#include "check/client/scenario_server.h"

#include <utility>

namespace acp::check {

namespace {
remote::ServerOptions loopback_server() {
  remote::ServerOptions options;
  // A client that has ended without a word has gone soon enough to be waited for.
  options.limits.vanish_time = std::chrono::seconds(2);
  return options;
}
}  // namespace

ScenarioServer::ScenarioServer() : server_(loopback_server()) {
  server_.start([this](remote::Incoming client) {
    const std::lock_guard lock(mutex_);
    clients_.push_back(std::move(client.transport));
    came_.notify_all();
  });
}

std::string ScenarioServer::url(const std::string& scheme) const {
  const std::string url = server_.url();
  return scheme + url.substr(url.find(':'));
}

std::optional<Transport> ScenarioServer::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  came_.wait_for(lock, time, [&] { return !clients_.empty(); });
  if (clients_.empty()) return std::nullopt;
  Transport first = std::move(clients_.front());
  clients_.pop_front();
  return first;
}

}  // namespace acp::check
