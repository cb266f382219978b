#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/agent_check.h"
#include "check/mcp_server.h"
#include "check/self_path.h"
#include "check/wire_peer.h"
#include "cli/command.h"

namespace acp::cli {
namespace {

constexpr int usage_fault = 2, no_peer = 3;

struct CheckOptions {
  std::vector<std::string> only;
  bool list = false;
  bool verbose = false;
  std::string junit, json;
  std::string auth;
  std::string framing = "newline";
  double timeout = 30;
  std::vector<std::string> prompts;
  bool frames = false;
  std::vector<std::string> command;
};

int mistaken(const std::string& what) {
  std::cerr << "acp check agent: " << what << "\nTry 'acp check agent --help'.\n";
  return usage_fault;
}

bool write_file(const std::string& name, const auto& write) {
  if (name.empty()) return true;
  std::ofstream file(name, std::ios::binary);
  if (file) write(file);
  file.close();
  if (file) return true;
  std::cerr << "acp check: cannot write " << name << '\n';
  return false;
}

int tell(const check::Report& report, const CheckOptions& options) {
  check::write_text(std::cout, report, options.verbose);
  const bool written =
      write_file(options.json, [&](std::ostream& out) { check::write_json(out, report); }) &&
      write_file(options.junit,
                 [&](std::ostream& out) { check::write_junit(out, report, "acp check agent"); });
  return written ? report.exit_code() : 1;
}

int check_agent(const CheckOptions& options) {
  std::string unknown;
  const auto selected = check::select(Side::agent, options.only, unknown);
  if (!unknown.empty()) return mistaken("there is no requirement " + unknown + "; see --list");
  if (options.list) {
    check::write_list(std::cout, selected);
    return 0;
  }
  if (options.command.empty()) return mistaken("the agent's command is missing, behind --");
  check::AgentCheckOptions how;
  how.command = options.command;
  const auto framing = rpc::framing_from(options.framing);
  if (!framing || *framing == rpc::Framing::automatic)
    return mistaken("--framing is newline or content-length, not " + options.framing);
  how.framing = *framing;
  if (!(options.timeout > 0 && options.timeout < 86400))
    return mistaken("--timeout is a number of seconds");
  how.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout * 1000));
  if (!options.auth.empty()) how.auth = options.auth;
  for (const std::string& prompt : options.prompts) {
    const std::size_t sign = prompt.find('=');
    const std::string kind = prompt.substr(0, sign);
    if (sign == std::string::npos || !check::default_prompts().contains(kind)) {
      std::string kinds;
      for (const auto& [name, text] : check::default_prompts())
        kinds += (kinds.empty() ? "" : ", ") + name;
      return mistaken("--prompt is KIND=TEXT with a kind of: " + kinds);
    }
    how.prompts[kind] = prompt.substr(sign + 1);
  }
  how.print_frames = options.frames;
  if (const std::string self = check::self_path(); !self.empty())
    how.mcp_server = {self, "check", "mcp-server", "--report"};
  check::Report report(selected);
  try {
    check::check_agent(how, report);
  } catch (const check::StartFailed& failed) {
    std::cerr << "acp check agent: the agent cannot be started: " << failed.what() << '\n';
    return no_peer;
  }
  return tell(report, options);
}

void add_agent(CLI::App& parent, Action& action, const std::shared_ptr<CheckOptions>& options) {
  CLI::App* const command =
      parent.add_subcommand("agent", "Check an agent: acp check agent [OPTIONS] -- COMMAND…");
  command->add_option("--only", options->only, "Only this requirement, or this area (A-INIT)")
      ->type_name("ID")
      ->allow_extra_args(false);
  command->add_flag("--list", options->list, "List the requirements, and start nothing");
  command->add_option("--json", options->json, "Write the results to a file, as JSON")
      ->type_name("FILE");
  command->add_option("--junit", options->junit, "Write the results to a file, as JUnit's XML")
      ->type_name("FILE");
  command->add_option("--auth", options->auth, "Authenticate with this method first")
      ->type_name("METHOD");
  command->add_option("--framing", options->framing, "newline (what ACP says) or content-length")
      ->capture_default_str();
  command->add_option("--timeout", options->timeout, "How long an answer may take, in seconds")
      ->capture_default_str();
  command
      ->add_option("--prompt", options->prompts,
                   "What to say so that the agent does something of a kind: hello, read, write, "
                   "run, plan, slow. {cwd} and {file} are replaced")
      ->type_name("KIND=TEXT")
      ->allow_extra_args(false);
  command->add_flag("-v,--verbose", options->verbose, "Tell why requirements were skipped");
  command->add_flag("--frames", options->frames, "Show every message on stderr");
  command->callback([&action, options] { action = [options] { return check_agent(*options); }; });
}

void add_mcp_server(CLI::App& parent, Action& action) {
  // For the agents that are checked; not for people.
  CLI::App* const command = parent.add_subcommand("mcp-server", "");
  command->group("");
  const auto record = std::make_shared<std::string>();
  command->add_option("--report", *record, "Where to write what was seen")->required();
  command->callback([&action, record] {
    action = [record] { return check::serve_mcp(std::cin, std::cout, *record); };
  });
}

}  // namespace

void add_check_command(CLI::App& app, Action& action, std::vector<std::string> command) {
  CLI::App* const check =
      app.add_subcommand("check", "Check whether an agent or a client keeps to the protocol");
  check->require_subcommand(1);
  const auto options = std::make_shared<CheckOptions>();
  options->command = command;
  add_agent(*check, action, options);
  add_check_client_command(*check, action, std::move(command));
  add_mcp_server(*check, action);
}

}  // namespace acp::cli
