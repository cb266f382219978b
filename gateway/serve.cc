#include "gateway/serve.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "acp/io/printable.h"
#include "acp/io/quiet_thread.h"
#include "acp/json/json.h"
#include "acp/start_failed.h"
#include "gateway/descriptors.h"
#include "gateway/log_writer.h"
#include "gateway/roots.h"
#include "gateway/served_agent.h"

namespace acp::gateway {

namespace {

std::string time_text(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

constexpr const char* info = "info";
// At a time, beside the streams of its sessions.
constexpr std::size_t requests_of_a_client = 32;

// Lines of several threads. The network's thread is one of them, and must not wait for the one who
// reads standard error.
class Log {
 public:
  explicit Log(bool json)
      : json_(json), writer_([](std::string_view text) { std::cerr << text << std::flush; }) {}
  void access(const remote::Access& access) {
    line(access_line(access, json_, std::chrono::system_clock::now()));
  }
  // `more`: members of the JSON line.
  void say(const std::string& level, const std::string& text,
           std::initializer_list<std::pair<const char*, std::string>> more = {}) {
    if (!json_) {
      return line("acp serve: " + (level == info ? "" : level + ": ") + text);
    }
    Json made = Json::object({{"time", time_text(std::chrono::system_clock::now())},
                              {"level", level},
                              {"message", text}});
    for (const auto& [name, value] : more) made.set(name, value);
    line(made.text());
  }
  // For people, whatever the form of the log.
  void plain(const std::string& text) { line("acp serve: " + text); }

 private:
  void line(const std::string& text) { writer_.add(io::printable(text)); }
  const bool json_;
  LogWriter writer_;
};

class Serving {
 public:
  explicit Serving(const ServeOptions& options)
      : options_(options), roots_(options.roots), logins_(options.logins), log_(options.json_log) {
    remote::ServerOptions server = options.server;
    server.limits.max_sockets = share_out_descriptors();
    server.limits.max_sockets_per_client = options.max_sessions + requests_of_a_client;
    // One address cannot take all of them without a token.
    server.limits.max_unknown_sockets =
        std::max<std::size_t>(server.limits.max_sockets / 4, requests_of_a_client);
    server.authorize = [this](const remote::RequestHead& head) { return logins_.decide(head); };
    server.log = [this](const LogEntry& entry) { log(entry); };
    if (!options.quiet)
      server.access_log = [this](const remote::Access& access) { log_.access(access); };
    server_.emplace(std::move(server));
  }

  int run(const std::stop_token& stop) {
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
    server_->start([this](remote::Incoming incoming) { begin(std::move(incoming)); });
    say_where();
    on_stop.emplace(stop, [this] {
      log_.say(info, "no new clients; running turns have " +
                         std::to_string(options_.drain.count() / 1000) + " s");
      server_->drain(options_.drain);
    });
    server_->wait();
    agents_.wait();
    return 0;
  }

 private:
  // How many sockets may be open at a time.
  std::size_t share_out_descriptors() {
    const std::size_t clients = options_.server.limits.max_connections;
    const std::size_t allowed = allow_descriptors(descriptors_for(clients));
    const DescriptorShares shares = share_descriptors(allowed, clients);
    if (shares.clients < clients)
      log_.say("warning", "this process may have " + std::to_string(allowed) +
                              " files open: enough for about " + std::to_string(shares.clients) +
                              " clients of " + std::to_string(clients) +
                              " (raise 'ulimit -n', or lower --max-connections)");
    return std::min(shares.sockets, options_.server.limits.max_sockets);
  }
  void say_where() {
    log_.say(info, options_.agent_name + " at " + server_->url() + ", for " + roots_.list(),
             {{"url", server_->url()}});
    if (options_.shows_token)
      log_.plain("the token, shown this once: " + options_.logins.tokens.front());
    for (const std::string& file : options_.token_files) log_.say(info, "the token is in " + file);
  }
  void log(const LogEntry& entry) {
    if (entry.level != LogEntry::Level::debug)
      log_.say(std::string(to_string(entry.level)), entry.message);
  }
  // Each client has a thread, which waits for the end of its agent.
  void begin(remote::Incoming incoming) {
    // Those of clients that have just gone may still be ending.
    if (agents_.running() >= 2 * options_.server.limits.max_connections)
      throw std::runtime_error("too many are still ending");
    agents_.add([this, incoming = std::make_shared<remote::Incoming>(std::move(incoming))] {
      serve_one(*incoming);
    });
  }

  void serve_one(remote::Incoming& incoming) {
    const std::string client = incoming.id.substr(0, 8);
    ServedAgentOptions options;
    options.sessions = {&roots_, options_.client_mcp, options_.max_sessions};
    options.agent = options_.agent;
    options.log = [this](const LogEntry& entry) { log(entry); };
    options.on_stderr = [this, &client](std::string_view line) {
      log_.say(info, client + ", the agent says: " + std::string(line), {{"connection", client}});
    };
    try {
      const int code = serve_agent(std::move(incoming.transport), options);
      if (code != 0)
        log_.say("warning", client + ": the agent ended with exit code " + std::to_string(code),
                 {{"connection", client}});
    } catch (const std::exception& failure) {
      log_.say("error", client + ": " + failure.what(), {{"connection", client}});
    }
  }

  const ServeOptions& options_;
  const Roots roots_;
  Logins logins_;
  Log log_;
  io::QuietThreads agents_;
  std::optional<remote::Server> server_;
};

}  // namespace

std::string access_line(const remote::Access& access, bool json,
                        std::chrono::system_clock::time_point now) {
  if (json) {
    Json line = Json::object({{"time", time_text(now)},
                              {"address", access.address},
                              {"method", access.method},
                              {"path", access.path},
                              {"status", access.status},
                              {"bytesIn", access.bytes_in},
                              {"bytesOut", access.bytes_out},
                              {"ms", access.time.count()}});
    if (!access.connection_id.empty()) line.set("connection", access.connection_id);
    if (!access.reason.empty()) line.set("reason", access.reason);
    return line.text();
  }
  std::string text = time_text(now) + " " + access.address + " " + access.method + " " +
                     access.path + " " + std::to_string(access.status) + " " +
                     std::to_string(access.bytes_in) + "/" + std::to_string(access.bytes_out) +
                     " bytes " + std::to_string(access.time.count()) + " ms";
  if (!access.connection_id.empty()) text += " " + access.connection_id;
  if (!access.reason.empty()) text += " (" + access.reason + ")";
  return text;
}

int serve(const ServeOptions& options, const std::stop_token& stop) {
  return Serving(options).run(stop);
}

}  // namespace acp::gateway
