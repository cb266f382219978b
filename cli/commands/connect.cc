// acp connect: an agent elsewhere, for editors that can only start programs.
#include "gateway/connect.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/http/url.h"
#include "acp/io/printable.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/remote_options.h"
#include "cli/seconds.h"
#include "cli/ssh_options.h"
#include "settings/file.h"

namespace acp::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::string url, host, cwd;
  std::vector<std::string> ssh_options;
  RemoteOptions remote;
  std::vector<std::string> maps;
  double patience = 300;
  bool no_files = false, no_terminals = false, exact = false;
};

constexpr const char* about =
    R"(Give it to an editor where it wants the command of an agent:
  acp connect https://host.example/acp --map ~/src=/srv/src
The editor names directories of its own machine: --map translates them, and what the agent says about
them, in both directions. Without any --map, paths are the same on both.

With --ssh, ssh starts the agent there: 'acp agent', or the command after --. ssh asks nothing: the
login must work without a password.

When the network breaks, it is tried again. Sessions are resumed, or loaded again; a turn that was
running ends with an error that says so.
Exit code: 0; 1 the agent was lost; 2 usage error; 3 it was never reached.)";

// Instead of a URL.
gateway::SshOptions ssh_of(const Options& options) {
  if (!options.url.empty()) throw BadUsage("either URL or --ssh, not both");
  if (options.remote.given())
    throw BadUsage("--token-file, --header, --proxy, --ca-file and --silence are for a URL");
  gateway::SshOptions ssh{options.host, options.ssh_options};
  check_ssh(options.host, options.ssh_options);
  if (!options.command.empty()) ssh.command = options.command;
  ssh.cwd = options.cwd;
  return ssh;
}

int run(const Options& options) {
  return told("acp connect", [&] {
    gateway::ConnectOptions connect;
    if (!options.host.empty()) {
      connect.ssh = ssh_of(options);
    } else {
      if (options.url.empty()) throw BadUsage("URL or --ssh HOST is missing");
      if (!options.command.empty() || !options.cwd.empty() || !options.ssh_options.empty())
        throw BadUsage("a command after --, --cwd and --ssh-option are for --ssh");
      connect.url = options.url;
      connect.shown_url = http::shown_url(options.url);
      connect.remote = options.remote.read(options.url);
      connect.token_source = options.remote.token_source();
    }
    connect.exact = options.exact;
    if (options.exact && (!options.maps.empty() || options.no_files || options.no_terminals))
      throw BadUsage("--exact changes nothing: not with --map, --no-files, --no-terminals");
    connect.remote.log = [](const LogEntry& entry) {
      if (entry.level != LogEntry::Level::debug)
        std::cerr << "acp connect: " << to_string(entry.level) << ": "
                  << io::printable(entry.message) << std::endl;
    };
    try {
      // An editor starts programs without a shell that would know "~/".
      for (const std::string& map : options.maps) connect.relay.paths.add(settings::with_home(map));
    } catch (const std::invalid_argument& wrong) {
      throw BadUsage(std::string("--map: ") + wrong.what());
    }
    connect.relay.no_files = options.no_files;
    connect.relay.no_terminals = options.no_terminals;
    connect.patience = milliseconds(options.patience);
    const Interrupts interrupts;
    return gateway::connect(connect, stdio(), interrupts.token());
  });
}

}  // namespace

void add_connect_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command connect =
      app.add_subcommand("connect", "Bring an agent elsewhere to standard input and output");
  connect->set_help_flag("-h,--help", "Show this help");
  connect->usage("URL | --ssh HOST [-- COMMAND…]");
  connect->footer(about);
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  connect->add_option("URL", options->url, "http, https, ws or wss");
  options->remote.add_to(connect);
  connect->add_option("--ssh", options->host, "Instead of a URL: ssh starts the agent on this host")
      ->type_name("HOST");
  add_ssh_options(connect, options->ssh_options);
  connect
      ->add_option("--cwd", options->cwd,
                   "With --ssh: the agent's directory there (default: the home directory)")
      ->type_name("DIR");
  connect
      ->add_option("--map", options->maps,
                   "A directory here, and what it is called there; any number of them")
      ->type_name("LOCAL=REMOTE")
      ->repeated();
  connect->add_flag("--no-files", options->no_files,
                    "Hide the editor's files: the agent works on those of its machine");
  connect->add_flag("--no-terminals", options->no_terminals,
                    "Hide the editor's terminals: commands run on the agent's machine");
  connect->add_flag("--exact", options->exact,
                    "Pass every message as it is, and end when the connection does");
  add_seconds(connect, "--patience", options->patience,
              "How long a broken network is waited for (300)");
  connect->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
