#include "acp/remote/server.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "acp/agent.h"
#include "acp/io/quiet_thread.h"
#include "acp/remote/service.h"

namespace acp::remote {

namespace {

// Threads that serve one client each, and end with it.
class ClientThreads {
 public:
  ~ClientThreads() { wait(); }
  void add(std::function<void()> serve) {
    {
      std::lock_guard lock(mutex_);
      ++running_;
    }
    try {
      io::quiet_thread([this, serve = std::move(serve)]() mutable {
        serve();
        serve = nullptr;  // before the count says that nothing is left
        ended();
      }).detach();
    } catch (...) {
      ended();
      throw;
    }
  }
  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void ended() {
    std::lock_guard lock(mutex_);
    --running_;
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t running_ = 0;
};

}  // namespace

struct Server::Parts {
  explicit Parts(ServerOptions options) : service(std::move(options)) {}

  void run() {
    if (!thread.joinable()) thread = io::quiet_thread([this] { service.run(); });
  }

  ClientThreads clients;
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
