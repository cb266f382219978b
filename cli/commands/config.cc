// acp config: which model is used and why, which files count, what is set, and where.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "acp/workspace/policy_store.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/commands/config_place.h"
#include "cli/commands/model_order.h"
#include "coder/coder.h"
#include "settings/file.h"
#include "settings/keys.h"
#include "settings/settings.h"
#include "settings/toml_edit.h"

namespace acp::cli {
namespace {

using settings::DescribedSetting;

struct Options {
  std::string directory = ".";
  bool json = false;
};

void warn_of_other_keys(const settings::Settings& settings, const settings::Keys& keys) {
  for (const std::string& name : keys.all())
    if (settings.providers.count(name) == 0)
      std::cerr << "acp config: " << keys.path() << " has a key for " << name
                << ", which is no provider\n";
}

struct File {
  std::string name, path, about;
};

std::vector<File> files_of(const std::string& project) {
  return {{"files.user", settings::user_settings_path(), "your settings"},
          {"files.project", settings::project_settings_path(project), "this project's settings"},
          {"files.keys", settings::Keys::default_path(), "keys: 'acp agent --login PROVIDER'"},
          {"files.policy", workspace::PolicyStore::default_path(), "rules: 'acp policy'"}};
}

bool is_there(const File& file) { return !settings::file_stamp(file.path).empty(); }

// In comments, since the rest can be written into a file.
void print_head(const coder::ModelReport& model, const std::string& project) {
  std::cout << "# Model: " << io::one_line(model.stands_in ? "none" : model.chosen, io::whole)
            << ", " << io::one_line(model.why, io::whole) << "\n";
  if (model.stands_in) std::cout << "#   " << stand_in << "\n";
  if (!model.trouble.empty())
    std::cout << "#   " << (model.missing ? "There is no such model: " : "It cannot be used yet: ")
              << io::one_line(model.trouble, io::whole) << "\n";
  std::cout << "#   'acp models' lists what can be used; 'acp config set model PROVIDER/NAME' "
               "chooses\n# Files:\n";
  for (const File& file : files_of(project))
    if (!file.path.empty())
      std::cout << "#   " << io::one_line(file.path, io::whole) << "  (" << file.about
                << (is_there(file) ? "" : "; not there") << ")\n";
  std::cout << "\n";
}

void print_settings(const std::vector<DescribedSetting>& lines) {
  std::size_t width = 0;
  const auto written = [](const DescribedSetting& line) {
    return io::one_line(line.name + " = " + line.value, io::whole);
  };
  constexpr std::size_t widest = 60;
  for (const DescribedSetting& line : lines)
    if (const std::size_t size = written(line).size(); size <= widest)
      width = std::max(width, size);
  for (const DescribedSetting& line : lines) {
    std::string text = written(line);
    if (text.size() < width) text.append(width - text.size(), ' ');
    std::cout << text << "  # " << io::one_line(line.source, io::whole) << "\n";
  }
}

// Also where there is no such model: what is set is shown all the same.
coder::ModelReport used_model(const std::string& project) {
  coder::CoderOptions options;
  options.any_model = true;
  return coder::Coder(options).report_models(project, false);
}

void print_object(const std::string& name, const Json& value, const std::string& source) {
  std::cout << io::printable_json(
                   Json::object({{"name", name}, {"value", value}, {"source", source}}).text())
            << "\n";
}

int show(const Options& options) {
  const settings::Settings settings = settings_in(options.directory);
  const std::string project = existing_directory(options.directory);
  const std::vector<DescribedSetting> lines = described_settings(settings);
  warn_of_other_keys(settings, settings::Keys());
  for (const std::string& note : settings.notes) std::cerr << "acp config: " << note << "\n";
  const coder::ModelReport model = used_model(project);
  if (!options.json) {
    print_head(model, project);
    print_settings(lines);
    return 0;
  }
  for (const DescribedSetting& line : lines) cli::print_json(line);
  for (const File& file : files_of(project))
    print_object(file.name, file.path, is_there(file) ? "there" : "not there");
  std::string why = model.why;
  if (model.stands_in) why += std::string("; ") + stand_in;
  if (!model.trouble.empty()) why += "; not usable: " + model.trouble;
  print_object("used.model", model.chosen, why);
  return 0;
}

void add_show_options(const Command& command, Options& options) {
  command
      .add_option("--cwd", options.directory,
                  "The project whose .acp/config.toml counts (default: the current directory)")
      ->type_name("DIR");
  command.add_flag("--json", options.json, "One JSON object a line: name, value, source");
}

}  // namespace

settings::Settings settings_in(const std::string& directory) {
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  sources.any_model = true;
  sources.project_directory = existing_directory(directory);
  return settings::load_settings(sources);
}

std::vector<DescribedSetting> described_settings(const settings::Settings& settings) {
  std::vector<DescribedSetting> lines = settings::describe(settings);
  const settings::Keys keys;
  for (const auto& [name, provider] : settings.providers) {
    const auto source = keys.source(provider);
    if (!source && provider.is_usual_server()) continue;
    const std::string nowhere =
        keys.path().empty() ? "not in " + provider.key_variable
                            : "neither in " + provider.key_variable + " nor in " + keys.path();
    lines.push_back({"providers." + name + ".key",
                     source               ? "set"
                     : provider.needs_key ? "missing"
                                          : "not needed",
                     source.value_or(nowhere)});
  }
  return lines;
}

std::string plain_name(const std::string& key) {
  std::string name;
  for (const std::string& part : settings::toml_path(key)) name += (name.empty() ? "" : ".") + part;
  return name;
}

void print_json(const DescribedSetting& line) {
  print_object(line.name, settings::json_of_toml(line.value), line.source);
}

void add_config_command(const Command& app, Action& action) {
  const auto options = std::make_shared<Options>();
  const Command config =
      app.add_subcommand("config", "Which model is used and why; settings: show, get, set, unset");
  add_show_options(config, *options);
  config.require_subcommand(0, 1);
  config.footer(
      std::string(
          "A later one counts before an earlier one: what is built in, your file, the "
          "project's file, the\nenvironment, the command line. The model is the first of: ") +
      model_order + ".\nSee docs/configuration.md.");
  const auto shows = [options, &action] {
    action = [options] { return told("acp config", [&] { return show(*options); }); };
  };
  const Command show_command =
      config.add_subcommand("show", "The same as 'acp config' without a command");
  add_show_options(show_command, *options);
  show_command.callback(shows);
  add_config_changes(config, action);
  config.callback([shows, config] {
    if (!config.has_subcommand()) shows();
  });
}

}  // namespace acp::cli
