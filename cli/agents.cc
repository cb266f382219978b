// acp agents: which agents can be started by a name.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "acp/json/json.h"
#include "chat/agents.h"
#include "chat/program.h"
#include "cli/command.h"
#include "cli/mcp_print.h"
#include "settings/settings.h"

namespace acp::cli {
namespace {

using chat::KnownAgent;

int list(bool json) {
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  const settings::Settings settings = settings::load_settings(sources);
  Table table({"NAME", "COMMAND", "INSTALLED", "SOURCE"});
  for (const KnownAgent& agent : chat::known_agents(settings)) {
    const auto found = chat::find_program(agent.argv.front());
    if (json) {
      Json command = Json::array();
      for (const std::string& word : agent.argv) command.append(word);
      Json object = Json::object({{"name", agent.name},
                                  {"kind", chat::to_string(agent.kind)},
                                  {"command", command},
                                  {"installed", found ? Json(*found) : Json(nullptr)},
                                  {"source", agent.source}});
      const auto set = [&](const char* name, const std::string& value) {
        if (!value.empty()) object.set(name, value);
      };
      set("read", agent.read);
      set("install", agent.install);
      set("withoutInstalling", agent.without_installing);
      std::cout << object.text() << "\n";
      continue;
    }
    const bool ours = agent.kind == KnownAgent::Kind::built_in;
    table.add({agent.name, ours ? "acp agent" : printable(io::command_line(agent.argv)),
               printable(found.value_or("no")),
               printable(agent.source + (agent.read.empty() ? "" : ", read " + agent.read))});
  }
  if (!json) table.print(std::cout);
  return 0;
}

}  // namespace

void add_agents_command(CLI::App& app, Action& action) {
  CLI::App& agents = *app.add_subcommand("agents", "Which agents can be started by a name");
  const auto json = std::make_shared<bool>(false);
  agents.add_flag("--json", *json, "One JSON object a line");
  agents.footer(
      "An agent of your own is a table in ~/.config/acp/config.toml:\n"
      "  [agents.mine]\n  command = \"my-agent\"\n  args = [\"--acp\"]\n  env = {LEVEL = \"3\"}\n"
      "The others are as docs/agent-presets.md has them.");
  agents.callback([json, &action] {
    action = [json] {
      try {
        return list(*json);
      } catch (const settings::SettingsError& error) {
        std::cerr << "acp agents: " << error.what() << "\n";
        return 1;
      }
    };
  });
}

}  // namespace acp::cli
