#include "chat/agents.h"

#include <filesystem>

#include "chat/presets.h"
#include "chat/program.h"
#include "chat/remote_agent.h"
#include "settings/closest.h"
#include "settings/secrets.h"

namespace acp::chat {

namespace {
constexpr const char* header_variable = "ACP_HEADER_";
}

const char* to_string(KnownAgent::Kind kind) {
  switch (kind) {
    case KnownAgent::Kind::built_in:
      return "built in";
    case KnownAgent::Kind::own:
      return "own";
    case KnownAgent::Kind::preset:
      return "preset";
    case KnownAgent::Kind::command:
      return "command";
    case KnownAgent::Kind::remote:
      return "remote";
  }
  return "";
}

std::string KnownAgent::advice(const std::string& typed) const {
  std::string text;
  if (!install.empty()) text = "It is installed by: " + install;
  if (!without_installing.empty())
    text += (text.empty() ? "" : "\n") + std::string("Without installing it: ") + typed + " -- " +
            without_installing;
  return text;
}

std::vector<std::string> KnownAgent::words() const {
  std::vector<std::string> words = argv;
  if (remote_command.empty()) return words;
  words.push_back("--");
  words.insert(words.end(), remote_command.begin(), remote_command.end());
  return words;
}

io::ProcessOptions KnownAgent::process() const {
  io::ProcessOptions options;
  options.argv = words();
  options.environment = environment();
  return options;
}

std::vector<io::EnvironmentEdit> KnownAgent::environment() const {
  std::vector<io::EnvironmentEdit> edits = settings::without_variables(withheld);
  for (const auto& [variable, value] : env) edits.push_back({variable, value});
  return edits;
}

namespace {

// Headers may be secret: they go by its environment, never by its command line.
KnownAgent agent_at_url(const settings::AgentSettings& given) {
  AgentAddress remote{.url = given.url};
  std::map<std::string, std::string> env;
  for (const auto& [name, value] : given.headers) {
    const std::string variable = header_variable + std::to_string(env.size() + 1);
    env[variable] = value;
    remote.words.insert(remote.words.end(), {"--header", name + ": $" + variable});
  }
  if (!given.token_file.empty())
    remote.words.insert(remote.words.end(), {"--token-file", given.token_file});
  if (!given.ca_file.empty()) remote.words.insert(remote.words.end(), {"--ca-file", given.ca_file});
  KnownAgent agent = agent_elsewhere(remote);
  agent.env = std::move(env);
  return agent;
}

}  // namespace

std::vector<KnownAgent> known_agents(const settings::Settings& settings) {
  std::vector<KnownAgent> agents;
  KnownAgent ours{.name = built_in_agent, .kind = KnownAgent::Kind::built_in};
  ours.argv = {own_program(), "agent"};
  ours.source = "built in";
  agents.push_back(std::move(ours));
  const std::vector<std::string> secrets = settings::secret_variables(settings);
  for (const auto& [name, given] : settings.agents) {
    KnownAgent own{.name = {}};
    if (given.url.empty()) {
      own.argv.push_back(given.command);
      own.argv.insert(own.argv.end(), given.args.begin(), given.args.end());
      own.env = given.env;
    } else {
      own = agent_at_url(given);
    }
    own.name = name;
    own.kind = KnownAgent::Kind::own;
    own.withheld = secrets;
    if (own.elsewhere) std::erase(own.withheld, "ACP_TOKEN");  // it is for its server
    own.source = given.source;
    agents.push_back(std::move(own));
  }
  for (const Preset& preset : presets()) {
    if (settings.agents.count(preset.name) != 0) continue;
    KnownAgent known{.name = preset.name, .kind = KnownAgent::Kind::preset};
    known.argv.assign(preset.command.begin(), preset.command.end());
    known.withheld = secrets;
    for (const char* const variable : preset.key_variables)
      std::erase(known.withheld, std::string(variable));
    known.source = preset.source;
    known.read = preset.read;
    known.install = preset.install;
    known.without_installing = preset.without_installing;
    agents.push_back(std::move(known));
  }
  return agents;
}

KnownAgent find_agent(const settings::Settings& settings, const std::string& name) {
  std::string names;
  std::vector<std::string> known;
  for (KnownAgent& agent : known_agents(settings)) {
    if (agent.name == name) return std::move(agent);
    names += (names.empty() ? "" : ", ") + agent.name;
    known.push_back(agent.name);
  }
  const std::string meant = settings::closest(name, known);
  throw UnknownAgent("there is no agent \"" + name + "\", only: " + names +
                     (meant.empty() ? "" : "; did you mean " + meant + "?"));
}

KnownAgent agent_of_command(std::vector<std::string> argv) {
  // From another directory it must be the same program.
  if (!argv.empty() && argv[0].find('/') != std::string::npos)
    argv[0] = std::filesystem::absolute(argv[0]).lexically_normal().string();
  KnownAgent agent{.name = io::command_line(argv)};
  agent.argv = std::move(argv);
  agent.source = "the command line";
  return agent;
}

KnownAgent chosen_agent(const std::string& name, const std::vector<std::string>& command) {
  if (!command.empty()) {
    if (!name.empty()) throw UnknownAgent("either --agent or a command after --, not both");
    return agent_of_command(command);
  }
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  sources.any_model = true;
  const settings::Settings settings = settings::load_settings(sources);
  KnownAgent agent = find_agent(settings, name.empty() ? built_in_agent : name);
  for (auto& [variable, value] : agent.env) {
    const settings::AgentSettings& given = settings.agents.at(agent.name);
    const auto source = given.sources.find("env." + variable);
    value =
        settings::expanded(value, source == given.sources.end() ? given.source : source->second);
  }
  return agent;
}

}  // namespace acp::chat
