// acp check client: a client put through the requirements of its side.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "acp/io/process.h"
#include "check/client_door.h"
#include "check/client_run.h"
#include "check/report.h"
#include "check/self_path.h"
#include "cli/command.h"

namespace acp::cli {
namespace {

constexpr int usage_fault = 2, no_peer = 3;

struct ClientCheckOptions {
  std::vector<std::string> only;
  bool list = false;
  bool verbose = false;
  bool stays = false;
  std::string junit, json;
  std::string framing = "newline";
  std::string listen;
  std::string cancel_by = "INT";
  double timeout = 10;
  std::size_t jobs = 1;
  std::vector<std::string> command;
};

int mistaken(const std::string& what) {
  std::cerr << "acp check client: " << what << "\nTry 'acp check client --help'.\n";
  return usage_fault;
}

bool write_file(const std::string& name, const auto& write) {
  if (name.empty()) return true;
  std::ofstream file(name, std::ios::binary);
  if (file) write(file);
  file.close();
  if (file) return true;
  std::cerr << "acp check client: cannot write " << name << '\n';
  return false;
}

int tell(const check::Report& report, const ClientCheckOptions& options, bool played) {
  check::write_text(std::cout, report, options.verbose);
  const bool written =
      write_file(options.json, [&](std::ostream& out) { check::write_json(out, report); }) &&
      write_file(options.junit,
                 [&](std::ostream& out) { check::write_junit(out, report, "acp check client"); });
  if (!played) {
    std::cerr << "acp check client: the client never came to a prompt, so that hardly anything was "
                 "tried; --verbose tells why\n";
    return no_peer;
  }
  return written ? report.exit_code() : 1;
}

int check_client(const ClientCheckOptions& options) {
  std::string unknown;
  const auto selected = check::select(Side::client, options.only, unknown);
  if (!unknown.empty()) return mistaken("there is no requirement " + unknown + "; see --list");
  if (options.list) {
    check::write_list(std::cout, selected);
    return 0;
  }
  if (options.listen.empty() && options.command.empty())
    return mistaken("the client's command is missing, behind --; or --listen");
  if (!options.listen.empty() && !options.command.empty())
    return mistaken("either --listen or a command, not both");
  if (options.listen.empty() && !check::names_agent(options.command))
    return mistaken("the client's command does not say where our agent goes: {agent}");
  check::ClientOptions how;
  how.command = options.command;
  how.listen = options.listen;
  const auto framing = rpc::framing_from(options.framing);
  if (!framing || *framing == rpc::Framing::automatic)
    return mistaken("--framing is newline or content-length, not " + options.framing);
  how.framing = *framing;
  if (!(options.timeout > 0 && options.timeout < 86400))
    return mistaken("--timeout is a number of seconds");
  how.time = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * 1000));
  const auto signal = check::signal_from(options.cancel_by);
  if (!signal) return mistaken("--cancel-by: there is no signal " + options.cancel_by);
  how.cancel_signal = *signal;
  how.stays = options.stays;
  how.jobs = options.jobs;
  const std::string self = check::self_path();
  if (self.empty()) {
    std::cerr << "acp check client: cannot find this program's own file\n";
    return 1;
  }
  how.relay = {self, "check", "relay"};
  how.say = [](const std::string& line) { std::cerr << line << '\n'; };
  if (!how.listen.empty()) {
    std::vector<std::string> words = how.relay;
    words.push_back(how.listen);
    std::cerr << "The command of the agent: " << io::command_line(words) << '\n';
  }
  check::Report report(selected);
  const bool played = check::check_client(how, report);
  return tell(report, options, played);
}

void add_relay(CLI::App& parent, Action& action) {
  // The agent that the client starts; not for people.
  CLI::App* const command = parent.add_subcommand("relay", "");
  command->group("");
  const auto options = std::make_shared<check::RelayOptions>();
  command->add_option("SOCKET", options->socket)->required();
  command->add_flag("--stubborn", options->stubborn);
  command->callback([&action, options] { action = [options] { return check::relay(*options); }; });
}

}  // namespace

void add_check_client_command(CLI::App& check, Action& action, std::vector<std::string> words) {
  const auto options = std::make_shared<ClientCheckOptions>();
  options->command = std::move(words);
  CLI::App* const command =
      check.add_subcommand("client", "Check a client: acp check client [OPTIONS] -- COMMAND…");
  command->add_option("--only", options->only, "Only this requirement, or this area (C-INIT)")
      ->type_name("ID")
      ->allow_extra_args(false);
  command->add_flag("--list", options->list, "List the requirements, and start nothing");
  command->add_option("--json", options->json, "Write the results to a file, as JSON")
      ->type_name("FILE");
  command->add_option("--junit", options->junit, "Write the results to a file, as JUnit's XML")
      ->type_name("FILE");
  command->add_option("--framing", options->framing, "newline (what ACP says) or content-length")
      ->capture_default_str();
  command
      ->add_option("--timeout", options->timeout,
                   "How long the client may take for each thing, in seconds")
      ->capture_default_str();
  command
      ->add_option("--cancel-by", options->cancel_by,
                   "The signal that makes the client cancel its turn")
      ->type_name("SIGNAL")
      ->capture_default_str();
  command->add_flag("--stays", options->stays,
                    "The client does not end by itself when its turn is over: it is ended by "
                    "SIGTERM, and its exit code says nothing");
  command->add_option("--jobs", options->jobs, "So many clients at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command
      ->add_option("--listen", options->listen,
                   "For a client that is started by hand: the path of a socket. The command of the "
                   "agent to give to it is told, and it is waited for, once for each scene")
      ->type_name("PATH");
  command->add_flag("-v,--verbose", options->verbose, "Tell why requirements were skipped");
  command->footer(
      "The client is started once for each scene, in a directory with files to work on, and must\n"
      "send a prompt by itself. In its command {agent} is replaced by the command of our agent: "
      "by\n"
      "its words where it is a word of its own, by one line for a shell inside a longer word:\n"
      "  acp check client -- acp run hello -- {agent}\n"
      "  acp check client -- my-client --agent-command {agent}\n"
      "  acp check client -- sh -c 'exec my-client --agent=\"{agent}\"'\n"
      "Exit code: 0 no requirement at level must failed; 1 one did; 2 mistakes in the usage; 3 "
      "the\n"
      "client never came to a prompt.");
  command->callback([&action, options] { action = [options] { return check_client(*options); }; });
  add_relay(check, action);
}

}  // namespace acp::cli
