#include "acp/mcp/servers.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "acp/mcp/client_config.h"

namespace acp::mcp {

using Kind = ServersEvent::Kind;

namespace {

std::string name_of(const v1::McpServer& config) {
  if (const auto* stdio = std::get_if<v1::McpServerStdio>(&config)) return stdio->name;
  if (const auto* http = std::get_if<v1::McpServerHttp>(&config)) return http->name;
  if (const auto* sse = std::get_if<v1::McpServerSse>(&config)) return sse->name;
  if (const auto* acp = std::get_if<v1::McpServerAcp>(&config)) return acp->name;
  const auto* unknown = std::get_if<Unknown>(&config);
  return unknown ? unknown->payload["name"].as_string().value_or("") : "";
}

bool can_come_back(const v1::McpServer& config) {
  return std::holds_alternative<v1::McpServerHttp>(config) ||
         std::holds_alternative<v1::McpServerSse>(config);
}

// One server and the thread that looks after it. Guarded by the mutex of all.
struct Keeper {
  v1::McpServer config;
  std::string name;
  std::optional<Server> server;  // while it is connected
  std::vector<Tool> tools;
  std::string failure;   // why it is not
  bool settled = false;  // ready or failed, once
  bool ended = false;    // the connection is gone
  bool tools_changed = false;
  std::thread thread;
};

}  // namespace

struct Servers::State {
  std::shared_ptr<Client::Config> config;
  ServersOptions options;
  std::vector<std::unique_ptr<Keeper>> keepers;
  std::stop_source stop;
  std::mutex events;  // one at a time
  std::mutex mutex;
  std::condition_variable changed;

  ~State();
  void keep(Keeper& keeper);
  // False if it could not be connected to.
  bool connect(Keeper& keeper);
  // Until it ends, or all do.
  void attend(Keeper& keeper);
  void tell(Keeper& keeper, Kind kind, const std::string& reason = {});
};

Servers::State::~State() {
  {
    const std::lock_guard lock(mutex);
    stop.request_stop();
    changed.notify_all();
  }
  for (const auto& keeper : keepers)
    if (keeper->thread.joinable()) keeper->thread.join();
}

void Servers::State::tell(Keeper& keeper, Kind kind, const std::string& reason) {
  if (!options.on_event || stop.stop_requested()) return;
  const bool down = kind == Kind::failed || kind == Kind::lost;
  const std::lock_guard one_at_a_time(events);
  options.on_event({kind, keeper.name, reason, down && can_come_back(keeper.config)});
}

bool Servers::State::connect(Keeper& keeper) {
  Client client("", "");
  client.config_ = std::make_shared<Client::Config>(*config);
  Client::Config& own = *client.config_;
  own.handshake_time = options.start_time;
  own.request_time = std::min(own.request_time, options.start_time);
  own.stop = stop.get_token();
  const auto note = [this](bool& flag) {
    const std::lock_guard lock(mutex);
    flag = true;
    changed.notify_all();
  };
  own.on_ended = [&keeper, note](const std::string&) { note(keeper.ended); };
  own.on_tools_changed = [&keeper, note] { note(keeper.tools_changed); };
  std::string failure;
  try {
    Server server = client.connect(keeper.config).wait();
    std::vector<Tool> tools;
    if (server.info().capabilities.tools) tools = server.list_tools().wait();
    const std::lock_guard lock(mutex);
    keeper.server = std::move(server);
    keeper.tools = std::move(tools);
    keeper.failure.clear();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  bool said = false;
  {
    const std::lock_guard lock(mutex);
    said = !failure.empty() && keeper.failure == failure;
    if (!failure.empty()) keeper.failure = failure;
  }
  if (!said) tell(keeper, failure.empty() ? Kind::ready : Kind::failed, failure);
  const std::lock_guard lock(mutex);
  keeper.settled = true;
  changed.notify_all();
  return failure.empty();
}

void Servers::State::attend(Keeper& keeper) {
  while (true) {
    std::unique_lock lock(mutex);
    changed.wait(lock,
                 [&] { return stop.stop_requested() || keeper.ended || keeper.tools_changed; });
    if (stop.stop_requested() || keeper.ended) break;
    keeper.tools_changed = false;
    const Server server = *keeper.server;
    lock.unlock();
    try {
      std::vector<Tool> tools = server.list_tools().wait();
      lock.lock();
      keeper.tools = std::move(tools);
      lock.unlock();
      tell(keeper, Kind::tools_changed);
    } catch (const Error&) {  // it has ended, or keeps the tools it had
    }
  }
  std::unique_lock lock(mutex);
  const Server server = *std::exchange(keeper.server, std::nullopt);
  keeper.tools.clear();
  lock.unlock();
  const std::string reason = server.end_reason();
  server.close();
  lock.lock();
  keeper.failure = reason;
  lock.unlock();
  tell(keeper, Kind::lost, reason);
}

void Servers::State::keep(Keeper& keeper) {
  auto pause = options.first_pause;
  while (true) {
    {
      const std::lock_guard lock(mutex);
      keeper.ended = keeper.tools_changed = false;
    }
    if (connect(keeper)) {
      attend(keeper);
      pause = options.first_pause;
    }
    std::unique_lock lock(mutex);
    if (!can_come_back(keeper.config)) return;
    if (changed.wait_for(lock, pause, [&] { return stop.stop_requested(); })) return;
    pause = std::min(pause * 2, options.longest_pause);
  }
}

Servers::Servers(const Client& client, std::vector<v1::McpServer> configs, ServersOptions options)
    : state_(std::make_unique<State>()) {
  state_->config = client.config_;
  state_->options = std::move(options);
  for (v1::McpServer& config : configs) {
    auto& keeper = *state_->keepers.emplace_back(std::make_unique<Keeper>());
    keeper.name = name_of(config);
    keeper.config = std::move(config);
  }
  for (const auto& keeper : state_->keepers)
    keeper->thread =
        std::thread([state = state_.get(), &keeper = *keeper] { state->keep(keeper); });
  std::unique_lock lock(state_->mutex);
  const auto all_settled = [&] {
    return std::all_of(state_->keepers.begin(), state_->keepers.end(),
                       [](const auto& keeper) { return keeper->settled; });
  };
  if (state_->options.on_slow &&
      !state_->changed.wait_for(lock, state_->options.slow_time, all_settled)) {
    std::vector<std::string> names;
    for (const auto& keeper : state_->keepers)
      if (!keeper->settled) names.push_back(keeper->name);
    lock.unlock();
    state_->options.on_slow(names);
    lock.lock();
  }
  state_->changed.wait(lock, all_settled);
}

Servers::Servers(Servers&&) noexcept = default;
Servers& Servers::operator=(Servers&&) noexcept = default;
Servers::~Servers() = default;

std::vector<Servers::OfferedTool> Servers::tools() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<OfferedTool> all;
  for (const auto& keeper : state_->keepers)
    for (const Tool& tool : keeper->tools) all.push_back({keeper->name, tool});
  return all;
}

std::vector<Servers::Failure> Servers::failures() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Failure> all;
  for (const auto& keeper : state_->keepers)
    if (!keeper->server) all.push_back({keeper->name, keeper->failure});
  return all;
}

std::optional<Server> Servers::find(const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  for (const auto& keeper : state_->keepers)
    if (keeper->name == name && keeper->server) return keeper->server;
  return std::nullopt;
}

CallToolResult Servers::call_tool(const std::string& server, std::string tool, Json arguments,
                                  CallOptions options) const {
  if (const std::optional<Server> found = find(server))
    return found->call_tool(std::move(tool), std::move(arguments), options).wait();
  for (const Failure& failure : failures())
    if (failure.server == server)
      throw Refused("the server " + server + " is not connected: " + failure.reason);
  throw Refused("there is no server " + server);
}

}  // namespace acp::mcp
