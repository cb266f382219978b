// acp connect: an agent elsewhere, for editors that can only start programs.
#include "gateway/connect.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/io/printable.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/remote_options.h"
#include "cli/seconds.h"

namespace acp::cli {
namespace {

struct Options {
  std::string url;
  RemoteOptions remote;
  std::vector<std::string> maps;
  double patience = 300;
  bool no_files = false, no_terminals = false;
};

constexpr const char* about =
    R"(Give it to an editor where it wants the command of an agent:
  acp connect https://host.example/acp --map ~/src=/srv/src
The editor names directories of its own machine: --map translates them, and what the agent says about
them, in both directions. Without any --map, paths are the same on both.

When the network breaks, it is tried again. Sessions are resumed, or loaded again; a turn that was
running ends with an error that says so.)";

int run(const Options& options) {
  return told("acp connect", [&] {
    gateway::ConnectOptions connect;
    connect.url = options.url;
    connect.remote = options.remote.read(options.url);
    connect.remote.log = [](const LogEntry& entry) {
      if (entry.level != LogEntry::Level::debug)
        std::cerr << "acp connect: " << to_string(entry.level) << ": "
                  << io::printable(entry.message) << std::endl;
    };
    try {
      for (const std::string& map : options.maps) connect.relay.paths.add(map);
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

void add_connect_command(const Command& app, Action& action) {
  const Command connect =
      app.add_subcommand("connect", "Bring an agent elsewhere to standard input and output");
  connect->set_help_flag("-h,--help", "Show this help");
  connect->footer(about);
  const auto options = std::make_shared<Options>();
  connect->add_option("URL", options->url, "http, https, ws or wss")->required();
  options->remote.add_to(connect);
  connect
      ->add_option("--map", options->maps,
                   "A directory here, and what it is called there; any number of them")
      ->type_name("LOCAL=REMOTE")
      ->repeated();
  connect->add_flag("--no-files", options->no_files,
                    "Hide the editor's files: the agent works on those of its machine");
  connect->add_flag("--no-terminals", options->no_terminals,
                    "Hide the editor's terminals: commands run on the agent's machine");
  add_seconds(connect, "--patience", options->patience,
              "How long a broken network is waited for (300)");
  connect->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
