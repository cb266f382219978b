#include "chat/mcp_servers.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "chat/program.h"
#include "settings/secrets.h"

namespace acp::chat {

namespace {

using settings::McpServerSettings;

// As the protocol wants it: the agent may run elsewhere, and look elsewhere. Nothing if there is no
// such program.
std::optional<std::string> absolute_program(const std::string& command) {
  const bool name = command.find('/') == std::string::npos;
  const std::optional<std::string> found = name ? find_program(command) : command;
  if (!found) return std::nullopt;
  return std::filesystem::absolute(*found).lexically_normal().string();
}

template <class Server>
Server with_headers(const McpServerSettings& given) {
  Server server;
  server.name = given.name;
  server.url = given.url;
  for (const auto& [name, value] : given.headers) {
    v1::HttpHeader header;
    header.name = name;
    header.value = settings::expanded(value, given.sources.at("headers." + name));
    server.headers.push_back(std::move(header));
  }
  return server;
}

v1::McpServer as_server(const McpServerSettings& given) {
  if (given.transport == McpServerSettings::Transport::http)
    return with_headers<v1::McpServerHttp>(given);
  if (given.transport == McpServerSettings::Transport::sse)
    return with_headers<v1::McpServerSse>(given);
  v1::McpServerStdio server;
  server.name = given.name;
  server.command = absolute_program(given.command).value_or(given.command);
  server.args = given.args;
  for (const auto& [name, value] : given.env) {
    v1::EnvVariable variable;
    variable.name = name;
    variable.value = settings::expanded(value, given.sources.at("env." + name));
    server.env.push_back(std::move(variable));
  }
  return server;
}

v1::McpServer from_word(const std::string& name, const std::string& value) {
  if (value.starts_with("http://") || value.starts_with("https://")) {
    v1::McpServerHttp server;
    server.name = name;
    server.url = value;
    return server;
  }
  v1::McpServerStdio server;
  server.name = name;
  std::istringstream words(value);
  words >> server.command;
  for (std::string arg; words >> arg;) server.args.push_back(arg);
  if (server.command.empty()) throw NoSuchServer("--mcp " + name + ": the command is missing");
  const auto program = absolute_program(server.command);
  if (!program) throw NoSuchServer("--mcp: " + server.command + ": command not found");
  server.command = *program;
  return server;
}

}  // namespace

std::vector<v1::McpServer> chosen_servers(const settings::Settings& settings,
                                          const std::vector<std::string>& words) {
  std::vector<v1::McpServer> servers;
  if (words.empty())
    for (const auto& [name, given] : settings.mcp) servers.push_back(as_server(given));
  if (words.size() == 1 && words.front() == "none") return servers;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      if (equals == 0 || equals + 1 == word.size())
        throw NoSuchServer("--mcp: expected NAME, NAME=URL or NAME=COMMAND, got '" + word + "'");
      servers.push_back(from_word(word.substr(0, equals), word.substr(equals + 1)));
      continue;
    }
    const auto found = settings.mcp.find(word);
    if (found == settings.mcp.end()) {
      std::string known;
      for (const auto& [name, given] : settings.mcp) known += (known.empty() ? "" : ", ") + name;
      throw NoSuchServer("--mcp: there is no server \"" + word + "\" in your configuration" +
                         (known.empty() ? "" : ", only " + known));
    }
    servers.push_back(as_server(found->second));
  }
  return servers;
}

std::string name_of(const v1::McpServer& server) {
  return std::visit(
      [](const auto& one) -> std::string {
        if constexpr (requires { one.name; })
          return one.name;
        else
          return one.tag;
      },
      server);
}

std::string describe(const v1::McpServer& server) {
  if (const auto* own = std::get_if<v1::McpServerStdio>(&server)) {
    std::string words = "stdio  " + own->command;
    for (const std::string& arg : own->args) words += " " + arg;
    return words;
  }
  if (const auto* http = std::get_if<v1::McpServerHttp>(&server)) return "http  " + http->url;
  if (const auto* sse = std::get_if<v1::McpServerSse>(&server)) return "sse  " + sse->url;
  return "unknown";
}

std::optional<std::string> not_taken(const v1::McpServer& server, bool takes_kind) {
  const auto* const stdio = std::get_if<v1::McpServerStdio>(&server);
  if (stdio != nullptr && !stdio->command.starts_with('/'))
    return stdio->command + ": command not found";
  if (takes_kind) return std::nullopt;
  if (stdio != nullptr) return "the agent takes no MCP servers on stdio";
  return std::string("the agent takes no MCP servers over ") +
         (std::holds_alternative<v1::McpServerSse>(server) ? "sse" : "http");
}

std::optional<std::string> not_taken(const v1::McpServer& server, const AgentHandle& agent) {
  return not_taken(server, agent.takes(server));
}

std::vector<v1::McpServer> taken(const std::vector<v1::McpServer>& servers,
                                 const AgentHandle& agent) {
  std::vector<v1::McpServer> out;
  std::copy_if(servers.begin(), servers.end(), std::back_inserter(out),
               [&](const v1::McpServer& server) { return !not_taken(server, agent); });
  return out;
}

}  // namespace acp::chat
