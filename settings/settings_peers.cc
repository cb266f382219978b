#include <toml++/toml.h>

#include "acp/http/url.h"
#include "settings/file.h"
#include "settings/settings_tables.h"

namespace acp::settings {

namespace {

bool is_agent_name(const std::string& name) {
  return !name.empty() && name != "acp" &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") == std::string::npos;
}

bool is_server_name(const std::string& name) {
  return !name.empty() && name != "none" &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             std::string::npos;
}

// "~/" is the home directory.
std::string file_of(const TomlValues& values, const toml::node& value, const std::string& name) {
  std::string file = with_home(values.text(value, name));
  if (!file.starts_with('/'))
    values.refuse(value, name + ": expected an absolute path, or one that begins with ~/");
  return file;
}

void read_agent(const TomlValues& values, const std::string& name, const toml::table& given,
                Settings& settings) {
  const std::string prefix = "agents." + name + ".";
  AgentSettings agent{.name = name, .command = {}, .source = values.at(given)};
  static const std::vector<std::string> known = {"command",    "args",    "env",    "url",
                                                 "token_file", "headers", "ca_file"};
  for (const auto& [key, value] : given) {
    values.must_be_known(key, value, prefix, known);
    const std::string field(key.str());
    agent.sources[field] = values.at(value);
    if (field == "command") agent.command = values.text(value, prefix + field);
    if (field == "args") agent.args = values.words(value, prefix + field);
    if (field == "url") {
      agent.url = values.text(value, prefix + field);
      const http::UrlParts parts = http::parts_of(agent.url);
      // Not repeated: who knows what it holds.
      if (parts.host.empty())
        values.refuse(value, prefix +
                                 "url: expected a URL that begins with http://, https://, ws:// or "
                                 "wss://");
      if (!parts.credentials.empty())
        values.refuse(value, prefix + "url: no passwords in the URL; use token_file or headers");
    }
    if (field == "token_file" || field == "ca_file")
      (field == "token_file" ? agent.token_file : agent.ca_file) =
          file_of(values, value, prefix + field);
    if (field == "env" || field == "headers") {
      agent.sources.erase(field);
      (field == "env" ? agent.env : agent.headers) =
          values.variables(value, prefix + field, agent.sources);
    }
  }
  if (agent.command.empty() == agent.url.empty())
    values.refuse(given, "agents." + name + ": either a command or a url is wanted");
  if (agent.url.empty() &&
      (!agent.token_file.empty() || !agent.ca_file.empty() || !agent.headers.empty()))
    values.refuse(
        given, "agents." + name + ": token_file, ca_file and headers are for an agent with a url");
  if (agent.command.empty() && (!agent.args.empty() || !agent.env.empty()))
    values.refuse(given, "agents." + name + ": args and env are for an agent with a command");
  settings.agents[name] = std::move(agent);
}

void read_server(const TomlValues& values, const std::string& name, const toml::table& given,
                 Settings& settings) {
  using Transport = McpServerSettings::Transport;
  const std::string prefix = "mcp." + name + ".";
  McpServerSettings server{.name = name, .source = values.at(given)};
  static const std::vector<std::string> known = {"command", "args", "env",
                                                 "url",     "type", "headers"};
  for (const auto& [key, value] : given) {
    values.must_be_known(key, value, prefix, known);
    const std::string field(key.str());
    server.sources[field] = values.at(value);
    if (field == "command") server.command = values.text(value, prefix + field);
    if (field == "args") server.args = values.words(value, prefix + field);
    if (field == "url") {
      server.url = values.text(value, prefix + field);
      // Not repeated: who knows what it holds.
      if (http::origin_of(server.url).empty())
        values.refuse(value, prefix + "url: expected a URL that begins with http:// or https://");
      if (server.transport == Transport::stdio) server.transport = Transport::http;
    }
    if (field == "type") {
      const std::string type = values.text(value, prefix + field);
      if (type != "http" && type != "sse")
        values.refuse(value, prefix + "type: expected \"http\" or \"sse\", got \"" + type + "\"");
      server.transport = type == "sse" ? Transport::sse : Transport::http;
    }
    if (field == "env" || field == "headers") {
      server.sources.erase(field);
      (field == "env" ? server.env : server.headers) =
          values.variables(value, prefix + field, server.sources);
    }
  }
  if (server.command.empty() == server.url.empty())
    values.refuse(given, "mcp." + name + ": either a command or a url is wanted");
  if (server.url.empty() && (!server.headers.empty() || server.transport != Transport::stdio))
    values.refuse(given, "mcp." + name + ": type and headers are for a server with a url");
  if (server.command.empty() && (!server.args.empty() || !server.env.empty()))
    values.refuse(given, "mcp." + name + ": args and env are for a server with a command");
  settings.mcp[name] = std::move(server);
}

}  // namespace

void read_agents(const TomlValues& values, const toml::node& node, Settings& settings) {
  for (const auto& [key, value] : values.table(node, "agents")) {
    const std::string name(key.str());
    if (!is_agent_name(name))
      values.refuse(
          value,
          "agents: a name has small letters, digits, '-', '_' and '.', and is not \"acp\", "
          "the built-in one; got \"" +
              name + "\"");
    read_agent(values, name, values.table(value, "agents." + name), settings);
  }
}

void read_servers(const TomlValues& values, const toml::node& node, Settings& settings) {
  for (const auto& [key, value] : values.table(node, "mcp")) {
    const std::string name(key.str());
    if (!is_server_name(name))
      values.refuse(
          value, "mcp: a name has letters, digits, '-', '_' and '.', and is not \"none\"; got \"" +
                     name + "\"");
    read_server(values, name, values.table(value, "mcp." + name), settings);
  }
}

}  // namespace acp::settings
