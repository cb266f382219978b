#include "settings/trusted_servers.h"

#include <toml++/toml.h>

#include <map>
#include <stdexcept>

#include "settings/file.h"

namespace acp::settings {

namespace {

using Table = std::map<std::string, bool>;

std::string name_of(const std::string& base_url, const std::string& owner) {
  return base_url + " of user " + (owner.empty() ? "unknown" : owner);
}

Table read(const std::string& path) {
  Table servers;
  const auto text = path.empty() ? std::nullopt : read_settings_file(path, Trust::owner);
  if (!text) return servers;
  try {
    for (const auto& [name, node] : toml::parse(*text)) {
      const auto trusted = node.value<bool>();
      if (!node.is_boolean() || !trusted)
        throw std::runtime_error(path + ":" + std::to_string(node.source().begin.line) +
                                 ": expected \"URL of user ID\" = true or false");
      servers[std::string(name.str())] = *trusted;
    }
  } catch (const toml::parse_error& error) {
    throw std::runtime_error(path + ":" + std::to_string(error.source().begin.line) +
                             ": this is no TOML");
  }
  return servers;
}

}  // namespace

std::string TrustedServers::default_path() { return configuration_path("servers.toml"); }

std::optional<bool> TrustedServers::answer(const std::string& base_url,
                                           const std::string& owner) const {
  const Table servers = read(path_);
  const auto found = servers.find(name_of(base_url, owner));
  return found == servers.end() ? std::nullopt : std::optional(found->second);
}

void TrustedServers::remember(const std::string& base_url, const std::string& owner,
                              bool trusted) const {
  if (path_.empty())
    throw std::runtime_error("neither XDG_CONFIG_HOME nor HOME is set: no place for the answer");
  const PrivateFileChange change(path_);
  Table servers = read(path_);
  servers[name_of(base_url, owner)] = trusted;
  std::string text = "# Model servers of other users on this machine: may `acp agent` use them?\n";
  for (const auto& [name, answer] : servers)
    text += "\"" + name + "\" = " + (answer ? "true" : "false") + "\n";
  change.write(text);
}

}  // namespace acp::settings
