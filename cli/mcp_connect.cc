#include "cli/mcp_connect.h"

#include <atomic>
#include <iostream>
#include <memory>

#include "acp/io/printable.h"
#include "cli/mcp_arguments.h"
#include "cli/mcp_print.h"
#include "cli/seconds.h"

namespace acp::cli {

void say(const std::string& what) { std::cerr << "acp mcp: " + what + "\n"; }

namespace {

v1::McpServer config_of(const ServerChoice& choice) {
  if (!choice.command.empty() && !choice.url.empty())
    throw BadUsage("either --url or a command behind --, not both");
  if (choice.url.empty()) {
    if (choice.command.empty())
      throw BadUsage("which server? Give its command behind --, or --url URL");
    if (choice.sse || !choice.headers.empty()) throw BadUsage("--sse and --header belong to --url");
    v1::McpServerStdio stdio;
    stdio.name = stdio.command = choice.command.front();
    stdio.args.assign(choice.command.begin() + 1, choice.command.end());
    return stdio;
  }
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
  return client.connect(config_of(choice));
}

}  // namespace acp::cli
