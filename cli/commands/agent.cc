// acp agent: the coding agent, on standard input and output.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "acp/io/printable.h"
#include "cli/command.h"
#include "cli/commands/model_order.h"
#include "cli/read_secret.h"
#include "coder/coder.h"
#include "coder/model/scenario.h"

namespace acp::cli {
namespace {

struct Options {
  coder::CoderOptions coder;
  std::string framing = "newline";
  std::string scenario_file;
  std::string login, logout;
  bool verbose = false;
};

constexpr int bad_usage = 2;

int complain(const std::string& what, int code = 1) {
  std::cerr << "acp agent: " << what << "\n";
  return code;
}

settings::Settings settings_of(const Options& options) {
  settings::SettingsSources sources;
  sources.user_file = options.coder.settings_file;
  sources.any_model = true;
  return settings::load_settings(sources);
}

const settings::ProviderSettings& provider_of(const settings::Settings& settings,
                                              const std::string& name) {
  const auto found = settings.providers.find(name);
  if (found != settings.providers.end()) return found->second;
  std::string known;
  for (const auto& [one, provider] : settings.providers) known += (known.empty() ? "" : ", ") + one;
  throw std::invalid_argument("there is no provider \"" + name + "\", only: " + known);
}

int login(const Options& options) {
  const settings::Settings settings = settings_of(options);
  const settings::ProviderSettings& provider = provider_of(settings, options.login);
  const std::string key =
      read_secret("Key for " + provider.name + " (" + provider.base_url.value + "): ");
  if (key.empty()) return complain("no key was given; nothing is stored");
  const settings::Keys keys(options.coder.keys_file);
  keys.store(provider.name, key);
  std::cerr << "The key is stored in " << keys.path() << ".\n";
  return 0;
}

int logout(const Options& options) {
  const settings::Keys keys(options.coder.keys_file);
  if (!keys.remove(options.logout)) return complain("there is no stored key for " + options.logout);
  std::cerr << "The key for " << options.logout << " is removed.\n";
  return 0;
}

int run(Options& options) {
  if (!options.login.empty()) return login(options);
  if (!options.logout.empty()) return logout(options);
  if (!options.scenario_file.empty()) {
    std::ifstream file(options.scenario_file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) return complain("cannot read " + options.scenario_file);
    options.coder.scenario = std::move(text);
  }
  options.coder.framing = *rpc::framing_from(options.framing);
  options.coder.on_log = [verbose = options.verbose](const LogEntry& entry) {
    // What a client got an id of must be found.
    if (!verbose && entry.correlation_id.empty()) return;
    constexpr std::size_t longest = 10'000;
    const std::string id = entry.correlation_id.empty() ? "" : entry.correlation_id + ": ";
    std::cerr << io::one_line(std::string("acp agent: ") + to_string(entry.level) + ": " + id +
                                  entry.message,
                              longest) +
                     "\n";
  };
  if (isatty(STDIN_FILENO) != 0)
    std::cerr
        << "acp agent: this speaks JSON with an editor, which starts it (docs/editors.md). To "
           "talk to it yourself: acp chat. Ctrl-D ends it.\n";
  int code = 0;
  {
    coder::Coder coder(options.coder);
    code = coder.run(stdio());
  }
  // A server that is still starting has a thread of its own, which must not be waited for.
  std::cerr.flush();
  std::_Exit(code);
}

}  // namespace

void add_agent_command(const Command& app, Action& action) {
  const Command agent = app.add_subcommand("agent", "A coding agent for editors to start");
  agent->set_help_flag("-h,--help", "Show this help");
  const auto options = std::make_shared<Options>();
  agent
      ->add_option(
          "--model", options->coder.model,
          std::string(
              "openai/NAME, anthropic/NAME, ollama/NAME, llama-server/NAME, lmstudio/NAME,\n"
              "vllm/NAME, PROVIDER/NAME of the configuration, or offline: 'acp models' lists "
              "them.\nThe first of: ") +
              model_order)
      ->type_name("MODEL");
  agent->add_flag("--require-model", options->coder.require_model,
                  "Fail a prompt if no model is configured, instead of using the offline one");
  agent
      ->add_option("--mode", options->coder.mode,
                   "ask, code or architect: what a session begins with")
      ->type_name("MODE");
  agent
      ->add_option("--protocol", options->coder.protocol,
                   "The highest version of ACP to speak: 2 is a draft, see docs/versions.md. The "
                   "first\nof: --protocol, ACP_V2=1, protocol in your file, 1")
      ->type_name("VERSION")
      ->one_of({"1", "2"});
  agent
      ->add_option("--scenario", options->scenario_file,
                   "What the offline model says, turn by turn: to test a client")
      ->type_name("FILE");
  agent->add_option("--framing", options->framing, "How messages are framed")
      ->type_name("FRAMING")
      ->one_of({"newline", "content-length", "auto"})
      ->capture_default_str();
  agent->add_option("--login", options->login, "Ask for the provider's key, store it, and end")
      ->type_name("PROVIDER");
  agent->add_option("--logout", options->logout, "Remove the provider's stored key, and end")
      ->type_name("PROVIDER");
  agent->add_flag("-v,--verbose", options->verbose, "Say on standard error what is noteworthy");
  agent->footer(
      "Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY, or --login. 'acp config' shows the "
      "settings.\n"
      "How editors start it: docs/editors.md.");
  agent->callback([options, &action] {
    action = [options] {
      try {
        return run(*options);
      } catch (const settings::SettingsError& error) {
        return complain(error.what(), bad_usage);
      } catch (const coder::ScenarioError& error) {
        return complain(options->scenario_file + ": " + error.what(), bad_usage);
      } catch (const std::invalid_argument& error) {
        return complain(error.what(), bad_usage);
      }
    };
  });
}

}  // namespace acp::cli
