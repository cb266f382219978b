// acp check client: checks a client against the requirements of its side.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "acp/io/process/process.h"
#include "chat/program.h"
#include "check/client/agent_socket.h"
#include "check/client/run.h"
#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/run_apart.h"

namespace acp::cli {
namespace {

struct ClientCheckWords : CheckOptions {
  bool stays = false;
  std::string listen = {};
  std::string cancel_by = "INT";
  std::string transport = "stdio";
  std::size_t jobs = 1;
};

int check_client(ClientCheckWords& options, const CheckOptions::Read& read) {
  if (options.listen.empty() && options.command.empty())
    throw BadUsage("the client's command is missing, after --; or --listen");
  if (!options.listen.empty() && !options.command.empty())
    throw BadUsage("either --listen or a command, not both");
  const bool remote = options.transport != "stdio";
  if (remote && options.transport != "http" && options.transport != "ws")
    throw BadUsage("--transport is stdio, http or ws, not " + options.transport);
  if (remote && !options.listen.empty())
    throw BadUsage("--listen is for a client that starts its agent, not for --transport " +
                   options.transport);
  if (remote && check::names_agent(options.command))
    throw BadUsage("with --transport " + options.transport +
                   " our agent is at {url}; there is no {agent} to start");
  if (!remote && options.listen.empty() && !check::names_agent(options.command))
    throw BadUsage("the client's command does not say where our agent goes: {agent}");
  check::ClientCheckOptions how;
  how.command = options.command;
  how.listen = options.listen;
  if (remote) how.transport = options.transport;
  how.framing = read.framing;
  how.protocol = read.protocol;
  how.time = read.timeout;
  const auto signal = check::signal_from(options.cancel_by);
  if (!signal) throw BadUsage("--cancel-by: there is no signal " + options.cancel_by);
  how.cancel_signal = *signal;
  how.stays = options.stays;
  how.jobs = options.jobs;
  how.relay = {chat::own_program(), "check", "relay"};
  how.say = [](const std::string& line) { std::cerr << line << '\n'; };
  if (!how.listen.empty()) {
    std::vector<std::string> words = how.relay;
    words.push_back(how.listen);
    std::cerr << "The command of the agent: " << io::command_line(words) << '\n';
  }
  return run_apart(
      [&](const std::string& directory) {
        how.directory = directory;
        check::Report report(read.selected);
        const bool played = check::check_client(how, report);
        const int code = options.tell(report);
        if (played) return code;
        std::cerr << options.name
                  << ": the client never came to a prompt, so that hardly anything was tried; "
                     "--verbose tells why\n";
        return CheckOptions::no_peer;
      },
      [&] {
        if (!how.listen.empty()) check::remove_left_socket(how.listen);
      });
}

void add_relay(const Command& parent, Action& action) {
  // The agent that the client starts; not for people.
  const Command command = parent.add_subcommand("relay", "");
  command->group("");
  const auto options = std::make_shared<check::SocketRelayOptions>();
  command->add_option("SOCKET", options->socket)->required();
  command->add_flag("--stubborn", options->stubborn);
  command->callback([&action, options] { action = [options] { return check::relay(*options); }; });
}

}  // namespace

void add_check_client_command(const Command& check, Action& action,
                              std::vector<std::string> words) {
  const auto options = std::make_shared<ClientCheckWords>(
      ClientCheckWords{{"acp check client", Side::client, 10, std::move(words)}});
  const Command command = check.add_subcommand("client", "Check a client");
  command->usage("-- COMMAND…");
  options->add_to(command, "C-INIT", "How long the client may take for each thing");
  command
      ->add_option("--cancel-by", options->cancel_by,
                   "The signal that makes the client cancel its turn")
      ->type_name("SIGNAL")
      ->capture_default_str();
  command->add_flag("--stays", options->stays,
                    "The client does not end by itself when its turn is over: it is ended by "
                    "SIGTERM, and its exit code says nothing");
  command->add_option("--jobs", options->jobs, "How many clients run at a time")
      ->type_name("N")
      ->range(1, 64)
      ->capture_default_str();
  command
      ->add_option("--listen", options->listen,
                   "For a client that is started by hand: the path of a socket. The command of the "
                   "agent to give to it is printed, and it is waited for, once for each scenario")
      ->type_name("PATH");
  command
      ->add_option("--transport", options->transport,
                   "How the client reaches our agent: it starts it ({agent}), or connects to a URL "
                   "({url}, also in ACP_URL)")
      ->type_name("stdio|http|ws")
      ->capture_default_str();
  command->footer(
      "The client is started once for each scenario, in a directory with files to work on, and "
      "must\n"
      "send a prompt by itself. In its command {agent} is replaced by the command of our agent: "
      "by\n"
      "its words where it is a word of its own, by one line for a shell inside a longer word:\n"
      "  acp check client -- acp run --policy allow hello -- {agent}\n"
      "  acp check client -- my-client --agent-command {agent}\n"
      "  acp check client --transport ws -- my-client --url {url}\n"
      "  acp check client -- sh -c 'exec my-client --agent=\"{agent}\"'\n"
      "Exit code: 0 no requirement at level must failed; 1 one did; 2 usage error; 3 "
      "the\n"
      "client never came to a prompt.");
  command->callback([&action, options] {
    action = [options] {
      return options->run([&](const auto& read) { return check_client(*options, read); });
    };
  });
  add_relay(check, action);
}

}  // namespace acp::cli
