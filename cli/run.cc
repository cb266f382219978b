// acp run: one turn of any agent, for scripts.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "acp/json/utf8.h"
#include "chat/program.h"
#include "chat/run.h"
#include "cli/command.h"
#include "cli/interrupts.h"
#include "cli/mcp_arguments.h"
#include "cli/mcp_print.h"
#include "settings/settings.h"
#include "workspace/policy_store.h"

namespace acp::cli {
namespace {

struct Options {
  std::vector<std::string> command;  // behind --
  std::string agent;
  std::string prompt, file;
  std::string session, cwd = ".";
  std::string policy = "deny";
  std::string mode, model, auth;
  std::vector<std::string> set, servers;
  std::string framing = "newline";
  double timeout = 0, grace = 10;
  bool json = false, quiet = false, verbose = false;
};

std::string read_all(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

bool is_utf8(const std::string& text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const std::size_t size = (*at & 0x80) == 0 ? 1 : json::utf8_length(at, end);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string prompt_of(const Options& options) {
  std::string text = options.prompt;
  if (!options.file.empty()) {
    if (!text.empty()) throw BadUsage("either PROMPT or --file, not both");
    std::ifstream file(options.file, std::ios::binary);
    if (file) text = read_all(file);
    if (!file) throw BadUsage("cannot read " + options.file);
  } else if (text == "-" || (text.empty() && isatty(STDIN_FILENO) == 0)) {
    text = read_all(std::cin);
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadUsage("the prompt is empty: give PROMPT, --file, or standard input");
  if (!is_utf8(text)) throw BadUsage("the prompt is not UTF-8");
  return text;
}

std::pair<std::string, std::string> pair_of(const std::string& word, const char* option) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    throw BadUsage(std::string(option) + ": expected NAME=VALUE, got '" + word + "'");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

// As the protocol wants it: the agent may run elsewhere, and look elsewhere.
std::string absolute_command(const std::string& command) {
  const bool name = command.find('/') == std::string::npos;
  const std::optional<std::string> found = name ? chat::find_program(command) : command;
  if (!found) throw BadUsage("--mcp: " + command + ": command not found");
  return std::filesystem::absolute(*found).lexically_normal().string();
}

v1::McpServer server_of(const std::string& word) {
  const auto [name, value] = pair_of(word, "--mcp");
  if (value.starts_with("http://") || value.starts_with("https://")) {
    v1::McpServerHttp server;
    server.name = name;
    server.url = value;
    return server;
  }
  v1::McpServerStdio server;
  server.name = name;
  std::istringstream words(value);
  words >> server.command;
  for (std::string arg; words >> arg;) server.args.push_back(arg);
  if (server.command.empty()) throw BadUsage("--mcp: the command is missing");
  server.command = absolute_command(server.command);
  return server;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

chat::RunOptions read(const Options& options) {
  if (options.json && options.quiet) throw BadUsage("either --json or --quiet, not both");
  chat::RunOptions run;
  std::error_code error;
  run.cwd = std::filesystem::canonical(options.cwd, error).string();
  if (error || !std::filesystem::is_directory(run.cwd))
    throw BadUsage("--cwd: there is no directory " + options.cwd);
  run.agent = chat::chosen_agent(options.agent, options.command);
  run.permissions = chat::Permissions::from(options.policy);
  run.prompt = prompt_of(options);
  run.session = options.session;
  run.choices.mode = options.mode;
  run.choices.model = options.model;
  for (const std::string& word : options.set) run.choices.set.push_back(pair_of(word, "--set"));
  for (const std::string& word : options.servers) run.servers.push_back(server_of(word));
  run.auth = options.auth;
  if (options.timeout > 0) run.time = milliseconds(options.timeout);
  run.grace = milliseconds(options.grace);
  run.framing = *rpc::framing_from(options.framing);
  run.version = ACP_VERSION;
  return run;
}

int bad_usage(const std::string& what) {
  std::cerr << "acp run: " << printable(what) << "\nTry 'acp run --help'.\n";
  return chat::exit_code::bad_usage;
}

int run(const Options& options) {
  try {
    const chat::RunOptions what = read(options);
    const Interrupts interrupts;  // not before: whoever types a prompt may end it all
    chat::TextOptions text;
    text.quiet = options.quiet;
    text.verbose = options.verbose;
    return chat::run(what, options.json ? chat::json_run_printer() : chat::text_run_printer(text),
                     interrupts.token());
  } catch (const BadUsage& mistake) {
    return bad_usage(mistake.what());
  } catch (const chat::UnknownAgent& mistake) {
    return bad_usage(mistake.what());
  } catch (const settings::SettingsError& mistake) {
    return bad_usage(mistake.what());
  } catch (const workspace::PolicyStoreError& mistake) {
    return bad_usage(std::string("--policy: ") + mistake.what());
  }
}

}  // namespace

void add_run_command(CLI::App& app, Action& action, std::vector<std::string> command) {
  CLI::App* run_command = app.add_subcommand("run", "One turn of an agent, for scripts");
  run_command->set_help_flag("-h,--help", "Show this help");
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  run_command->add_option("PROMPT", options->prompt,
                          "What to do; - or nothing reads it from standard input");
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    return run_command->add_option(name, into, what)->type_name(type);
  };
  option("--agent", options->agent, "One of 'acp agents'; without it the built-in one", "NAME");
  option("--file", options->file, "Read the prompt from a file", "FILE");
  option("--cwd", options->cwd, "The directory to work in (the one here)", "DIR");
  option("--session", options->session,
         "Go on with a session: its id, or 'last' for the agent's last one in this directory",
         "ID|last");
  option(
      "--policy", options->policy,
      "Who answers when the agent asks for a permission: 'ask' (the terminal), 'allow', 'deny', "
      "or a file with rules, as 'acp policy' writes them; what no rule decides is denied. (deny)",
      "FILE|ask|allow|deny");
  option("--mode", options->mode, "The agent's mode", "MODE");
  option("--model", options->model, "The agent's model", "MODEL");
  run_command->add_option("--set", options->set, "An option of the agent; any number of them")
      ->type_name("ID=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  run_command
      ->add_option("--mcp", options->servers,
                   "An MCP server for the agent: its URL, or its command with words between "
                   "spaces; any number of them")
      ->type_name("NAME=URL|COMMAND")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  option("--auth", options->auth, "How to log in, if the agent asks for that", "METHOD");
  run_command->add_option("--timeout", options->timeout, "Cancel the turn after so many seconds")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  run_command
      ->add_option("--grace", options->grace,
                   "End an agent that does not end a cancelled turn after so many seconds (10)")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  option("--framing", options->framing, "newline, content-length or auto", "FRAMING")
      ->check(CLI::IsMember({"newline", "content-length", "auto"}))
      ->capture_default_str();
  run_command->add_flag("--json", options->json, "One event a line, as JSON: docs/run.md");
  run_command->add_flag("-q,--quiet", options->quiet,
                        "Only the agent's last message, permissions and failures");
  run_command->add_flag("-v,--verbose", options->verbose,
                        "Also thoughts, the agent's stderr, and what its commands print");
  run_command->footer(
      "Any other agent is started by its command behind --, as in\n"
      "  acp run \"Fix the build\" -- gemini --acp\n"
      "Exit code: 0 done; 1 the agent answered with an error; 2 mistakes in the usage; 3 the "
      "agent\n"
      "cannot be started or was lost; 4 a permission was needed; 5 cut off by a limit; 6 refused;\n"
      "7 a login is needed; 8 the session cannot be gone on with; 124 time-out; 130 cancelled.");
  run_command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
