// The tables of a file of settings that name things: providers, agents, MCP servers.
#pragma once

#include "settings/settings.h"
#include "settings/toml_values.h"

namespace acp::settings {

// Read tables on top of earlier ones. They throw SettingsError.
void read_providers(const TomlValues& values, const toml::node& node, Settings& settings);
void read_agents(const TomlValues& values, const toml::node& node, Settings& settings);
void read_servers(const TomlValues& values, const toml::node& node, Settings& settings);

// Returns the URL without a slash at its end. Throws SettingsError, which begins with `source`.
std::string checked_base_url(const std::string& url, const std::string& source);
// OPENAI_API_KEY for openai.
std::string default_key_variable(std::string provider);

}  // namespace acp::settings
