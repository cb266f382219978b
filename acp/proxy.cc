#include "acp/proxy.h"

#include <cstdio>
#include <utility>

#include "acp/io/printable.h"
#include "acp/io/process/attended_process.h"
#include "acp/role/proxy/proxy_role.h"

namespace acp {

using detail::ProxyRole;
using detail::ProxySide;

std::string_view to_string(Sender sender) { return sender == Sender::client ? "client" : "agent"; }

// ---- ProxyRequest

Sender ProxyRequest::sender() const { return call_->role->sender(); }
const std::string& ProxyRequest::method() const { return call_->method; }
const Json& ProxyRequest::params() const { return call_->params; }
std::stop_token ProxyRequest::stop_token() const { return call_->stop_token(); }
Peer ProxyRequest::client() const { return call_->role->peer(Sender::client); }
Peer ProxyRequest::agent() const { return call_->role->peer(Sender::agent); }

Task<Json> ProxyRequest::forward() const { return forward(params()); }

Task<Json> ProxyRequest::forward(const Json& params) const {
  const auto done = call_->connection->completion<Json>();
  const auto id = call_->role->forward(call_, params, [done](const ProxyRole::Outcome& outcome) {
    if (!outcome.error)
      done->settle(outcome.result);
    else if (outcome.error->connection_closed)
      done->fail(std::make_exception_ptr(ConnectionClosed(outcome.error->message)));
    else
      done->fail(std::make_exception_ptr(
          CallFailed(outcome.error->code, outcome.error->message, outcome.error->data)));
  });
  if (id) done->on_drop = [call = call_, id] { call->role->give_up(*id); };
  return Task<Json>(done);
}

// ---- Proxy

Proxy::Proxy() : config_(std::make_shared<Config>()) {}
Proxy::Proxy(Proxy&&) noexcept = default;
Proxy& Proxy::operator=(Proxy&&) noexcept = default;
Proxy::~Proxy() = default;

Proxy& Proxy::on_request(std::string method, Handler<Json(ProxyRequest)> hook) {
  config_->requests[std::move(method)] = std::move(hook);
  return *this;
}
Proxy& Proxy::on_request(Handler<Json(ProxyRequest)> hook) {
  config_->other_requests = std::move(hook);
  return *this;
}
Proxy& Proxy::on_notification(std::string method, NotificationHook hook) {
  config_->notifications[std::move(method)] = std::move(hook);
  return *this;
}
Proxy& Proxy::on_notification(NotificationHook hook) {
  config_->other_notifications = std::move(hook);
  return *this;
}
Proxy& Proxy::framing(rpc::Framing framing) {
  config_->connection.engine.framing = framing;
  return *this;
}
Proxy& Proxy::max_message_bytes(std::size_t bytes) {
  config_->connection.engine.max_message_bytes = bytes;
  return *this;
}
Proxy& Proxy::exit_time(std::chrono::milliseconds time) {
  config_->exit_time = time;
  return *this;
}
Proxy& Proxy::on_log(LogHook hook) {
  config_->log = std::move(hook);
  return *this;
}
Proxy& Proxy::on_stderr(std::function<void(std::string_view)> hook) {
  config_->stderr_hook = std::move(hook);
  return *this;
}

// ---- running

namespace {

// The two connections of a proxy that runs.
class ProxyRun {
 public:
  // `config` is of this run alone.
  ProxyRun(const std::shared_ptr<const Proxy::Config>& config, Transport client, Transport agent,
           std::function<std::string()> exit_reason = nullptr)
      : client_(open(*config, std::move(client))), agent_(open(*config, std::move(agent))) {
    agent_->exit_reason = std::move(exit_reason);
    agent_->connection->start(std::make_shared<ProxyRole>(config, Sender::agent, agent_, client_));
    client_->connection->start(
        std::make_shared<ProxyRole>(config, Sender::client, client_, agent_));
  }
  ProxyRun(const ProxyRun&) = delete;
  ProxyRun& operator=(const ProxyRun&) = delete;
  ~ProxyRun() { wait(); }

  const std::shared_ptr<io::Connection>& agent() const { return agent_->connection; }
  // Until both have ended. Whether the agent was the first.
  bool wait() {
    client_->connection->wait_finished();
    bool agent_gone = false;
    {
      const io::Connection::Lock lock(*agent_->connection);
      agent_gone = !agent_->end_reason.empty();
    }
    agent_->connection->close();
    agent_->connection->wait_finished();
    return agent_gone;
  }

 private:
  static std::shared_ptr<ProxySide> open(const Proxy::Config& config, Transport transport) {
    return std::make_shared<ProxySide>(
        io::Connection::open(std::move(transport), config.connection));
  }

  const std::shared_ptr<ProxySide> client_, agent_;
};

void print(std::string_view line) {
  std::fprintf(stderr, "%s\n", io::printable(std::string(line)).c_str());
}

}  // namespace

int Proxy::run(Transport client, std::vector<std::string> agent) const {
  io::ProcessOptions options;
  options.argv = std::move(agent);
  return run(std::move(client), options);
}

int Proxy::run(Transport client, Transport agent) const {
  ProxyRun run(std::make_shared<Config>(*config_), std::move(client), std::move(agent));
  return run.wait() ? 1 : 0;
}

int Proxy::run(Transport client, const io::ProcessOptions& agent) const {
  auto started = io::Process::start(agent);
  if (!started) throw StartFailed(started.error(), "agent");
  Transport transport{started->take_stdout(), started->take_stdin()};
  const auto process = std::make_shared<io::AttendedProcess>();
  // It has closed its output, and perhaps not ended yet.
  const auto exit_reason = [process, time = config_->exit_time] {
    process->wait_exit(time);
    const auto status = process->exit_status();
    return status ? status->describe("agent") : "";
  };
  ProxyRun run(std::make_shared<Config>(*config_), std::move(client), std::move(transport),
               exit_reason);
  // What it has started may hold its stdout: nobody waits for that.
  process->attend(std::move(*started), {config_->stderr_hook ? config_->stderr_hook : print,
                                        [connection = run.agent()](const io::ExitStatus& status) {
                                          connection->end_when_dry(status.describe("agent"));
                                        }});
  const bool agent_was_first = run.wait();
  process->end(config_->exit_time);
  if (!agent_was_first) return 0;
  const auto status = process->exit_status();
  return status && status->kind == io::ExitStatus::Kind::exited ? status->value : 1;
}

}  // namespace acp
