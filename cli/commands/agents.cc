// acp agents: which agents can be started by a name.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "acp/json/utf8.h"
#include "chat/agents.h"
#include "chat/program.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/table.h"
#include "settings/settings.h"

namespace acp::cli {
namespace {

using chat::KnownAgent;

// Without npx itself being the agent.
std::string where(const KnownAgent& agent, const std::optional<std::string>& found, bool verbose) {
  if (agent.elsewhere) return "elsewhere";
  if (!found) return "no";
  if (agent.argv.front() == "npx") return "by npx";
  return verbose ? *found : "yes";
}

// Of a long command the beginning: a row is no wider than a terminal.
std::string shortened(const std::string& command) { return json::utf8_shortened(command, 50); }

int list(bool json, bool verbose) {
  const settings::Settings settings = user_settings();
  std::vector<std::string> titles = {"NAME", "COMMAND", "INSTALLED"};
  if (verbose) titles.push_back("SOURCE");
  Table table(titles);
  for (const KnownAgent& agent : chat::known_agents(settings)) {
    const auto found = agent.elsewhere ? std::nullopt : chat::find_program(agent.argv.front());
    if (json) {
      Json command = Json::array();
      for (const std::string& word : agent.argv) command.append(word);
      Json object = Json::object({{"name", agent.name}, {"kind", chat::to_string(agent.kind)}});
      if (agent.elsewhere) {
        object.set("url", agent.place);
      } else {
        object.set("command", command);
        object.set("installed", found ? Json(*found) : Json(nullptr));
      }
      object.set("source", agent.source);
      const auto set = [&](const char* name, const std::string& value) {
        if (!value.empty()) object.set(name, value);
      };
      set("read", agent.read);
      set("install", agent.install);
      set("withoutInstalling", agent.without_installing);
      std::cout << io::printable_json(object.text()) << "\n";
      continue;
    }
    const bool ours = agent.kind == KnownAgent::Kind::built_in;
    const std::string command = ours              ? "acp agent"
                                : agent.elsewhere ? agent.place
                                                  : io::command_line(agent.argv);
    std::vector<std::string> row = {agent.name, verbose ? command : shortened(command),
                                    where(agent, found, verbose)};
    if (verbose) row.push_back(agent.source + (agent.read.empty() ? "" : ", read " + agent.read));
    table.add(std::move(row));
  }
  if (!json) table.print();
  return 0;
}

}  // namespace

void add_agents_command(const Command& app, Action& action) {
  const Command agents = app.add_subcommand("agents", "Which agents can be started by a name");
  struct Options {
    bool json = false, verbose = false;
  };
  const auto options = std::make_shared<Options>();
  agents.add_flag("--json", options->json, "One JSON object a line");
  agents.add_flag("-v,--verbose", options->verbose,
                  "Also where each is installed, and where its command is said");
  agents.footer(
      "An agent of your own is a table in ~/.config/acp/config.toml:\n"
      "  [agents.mine]\n  command = \"my-agent\"\n  args = [\"--acp\"]\n  env = {LEVEL = \"3\"}\n"
      "One on another machine has a url instead of a command, and perhaps a token_file:\n"
      "  [agents.far]\n  url = \"https://host.example/acp\"\n  token_file = "
      "\"~/.config/acp/far.token\"\n"
      "The others are as docs/agent-presets.md has them.");
  agents.callback([options, &action] {
    action = [options] {
      return told("acp agents", [&] { return list(options->json, options->verbose); });
    };
  });
}

}  // namespace acp::cli
