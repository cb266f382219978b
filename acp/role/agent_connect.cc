// From a command to an agent that has answered initialize.
#include <atomic>

#include "acp/json/codec.h"
#include "acp/role/agent_calls.h"

namespace acp {

using Lock = io::Connection::Lock;
using detail::AgentProcess;
using detail::ClientRole;
using Phase = StartFailed::Phase;

// ---- what went wrong

namespace {
constexpr int our_version = 1;
}

StartFailed::Diagnosis AgentProcess::diagnose(Phase phase, std::string reason) {
  StartFailed::Diagnosis result;
  result.phase = phase;
  result.reason = std::move(reason);
  result.command = command;
  result.look_at(process);
  if (process.attending() && !result.exit && !answered) {
    const Lock lock(*connection);
    result.hint = std::string(role->troubled ? "What the agent writes is not ACP"
                                             : "The agent is alive, but silent") +
                  ": does it need an option such as --acp?";
  }
  return result;
}

AgentProcess::~AgentProcess() { close(); }

void AgentProcess::close() {
  const std::lock_guard one_at_a_time(closing);
  if (std::exchange(closed, true)) return;
  if (connection) {
    connection->close();
    connection->wait_finished();
  }
  if (config) process.end(config->exit_time);
}

// ---- connecting

namespace {

Task<void> shake_hands(std::shared_ptr<AgentProcess> agent) {
  v1::InitializeRequest request = agent->role->introduction();
  v1::InitializeResponse response;
  std::string refused;
  try {
    Task<v1::InitializeResponse> answer =
        call_within(agent, std::move(request), agent->config->handshake_time, Phase::handshake);
    response = co_await std::move(answer);
  } catch (const CallFailed& failed) {
    refused = "initialize was answered with " + std::to_string(failed.code()) + " " + failed.what();
  }
  agent->answered = true;
  if (!refused.empty()) throw StartFailed(agent->diagnose(Phase::handshake, refused));
  if (response.protocolVersion != our_version) {
    StartFailed::Diagnosis diagnosis;
    diagnosis.phase = Phase::handshake;
    diagnosis.command = agent->command;
    diagnosis.reason = "the agent speaks protocol version " +
                       std::to_string(response.protocolVersion) + ", this client version " +
                       std::to_string(our_version);
    throw StartFailed(std::move(diagnosis));
  }
  Lock lock(*agent->connection);
  agent->info = std::move(response);
  agent->ready = true;
}

std::shared_ptr<AgentProcess> open(std::shared_ptr<const Client::Config> config,
                                   Transport transport, std::shared_ptr<AgentProcess> agent,
                                   bool own_threads) {
  io::ConnectionOptions options = config->connection;
  options.own_threads = own_threads;
  if (!agent) agent = std::make_shared<AgentProcess>();
  agent->config = config;
  agent->connection = io::Connection::open(std::move(transport), std::move(options));
  agent->role = std::make_shared<ClientRole>(std::move(config), agent->connection);
  static std::atomic<std::uint64_t> last_number = 0;
  agent->role->agent_id = {++last_number, agent->command};
  agent->connection->start(agent->role);
  return agent;
}

// Throws StartFailed.
std::shared_ptr<AgentProcess> start(std::shared_ptr<const Client::Config> config,
                                    const io::ProcessOptions& options, bool own_threads) {
  auto started = io::Process::start(options);
  if (!started) throw StartFailed(started.error(), "agent");
  auto agent = std::make_shared<AgentProcess>();
  agent->config = config;
  agent->command = io::command_line(options.argv);
  io::Process process = std::move(*started);
  Transport transport{process.take_stdout(), process.take_stdin()};
  agent = open(config, std::move(transport), agent, own_threads);
  std::function<void(std::string_view)> on_stderr;
  if (config->stderr_hook)
    on_stderr = [config, id = agent->role->agent_id](std::string_view line) {
      config->stderr_hook(id, line);
    };
  // What it has started may hold its stdout: nobody waits for that.
  agent->process.attend(std::move(process),
                        {std::move(on_stderr), [raw = agent.get()](const io::ExitStatus& status) {
                           raw->connection->end_when_dry(status.describe("agent"));
                         }});
  return agent;
}

}  // namespace

Task<AgentHandle> Client::spawn(const io::ProcessOptions& options) const {
  return [](std::shared_ptr<const Config> config, io::ProcessOptions options) -> Task<AgentHandle> {
    const auto agent = start(config, options, true);
    co_await shake_hands(agent);
    co_return AgentHandle(agent);
  }(std::make_shared<Config>(*config_), options);
}

Task<AgentHandle> Client::connect(Transport transport) const {
  return [](std::shared_ptr<const Config> config, Transport transport) -> Task<AgentHandle> {
    const auto agent = open(config, std::move(transport), nullptr, true);
    co_await shake_hands(agent);
    co_return AgentHandle(agent);
  }(std::make_shared<Config>(*config_), std::move(transport));
}

Task<AgentHandle> Client::spawn(std::vector<std::string> command) const {
  io::ProcessOptions options;
  options.argv = std::move(command);
  return spawn(options);
}

AgentHandle Client::attach(Transport transport) const {
  return begin_handshake(
      open(std::make_shared<Config>(*config_), std::move(transport), nullptr, false));
}

AgentHandle Client::attach(const io::ProcessOptions& options) const {
  return begin_handshake(start(std::make_shared<Config>(*config_), options, false));
}

AgentHandle Client::begin_handshake(const std::shared_ptr<AgentProcess>& agent) {
  agent->role->handlers().start([weak = std::weak_ptr(agent)]() -> Task<void> {
    return [](std::weak_ptr<AgentProcess> weak) -> Task<void> {
      // Dropping the agent meanwhile ends it: the handshake holds the connection alone.
      const auto shaking = std::make_shared<AgentProcess>();
      if (const auto agent = weak.lock()) {
        shaking->config = agent->config;
        shaking->connection = agent->connection;
        shaking->role = agent->role;
      } else {
        co_return;
      }
      shaking->closed = true;
      std::string reason;
      try {
        co_await shake_hands(shaking);
      } catch (const StartFailed& failed) {
        reason = failed.what();
      }
      if (reason.empty()) {
        const auto agent = weak.lock();
        if (!agent) co_return;
        Lock lock(*agent->connection);
        agent->info = std::move(shaking->info);
        agent->ready = true;
        co_return;
      }
      {
        Lock lock(*shaking->connection);
        shaking->role->log(LogEntry::Level::error, reason);
      }
      shaking->connection->close();
    }(weak);
  });
  return AgentHandle(agent);
}

}  // namespace acp
