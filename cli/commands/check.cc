#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "acp/io/printable.h"
#include "chat/program.h"
#include "check/agent/check.h"
#include "check/agent/mcp_server.h"
#include "check/agent/transport.h"
#include "check/wire/wire_peer.h"
#include "cli/check_options.h"
#include "cli/command.h"
#include "cli/remote_choice.h"
#include "cli/run_apart.h"

namespace acp::cli {
namespace {

struct AgentCheckWords : CheckOptions {
  RemoteChoice remote = {};
  std::string auth = {};
  std::vector<std::string> prompts = {};
  bool frames = false;
  std::string cwd = {};
};

// The transport of a server.
void check_server(const AgentCheckWords& options, const check::AgentCheckOptions& how,
                  check::Report& report) {
  const remote::UrlOptions reached = options.remote.remote.read(options.remote.url);
  check::TransportCheckOptions transport;
  transport.url = options.remote.url;
  for (const auto& [name, value] : reached.headers) transport.headers[name] = value;
  if (!reached.bearer_token.empty())
    transport.headers["Authorization"] = "Bearer " + reached.bearer_token;
  transport.timeout = how.timeout;
  transport.cwd = options.cwd.empty() ? std::filesystem::current_path().string() : options.cwd;
  transport.prompts = how.prompts;
  const std::string unchecked = options.remote.remote.proxy.empty()
                                    ? check::check_transport(transport, report)
                                    : "it cannot be checked through a proxy";
  if (!unchecked.empty())
    std::cerr << options.name << ": the transport was not checked: " << unchecked << '\n';
}

int play(AgentCheckWords& options, const std::vector<const check::Requirement*>& selected,
         check::AgentCheckOptions& how) {
  // It takes minutes. Not among the messages of --frames.
  const bool shows_progress = isatty(STDERR_FILENO) != 0 && !options.frames;
  const auto show = [&](const std::string& text) {
    if (shows_progress) std::fprintf(stderr, "\r\033[K%s", text.c_str());
  };
  how.on_part = [&](const std::string& areas, std::size_t left) {
    show("checking " + areas +
         (left == 0
              ? ""
              : "; " + std::to_string(left) + (left == 1 ? " part follows" : " parts follow")));
  };
  check::Report report(selected);
  try {
    const auto is_transport = [](const check::Requirement* each) {
      return check::is_transport_requirement(*each);
    };
    if (std::ranges::any_of(selected, is_transport)) check_server(options, how, report);
    if (!std::ranges::all_of(selected, is_transport)) check::check_agent(how, report);
    show("");
  } catch (const check::PeerNotStarted& failed) {
    show("");
    std::cerr << options.name << ": the agent cannot be started: " << failed.what() << '\n';
    return CheckOptions::no_peer;
  }
  const int code = options.tell(report);
  if (report.gave_up().empty()) return code;
  std::cerr << options.name << ": " << io::printable(report.gave_up()) << '\n';
  return CheckOptions::no_peer;
}

int check_agent(AgentCheckWords& options, const CheckOptions::Read& read) {
  options.remote.check("", options.command);
  if (options.command.empty() && !options.remote.given())
    throw BadUsage("the agent's command is missing, after --; or --url, or --ssh");
  const bool has_server = !options.remote.url.empty();
  std::vector<const check::Requirement*> selected = read.selected;
  if (!has_server)
    std::erase_if(selected, [](const check::Requirement* each) {
      return check::is_transport_requirement(*each);
    });
  if (selected.empty()) throw BadUsage("the requirements A-HTTP and A-WS need --url");
  check::AgentCheckOptions how;
  how.command =
      options.remote.given() ? options.remote.exact_command(options.command) : options.command;
  how.over_network = has_server;
  how.elsewhere = options.remote.given();
  how.framing = read.framing;
  how.protocol = read.protocol;
  how.timeout = read.timeout;
  if (!options.auth.empty()) how.auth = options.auth;
  for (const std::string& prompt : options.prompts) {
    const std::size_t sign = prompt.find('=');
    const std::string kind = prompt.substr(0, sign);
    if (sign == std::string::npos || !check::default_prompts().contains(kind)) {
      std::string kinds;
      for (const auto& [name, text] : check::default_prompts())
        kinds += (kinds.empty() ? "" : ", ") + name;
      throw BadUsage("--prompt is KIND=TEXT with a kind of: " + kinds);
    }
    how.prompts[kind] = prompt.substr(sign + 1);
  }
  how.print_frames = options.frames;
  how.mcp_server = {chat::own_program(), "check", "mcp-server", "--report"};
  return run_apart([&](const std::string& directory) {
    how.directory = directory;
    return play(options, selected, how);
  });
}

void add_agent(const Command& parent, Action& action, std::vector<std::string> words) {
  const auto options = std::make_shared<AgentCheckWords>(
      AgentCheckWords{{"acp check agent", Side::agent, 30, std::move(words)}});
  const Command command = parent.add_subcommand("agent", "Check an agent");
  command->usage("-- COMMAND… | --url URL | --ssh HOST");
  options->add_to(command, "A-INIT", "How long an answer may take");
  options->remote.add_to(command);
  command->add_option("--auth", options->auth, "Authenticate with this method first")
      ->type_name("METHOD");
  command
      ->add_option(
          "--prompt", options->prompts,
          "What to say so that the agent does something of a kind: hello, read, write, "
          "run, touch, plan, slow, sleep; any number of them. {cwd} and {file} are replaced")
      ->type_name("KIND=TEXT")
      ->allow_extra_args(false);
  command
      ->add_option("--cwd", options->cwd,
                   "For the requirements of servers, A-HTTP and A-WS: a directory of the server's "
                   "machine for their session (default: the current one)")
      ->type_name("DIR");
  command->add_flag("--frames", options->frames, "Show every message on stderr");
  command->footer(
      "The agent is started ten times or more, in a directory that is made for it and removed, "
      "with\n"
      "your HOME and your variables. The sessions of the check are deleted at the end if the "
      "agent\n"
      "offers session/delete, and stay in its history if not. Of the answers to a question for\n"
      "permission the one for this time is chosen; only A-PERM-21 (A2-PERM-20) rejects something "
      "for\n"
      "always, and there the agent has a HOME of its own; with --url and --ssh it is skipped.\n"
      "Exit code: 0 no requirement at level must failed; 1 one did; 2 usage error; 3 the agent "
      "cannot\n"
      "be started, or does not answer initialize.");
  command->callback([&action, options] {
    action = [options] {
      return options->run([&](const auto& read) { return check_agent(*options, read); });
    };
  });
}

void add_mcp_server(const Command& parent, Action& action) {
  // For the agents that are checked; not for people.
  const Command command = parent.add_subcommand("mcp-server", "");
  command->group("");
  const auto record = std::make_shared<std::string>();
  command->add_option("--report", *record, "Where to write what was seen")->required();
  command->callback([&action, record] {
    action = [record] { return check::serve_mcp(std::cin, std::cout, *record); };
  });
}

}  // namespace

void add_check_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command check =
      app.add_subcommand("check", "Check whether an agent or a client keeps to the protocol");
  check->require_subcommand(1);
  add_agent(check, action, command);
  add_check_client_command(check, action, std::move(command));
  add_mcp_server(check, action);
}

}  // namespace acp::cli
