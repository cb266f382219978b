#include "acp/remote/server.h"

#include <thread>
#include <utility>

#include "acp/agent.h"
#include "acp/io/quiet_thread.h"
#include "acp/remote/service.h"

namespace acp::remote {

struct Server::Parts {
  explicit Parts(ServerOptions options) : service(std::move(options)) {}

  void run() {
    if (!thread.joinable()) thread = io::quiet_thread([this] { service.run(); });
  }

  io::QuietThreads clients;  // each serves one client, and ends with it
  Service service;
  std::thread thread;
};

Server::Server(ServerOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Server::~Server() {
  stop();
  wait();
}

std::uint16_t Server::port() const { return parts_->service.port(); }

std::string Server::url() const {
  const ServerOptions& options = parts_->service.options();
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return (options.certificate_file.empty() ? "http://" : "https://") +
         (is_v6 ? "[" + options.address + "]" : options.address) + ":" + std::to_string(port()) +
         options.path;
}

void Server::start(std::function<void(Incoming)> on_client) {
  parts_->service.start(std::move(on_client));
  parts_->run();
}

void Server::start(Agent& agent) {
  start([this, &agent](Incoming incoming) {
    const auto transport = std::make_shared<Transport>(std::move(incoming.transport));
    parts_->clients.add([this, &agent, transport] {
      try {
        agent.run(std::move(*transport));
      } catch (const std::exception& exception) {
        parts_->service.log(LogEntry::Level::error,
                            std::string("an agent has failed: ") + exception.what());
      }
    });
  });
}

void Server::serve(Agent& agent) {
  start(agent);
  wait();
}

void Server::wait() {
  if (parts_->thread.joinable()) parts_->thread.join();
  parts_->clients.wait();
}

void Server::drain(std::chrono::milliseconds time) { parts_->service.drain(time); }
void Server::stop() { parts_->service.stop(); }

Server::Counts Server::counts() const {
  return {parts_->service.sockets_, parts_->service.agents_};
}

}  // namespace acp::remote
