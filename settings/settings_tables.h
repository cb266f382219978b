// The tables of a file of settings that name things: providers, agents, MCP servers.
#pragma once

#include "settings/settings.h"
#include "settings/toml_values.h"

namespace acp::settings {

// On top of what is known of them already. They throw SettingsError.
void read_providers(const TomlValues& values, const toml::node& node, Settings& settings);
void read_agents(const TomlValues& values, const toml::node& node, Settings& settings);
void read_servers(const TomlValues& values, const toml::node& node, Settings& settings);

}  // namespace acp::settings
