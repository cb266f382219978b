#include "cli/commands/mcp_connect.h"

#include <atomic>
#include <iostream>
#include <memory>

#include "acp/http/url.h"
#include "acp/io/printable.h"
#include "chat/mcp_servers.h"
#include "cli/client_options.h"
#include "cli/commands/mcp_arguments.h"
#include "cli/commands/mcp_print.h"
#include "cli/seconds.h"
#include "settings/secrets.h"

namespace acp::cli {

void say(const std::string& what) { std::cerr << "acp mcp: " + what + "\n"; }

namespace {

// Those of the configuration, for a sentence.
std::string known_servers(const settings::Settings& settings) {
  std::string names;
  for (const auto& [name, server] : settings.mcp) names += (names.empty() ? "" : ", ") + name;
  return names;
}

v1::McpServer configured(const ServerChoice& choice, const settings::Settings& settings) {
  // Not repeated: it may hold a secret.
  if (choice.server.find("://") != std::string::npos)
    throw BadUsage("the address of a server stands after --url");
  const auto found = settings.mcp.find(choice.server);
  if (found == settings.mcp.end()) {
    const std::string known = known_servers(settings);
    throw BadUsage("there is no MCP server '" + choice.server + "' in your configuration, " +
                   (known.empty() ? "which has none: 'acp config set mcp." + choice.server +
                                        ".command COMMAND' adds it"
                                  : "only: " + known));
  }
  return chat::chosen_servers(settings, {choice.server}).front();
}

v1::McpServer config_of(const ServerChoice& choice) {
  const int ways = !choice.server.empty() + !choice.command.empty() + !choice.url.empty();
  if (ways > 1) throw BadUsage("which server? Only one of a name, --url and a command after --");
  if (ways == 0) {
    const std::string known = known_servers(user_settings());
    throw BadUsage(
        "which server? Give its command after --, --url URL, or --server NAME, one of your "
        "configuration" +
        (known.empty() ? " (which has none)" : " (" + known + ")"));
  }
  if (choice.url.empty()) {
    if (choice.sse || !choice.headers.empty()) throw BadUsage("--sse and --header belong to --url");
    if (!choice.server.empty()) return configured(choice, user_settings());
    v1::McpServerStdio stdio;
    stdio.name = stdio.command = choice.command.front();
    stdio.args.assign(choice.command.begin() + 1, choice.command.end());
    return stdio;
  }
  // Not repeated: it may hold a secret.
  if (http::origin_of(choice.url).empty())
    throw BadUsage(
        "--url: expected a URL that begins with http:// or https://, such as "
        "http://127.0.0.1:3001/mcp");
  std::vector<v1::HttpHeader> headers;
  for (const std::string& header : choice.headers) {
    const std::size_t colon = header.find(':');
    if (colon == 0 || colon == std::string::npos)
      throw BadUsage("--header wants NAME: VALUE");  // which may be a secret: it is not repeated
    const std::size_t value = header.find_first_not_of(' ', colon + 1);
    headers.emplace_back().name = header.substr(0, colon);
    headers.back().value = value == std::string::npos ? "" : header.substr(value);
  }
  if (choice.sse) {
    v1::McpServerSse sse;
    sse.name = sse.url = choice.url;
    sse.headers = std::move(headers);
    return sse;
  }
  v1::McpServerHttp http;
  http.name = http.url = choice.url;
  http.headers = std::move(headers);
  return http;
}

}  // namespace

mcp::Server connect(const ServerChoice& choice) {
  mcp::Client client("acp", ACP_VERSION);
  client.roots(choice.roots);
  if (choice.timeout > 0) {
    const std::chrono::milliseconds time = milliseconds(choice.timeout);
    client.handshake_time(time).request_time(time);
  }
  client.on_log([verbose = choice.verbose,
                 warnings = std::make_shared<std::atomic<int>>(0)](const LogEntry& entry) {
    constexpr int most = 10;  // a server that floods us should not flood the user
    if (entry.level == LogEntry::Level::debug && !verbose) return;
    if (entry.level == LogEntry::Level::debug) return say(io::printable(entry.message));
    const int count = ++*warnings;
    if (count <= most || verbose) say("warning: " + io::printable(entry.message));
    if (count == most + 1 && !verbose) say("warning: further warnings are shown with --verbose");
  });
  if (choice.verbose) {
    client.on_stderr([](std::string_view, std::string_view line) {
      std::cerr << "server: " + io::printable(line) + "\n";
    });
    client.on_log_message([](mcp::ServerContext, mcp::LogMessage message) {
      std::cerr << "log " + io::printable(message.level) + ": " +
                       io::printable(message.data.text()) + "\n";
    });
  }
  // A server that a file names gets no keys, as in a session; one that was typed gets everything.
  if (!choice.server.empty())
    client.without_variables(settings::Secrets(user_settings(), settings::Keys()).variables());
  return client.connect(config_of(choice)).wait();
}

}  // namespace acp::cli
