// From a command to an agent that has answered initialize.
#include <algorithm>
#include <atomic>
#include <coroutine>
#include <cstdint>

#include "acp/json/codec.h"
#include "acp/role/client/agent_calls.h"

namespace acp {

using Lock = io::Connection::Lock;
using detail::AgentProcess;
using detail::answer_within;
using detail::ClientRole;
using Phase = StartFailed::Phase;

// ---- what went wrong

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
    {
      // A handshake that has failed already says why; one that is closed here has not failed.
      const Lock lock(*connection);
      if (!lock.ended()) role->shaking_hands = false;
    }
    connection->close();
    connection->wait_finished();
  }
  if (config) process.end(config->exit_time);
  if (predecessor) predecessor->close();
}

// ---- connecting

namespace {

// How an agent answered `initialize`.
struct Introduced {
  v1::InitializeResponse response;  // as version 1 has it
  std::string refused;              // the error, if it was one
  bool speaks_version_2 = false;    // whatever else it said
  std::exception_ptr failed;        // StartFailed: no answer came
};

Task<Introduced> introduce_as_version_1(std::shared_ptr<AgentProcess> agent) {
  Introduced result;
  try {
    Task<v1::InitializeResponse> answer = call_within(
        agent, agent->role->introduction(), agent->config->handshake_time, Phase::handshake);
    result.response = co_await std::move(answer);
  } catch (const CallFailed& failed) {
    result.refused =
        "initialize was answered with " + std::to_string(failed.code()) + " " + failed.what();
  } catch (const StartFailed&) {
    result.failed = std::current_exception();
  }
  co_return result;
}

// Asks for version 2, in the words of both. What the agent sends after its answer is of the version
// that this chooses.
Task<Json> ask_for_version_2(std::shared_ptr<AgentProcess> agent) {
  const auto done = std::make_shared<async::Completion<Json>>();
  std::shared_ptr<detail::ClientDialect> dialect;
  Json params;
  {
    const Lock lock(*agent->connection);
    dialect = agent->config->make_version_2(*agent->role);
    params = Json::from_valid(
        dialect->introduction(agent->role->introduction(), agent->config->versions.front() == 1));
    agent->role->offer_version_2(dialect);
  }
  const detail::Link link{agent->connection, nullptr, 0};
  link.request_raw(
      "initialize", params, done,
      [done, role = agent->role](std::string_view text,
                                 const json::Limits&) -> std::optional<json::DecodeFault> {
        Json answer(JsonView::of_valid(text));
        if (answer["protocolVersion"].as_int64() == 2) role->speak_version_2();
        done->settle(std::move(answer));
        return std::nullopt;
      });
  return Task<Json>(done);
}

Task<Introduced> introduce_as_version_2(std::shared_ptr<AgentProcess> agent) {
  Introduced result;
  Task<Json> asking = ask_for_version_2(agent);
  Task<Json> in_time = answer_within(agent, std::move(asking), "initialize",
                                     agent->config->handshake_time, Phase::handshake);
  try {
    const Json answer = co_await std::move(in_time);
    const bool version_2 = answer["protocolVersion"].as_int64() == 2;
    result.speaks_version_2 = version_2;
    std::optional<json::DecodeFault> fault;
    if (version_2) {
      const Lock lock(*agent->connection);
      fault = agent->role->dialect()->read_introduction(answer.text(), result.response);
    } else {
      fault = json::decode(answer.text(), v1::InitializeResponse::json_type, &result.response);
    }
    if (fault) result.refused = "the answer to initialize is not valid: " + fault->message();
  } catch (const CallFailed& failed) {
    result.refused =
        "initialize was answered with " + std::to_string(failed.code()) + " " + failed.what();
  } catch (const StartFailed&) {
    result.failed = std::current_exception();
  }
  co_return result;
}

// What can be done about an agent that does not take version 2, or a second `initialize`.
enum class Retry : std::uint8_t {
  no,
  once_refused,  // a connection of its own for version 1
  also_if_gone,  // even if the agent did not answer at all
};

// Returns false if the agent has to be reached again, with version 1 alone.
Task<bool> shake_hands(std::shared_ptr<AgentProcess> agent, Retry retry) {
  const std::vector<int>& versions = agent->config->versions;
  Introduced introduced;
  if (versions.back() == 2) {
    Task<Introduced> asking = introduce_as_version_2(agent);
    introduced = co_await std::move(asking);
  }
  agent->answered = !introduced.failed && versions.back() == 2;
  const bool chose_version_1 =
      introduced.refused.empty() && !introduced.failed && introduced.response.protocolVersion == 1;
  const bool knows_version_1 = versions.front() == 1;
  if (introduced.failed) {
    if (knows_version_1 && retry == Retry::also_if_gone) co_return false;
    std::rethrow_exception(introduced.failed);
  }
  // An agent that was asked for version 2 may not have looked for what version 1 calls otherwise.
  if (knows_version_1 && !introduced.speaks_version_2) {
    Task<Introduced> asking = introduce_as_version_1(agent);
    Introduced as_version_1 = co_await std::move(asking);
    const bool again = versions.back() == 2;
    const bool taken = as_version_1.refused.empty() && !as_version_1.failed;
    if (again && !taken && retry != Retry::no) co_return false;
    if (as_version_1.failed) std::rethrow_exception(as_version_1.failed);
    if (again && !taken && chose_version_1) {
      Lock lock(*agent->connection);
      agent->role->log(
          LogEntry::Level::warning,
          "the agent was asked for version 2 and speaks version 1; files and terminals "
          "may be missing for it: " +
              as_version_1.refused);
    } else {
      introduced = std::move(as_version_1);
    }
  }
  agent->answered = true;
  if (!introduced.refused.empty())
    throw StartFailed(agent->diagnose(Phase::handshake, introduced.refused));
  const int version = introduced.response.protocolVersion;
  const bool is_spoken = version == (introduced.speaks_version_2 ? 2 : 1);
  if (!is_spoken || std::find(versions.begin(), versions.end(), version) == versions.end()) {
    StartFailed::Diagnosis diagnosis;
    diagnosis.phase = Phase::handshake;
    diagnosis.command = agent->command;
    diagnosis.reason = "the agent speaks protocol version " + std::to_string(version) +
                       ", this client version " + std::to_string(versions.front()) +
                       (versions.size() > 1 ? " and " + std::to_string(versions.back()) : "");
    throw StartFailed(std::move(diagnosis));
  }
  Lock lock(*agent->connection);
  agent->info = std::move(introduced.response);
  agent->ready = true;
  co_return true;
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

// Goes on where this connection runs coroutines; right here, if it has ended: whatever is asked of
// it fails at once.
class GoOnAt {
 public:
  explicit GoOnAt(std::shared_ptr<io::Connection> connection)
      : connection_(std::move(connection)), there_(connection_->completion<void>()) {}
  GoOnAt(const GoOnAt&) = delete;
  GoOnAt& operator=(const GoOnAt&) = delete;
  ~GoOnAt() { there_->drop(); }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    const auto connection = connection_;
    const auto there = there_;
    const Lock lock(*connection);
    if (lock.ended()) return false;
    const Executor::Scope scope(connection.get());
    there->suspend(waiter);
    there->settle();
    return true;
  }
  void await_resume() const noexcept {}

 private:
  const std::shared_ptr<io::Connection> connection_;
  const std::shared_ptr<async::Completion<void>> there_;
};

// What the connection of an agent that is reached again is made with: version 1 alone.
std::shared_ptr<const Client::Config> give_up(const AgentProcess& agent) {
  // Its connection may be what runs this: it is not waited for.
  agent.connection->close();
  const auto version_1 = std::make_shared<Client::Config>(*agent.config);
  version_1->versions = {1};
  return version_1;
}

Task<std::shared_ptr<AgentProcess>> shake_hands_again(std::shared_ptr<AgentProcess> before,
                                                      std::shared_ptr<AgentProcess> agent) {
  agent->predecessor = before;
  // A connection that has ended runs nothing more.
  if (Executor::current() == before->connection.get()) {
    GoOnAt connection(agent->connection);
    co_await connection;
  }
  Task<bool> shaking = shake_hands(agent, Retry::no);
  co_await std::move(shaking);
  co_return agent;
}

}  // namespace

Task<AgentHandle> Client::spawn(const io::ProcessOptions& options) const {
  return [](std::shared_ptr<const Config> config, io::ProcessOptions options) -> Task<AgentHandle> {
    auto agent = start(config, options, true);
    Task<bool> shaking = shake_hands(agent, Retry::also_if_gone);
    if (!co_await std::move(shaking)) {
      Task<std::shared_ptr<AgentProcess>> again =
          shake_hands_again(agent, start(give_up(*agent), options, true));
      agent = co_await std::move(again);
    }
    co_return AgentHandle(agent);
  }(std::make_shared<Config>(*config_), options);
}

Task<AgentHandle> Client::connect(Transport transport) const {
  return [](std::shared_ptr<const Config> config, Transport transport) -> Task<AgentHandle> {
    const auto again = std::exchange(transport.again, nullptr);
    auto agent = open(config, std::move(transport), nullptr, true);
    Task<bool> shaking = shake_hands(agent, again ? Retry::once_refused : Retry::no);
    if (!co_await std::move(shaking)) {
      Task<std::shared_ptr<AgentProcess>> other =
          shake_hands_again(agent, open(give_up(*agent), again(), nullptr, true));
      agent = co_await std::move(other);
    }
    co_return AgentHandle(agent);
  }(std::make_shared<Config>(*config_), std::move(transport));
}

Task<AgentHandle> Client::spawn(AgentCommand command) const {
  io::ProcessOptions options;
  options.argv = command.words();
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
  {
    const Lock lock(*agent->connection);
    agent->role->shaking_hands = true;
  }
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
      std::optional<StartFailed::Diagnosis> failure;
      try {
        Task<bool> introducing = shake_hands(shaking, Retry::no);
        co_await std::move(introducing);
      } catch (const StartFailed& failed) {
        failure = failed.diagnosis();
      } catch (const std::exception& failed) {
        failure.emplace().reason = failed.what();
      }
      if (!failure) {
        const auto agent = weak.lock();
        const Lock lock(*shaking->connection);
        shaking->role->shaking_hands = false;
        if (lock.ended()) shaking->role->report_end(shaking->role->end_reason);
        if (!agent) co_return;
        agent->info = std::move(shaking->info);
        agent->ready = true;
        co_return;
      }
      // Its process may still be ending: that is not waited for on the program's loop.
      shaking->connection->post_blocking([weak, shaking, failure = std::move(*failure)]() mutable {
        if (const auto agent = weak.lock(); agent && agent->process.attending()) {
          agent->answered = shaking->answered;
          failure = agent->diagnose(failure.phase, failure.reason);
        }
        const std::string reason = StartFailed(std::move(failure)).what();
        {
          const Lock lock(*shaking->connection);
          shaking->role->log(LogEntry::Level::error, reason);
          shaking->role->report_end(reason);
        }
        shaking->connection->close();
      });
    }(weak);
  });
  return AgentHandle(agent);
}

}  // namespace acp
