// acp config get, set, unset and init.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/commands/config_place.h"
#include "settings/settings_edit.h"
#include "settings/toml_edit.h"

namespace acp::cli {
namespace {

struct Options {
  std::string directory = ".", key, value;
  std::vector<std::string> more_values;
  bool json = false;
};

// One value, for scripts; or all of a part, as `acp config` shows them.
int get(const Options& options) {
  const settings::Settings settings = settings_in(options.directory);
  const std::string plain = plain_name(options.key);
  const auto is_it = [&](const std::string& name) { return name == options.key || name == plain; };
  std::vector<settings::DescribedSetting> part;
  for (const settings::DescribedSetting& line : described_settings(settings)) {
    const bool below = line.name.starts_with(options.key + ".") ||
                       (!plain.empty() && line.name.starts_with(plain + "."));
    if (below) part.push_back(line);
    if (!is_it(line.name) || line.value.empty() || line.value == "\"\"") continue;
    if (options.json)
      print_json(line);
    else
      std::cout << io::printable(settings::plain_value(line.value)) << "\n";
    return 0;
  }
  for (const settings::DescribedSetting& line : part) {
    if (options.json)
      print_json(line);
    else
      std::cout << io::one_line(line.name + " = " + line.value, io::whole) << "\n";
  }
  if (!part.empty()) return 0;
  if (settings::known_setting(options.key) == nullptr)
    throw BadUsage(settings::no_setting(options.key) + " 'acp config' shows all that there are");
  std::cerr << "acp config get: " << io::one_line(options.key, io::whole) << " is not set\n";
  return 1;
}

// Something else may still be wrong, or count before the file.
int say_what_holds(const Options& options, const std::string& file, bool set) {
  try {
    const settings::Settings settings = settings_in(options.directory);
    for (const settings::DescribedSetting& line : settings::describe(settings))
      if (line.name == plain_name(options.key) && !line.source.starts_with(file + ":") &&
          (set || line.source != "built in"))
        std::cerr << "But " << line.source << " counts before it: " << line.name << " is "
                  << io::one_line(line.value, io::whole) << ".\n";
    if (!settings.model_problem.empty())
      std::cerr << "But " << io::one_line(settings.model_problem, io::whole) << ".\n";
  } catch (const settings::SettingsError& error) {
    std::cerr << "But something else is wrong: " << io::printable(error.what()) << ".\n";
  }
  return 0;
}

int set(const Options& options) {
  const std::string file = settings::user_settings_path();
  std::vector<std::string> values = {options.value};
  values.insert(values.end(), options.more_values.begin(), options.more_values.end());
  settings::change_setting(file, options.key, values);
  std::cerr << "Set in " << io::one_line(file, io::whole) << ".\n";
  return say_what_holds(options, file, true);
}

int unset(const Options& options) {
  const std::string file = settings::user_settings_path();
  if (settings::remove_setting(file, options.key)) {
    std::cerr << "Taken out of " << io::one_line(file, io::whole) << ".\n";
    return say_what_holds(options, file, false);
  }
  if (settings::known_setting(options.key) == nullptr && !settings::is_part(options.key))
    throw BadUsage(settings::no_setting(options.key) + " 'acp config' shows all that there are");
  std::cerr << "acp config unset: " << io::one_line(options.key, io::whole) << " is not set in "
            << io::one_line(file, io::whole) << "\n";
  return 1;
}

int init() {
  const std::string file = settings::user_settings_path();
  settings::make_settings_file(file);
  std::cout << io::one_line(file, io::whole) << "\n";
  return 0;
}

}  // namespace

void add_config_changes(const Command& config, Action& action) {
  const auto options = std::make_shared<Options>();
  const auto does = [&action](const Command& command, std::function<int()> what) {
    const std::string name = "acp config " + command.get_name();
    command.callback([&action, name, what] { action = [name, what] { return told(name, what); }; });
  };
  const Command get_command = config.add_subcommand("get", "Print one value, as it holds here");
  get_command
      .add_option("KEY", options->key,
                  "Its name, as 'acp config' shows it; or a part, such as providers.ollama")
      ->required();
  get_command
      .add_option("--cwd", options->directory, "The project (default: the current directory)")
      ->type_name("DIR");
  get_command.add_flag("--json", options->json, "With where it comes from, as JSON");
  get_command.footer("Exit code: 0; 1 if it is not set; 2 if there is no such setting.");
  does(get_command, [options] { return get(*options); });

  const Command set_command = config.add_subcommand("set", "Change one value in your file");
  set_command.add_option("KEY", options->key, "Its name, as 'acp config' shows it")->required();
  // The first alone: of an option with several values the parser takes a list in brackets apart.
  set_command
      .add_option("VALUE", options->value,
                  "Its value; of a list, each element a word of its own, or all of it in JSON")
      ->required();
  set_command.add_option("MORE", options->more_values)->group("");
  set_command.usage("KEY VALUE…");
  set_command.footer(
      "  acp config set model anthropic/claude-sonnet-4-5\n"
      "  acp config set limits.retries 2\n"
      "  acp config set providers.box.base_url http://192.168.1.5:8080/v1\n"
      "  acp config set providers.box.models qwen3 gemma3\n"
      "  acp config set agents.mine.args '[\"--acp\", \"--verbose\"]'\n"
      "A value that begins with a dash stands after --. Comments and the order of the file stay. "
      "Keys are\n"
      "not taken: 'acp agent --login PROVIDER' stores one.");
  does(set_command, [options] { return set(*options); });

  const Command unset_command = config.add_subcommand("unset", "Take a value out of your file");
  unset_command
      .add_option("KEY", options->key,
                  "Its name, as 'acp config' shows it; or a part, such as mcp.files")
      ->required();
  unset_command.footer(
      "What was there before holds again: the environment, or what is built in. Exit code: 0; 1 if "
      "your file does not set it; 2 if there is no such setting.");
  does(unset_command, [options] { return unset(*options); });

  const Command init_command =
      config.add_subcommand("init", "Write your file, with every setting as a comment");
  init_command.footer("A file that is there already is not changed.");
  does(init_command, init);
}

}  // namespace acp::cli
