// acp config: what is set, and where.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "acp/json/json.h"
#include "cli/command.h"
#include "settings/keys.h"
#include "settings/settings.h"

namespace acp::cli {
namespace {

using settings::DescribedSetting;

struct Options {
  std::string directory = ".";
  bool json = false;
};

int complain(const std::string& what) {
  std::cerr << "acp config: " << what << "\n";
  return 1;
}

// Which providers have a key: never the key.
void add_keys(const settings::Settings& settings, const settings::Keys& keys,
              std::vector<DescribedSetting>& lines) {
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
  for (const std::string& name : keys.all())
    if (settings.providers.count(name) == 0)
      std::cerr << "acp config: " << keys.path() << " has a key for " << name
                << ", which is no provider\n";
}

int show(const Options& options) {
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  sources.project_directory =
      std::filesystem::absolute(options.directory).lexically_normal().string();
  if (!std::filesystem::is_directory(sources.project_directory))
    return complain(sources.project_directory + ": there is no such directory");
  const settings::Settings settings = settings::load_settings(sources);
  std::vector<DescribedSetting> lines = settings::describe(settings);
  add_keys(settings, settings::Keys(), lines);
  for (const std::string& note : settings.notes) std::cerr << "acp config: " << note << "\n";
  if (options.json) {
    for (const DescribedSetting& line : lines)
      std::cout << io::printable_json(
                       Json::object(
                           {{"name", line.name}, {"value", line.value}, {"source", line.source}})
                           .text())
                << "\n";
    return 0;
  }
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
  return 0;
}

int run(const Options& options) {
  try {
    return show(options);
  } catch (const settings::SettingsError& error) {
    return complain(error.what());
  } catch (const settings::KeysError& error) {
    return complain(error.what());
  }
}

}  // namespace

void add_config_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App& config = *app.add_subcommand("config", "Settings and where each comes from");
  config
      .add_option("--cwd", options->directory,
                  "The project whose .acp/config.toml counts (default: the current directory)")
      ->type_name("DIR");
  config.add_flag("--json", options->json, "One JSON object a line");
  config.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
