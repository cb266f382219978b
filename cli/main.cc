#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/io/process/orphans.h"
#include "cli/command.h"
#include "cli/help_format.h"
#include "cli/printable_stderr.h"
#include "settings/closest.h"
#include "settings/settings.h"

namespace acp::cli {
namespace {

bool any(const CLI::App*) { return true; }

/// As the user types it: "acp schema check".
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

/// Gives the help of all commands the same shape. Called when all of them are registered.
void shape_help(CLI::App& app) {
  const auto commands = app.get_subcommands(any);
  if (!commands.empty()) {
    const std::string own = app.get_footer();
    app.footer((own.empty() ? "" : own + "\n") + "'acp help" + full_name(app).substr(3) +
               " COMMAND' tells more.");
  }
  for (CLI::App* command : commands) {
    if (!command->get_group().empty()) command->group("Commands");
    shape_help(*command);
  }
}

/// The innermost command that was named: for `acp schema check --bad`, that of `check`.
const CLI::App& named_in(const CLI::App& app) {
  const auto named = app.get_subcommands();
  return named.empty() ? app : named_in(*named.front());
}

/// In other words than CLI11's: "--framing: x not in {a,b}", "--timeout: 1 required SECONDS
/// missing".
std::string plain(std::string text) {
  constexpr std::string_view not_in = " not in {", required = ": 1 required ", missing = " missing";
  if (const std::size_t at = text.find(not_in); at != std::string::npos && text.ends_with('}')) {
    const std::size_t name = std::min(text.find(": "), at);
    std::string choices = text.substr(at + not_in.size());
    choices.pop_back();
    for (std::size_t comma = 0; (comma = choices.find(',', comma)) != std::string::npos; comma += 2)
      choices.insert(comma + 1, " ");
    return text.substr(0, name) + ": expected one of " + choices + ", got '" +
           text.substr(name + 2, at - name - 2) + "'";
  }
  if (const std::size_t at = text.find(required);
      at != std::string::npos && text.ends_with(missing))
    text.replace(at, text.size() - at, ": its value is missing");
  return text;
}

/// Of a command that starts a program.
std::string dashes_hint(const CLI::App& where) {
  constexpr std::string_view starting[] = {"acp chat",  "acp check agent", "acp check client",
                                           "acp serve", "acp tap",         "acp replay"};
  const std::string name = full_name(where);
  if (std::ranges::find(starting, name) == std::end(starting)) return {};
  return "; the command to start stands after --: " + name + " -- COMMAND…";
}

/// What to tell the user of the words after a command, better than CLI11 does where we know more.
std::string message_of(const CLI::ParseError& error, const CLI::App& where) {
  for (const CLI::Option* option : where.get_options())
    if (error.get_name() == "ArgumentMismatch" && option->get_items_expected_max() == 1 &&
        option->count() > 1)
      return option->get_name() + " is given more than once";
  const CLI::Option* const prompt = where.get_option_no_throw("PROMPT");
  const auto extra = where.remaining();
  if (prompt == nullptr || prompt->results().empty() || extra.empty())
    return extra.empty() ? plain(error.what())
                         : "unexpected argument '" + extra.front() + "'" + dashes_hint(where);
  std::string words = prompt->results().front();
  for (const std::string& word : extra) words += " " + word;
  return "quote the prompt: '" + words + "'";
}

/// The first of the words that is an option, and none that there is: alone, since what follows it
/// may be its value. Empty if there is none.
std::string unknown_option(const CLI::App& app, const CLI::App& where) {
  for (const std::string& word : app.remaining(true)) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : where.get_options())
      for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
    if (std::ranges::find(known, name) != known.end())
      return name + " stands after the command: '" + full_name(where) + " " + name + "'";
    std::string meant = settings::closest(name, known);
    // What other programs call it.
    if (where.get_parent() == nullptr && (name == "-V" || name == "-v")) meant = "--version";
    return "there is no option " + name + (meant.empty() ? "" : "; did you mean " + meant + "?");
  }
  return {};
}

/// For a word that is no command of `where`.
std::string no_command(const std::string& word, const CLI::App& where) {
  std::string names;
  std::vector<std::string> known;
  for (const CLI::App* command : where.get_subcommands(any)) {
    if (command->get_group().empty()) continue;
    names += (names.empty() ? "" : ", ") + command->get_name();
    known.push_back(command->get_name());
  }
  if (word.empty()) return "a command is missing: " + names;
  std::string meant = settings::closest(word, known);
  if (where.get_parent() == nullptr && word == "version") meant = "--version";
  return "there is no command '" + word + "'" + (names.empty() ? "" : ", only: " + names) +
         (meant.empty() ? "" : "; did you mean " + meant + "?");
}

/// And where a command is missing or misspelt.
std::string message_of(const CLI::ParseError& error, const CLI::App& app, const CLI::App& where) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    if (std::string unknown = unknown_option(app, where); !unknown.empty()) return unknown;
  if (where.get_subcommands(any).empty()) return message_of(error, where);
  const auto extra = app.remaining(true);
  if (!extra.empty()) return no_command(extra.front(), where);
  return error.get_name() == "RequiredError" ? no_command("", where) : error.what();
}

/// The words after `acp help` are commands. What is wrong with them; empty if nothing is.
std::string not_commands(const CLI::App& app, const std::vector<char*>& words) {
  const CLI::App* at = &app;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const auto commands = at->get_subcommands(any);
    const auto found = std::ranges::find(commands, words[i], &CLI::App::get_name);
    if (found == commands.end()) return no_command(words[i], *at);
    at = *found;
  }
  return {};
}

int usage_error(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& where = named_in(app);
  const std::string name = full_name(where);
  std::cerr << name << ": " << message_of(error, app, where) << "\nTry '" << name << " --help'.\n";
  return 2;
}

/// Cuts off what stands after `--`, if the subcommand is one that starts a program.
std::vector<std::string> take_command(int& argc, char** argv) {
  constexpr std::string_view starting[] = {"mcp", "run",    "chat",  "check",  "completions",
                                           "tap", "replay", "serve", "connect"};
  if (argc < 2 || std::ranges::find(starting, argv[1]) == std::end(starting)) return {};
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  argc = static_cast<int>(dashes - argv);
  return {dashes == end ? end : dashes + 1, end};
}

/// `acp help COMMAND…` is `acp COMMAND… --help`. Empty if that is not what was typed.
std::vector<char*> help_wanted(int argc, char** argv) {
  static char option[] = "--help";
  if (argc < 2 || argv[1] != std::string_view("help")) return {};
  std::vector<char*> words(argv, argv + argc);
  // `acp help help` is the help of acp.
  while (words.size() > 1 && words[1] == std::string_view("help")) words.erase(words.begin() + 1);
  words.push_back(option);
  return words;
}

int run(int argc, char** argv) {
  std::vector<char*> help = help_wanted(argc, argv);
  if (!help.empty()) argc = static_cast<int>(help.size()), argv = help.data();
  std::vector<std::string> command = take_command(argc, argv);
  CLI::App app("Work with the Agent Client Protocol, as agents and clients speak it.", "acp");
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("--version", "acp " ACP_VERSION, "Show the version");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(0, 1);

  Action action = [&app] {
    std::cout << app.help();
    return 0;
  };
  const Command root(app);
  add_agent_command(root, action);
  add_chat_command(root, action, command);
  add_run_command(root, action, command);
  add_agents_command(root, action);
  add_check_command(root, action, command);
  add_models_command(root, action);
  add_config_command(root, action);
  add_policy_command(root, action);
  add_schema_command(root, action);
  add_mcp_command(root, action, command);
  add_serve_command(root, action, command);
  add_connect_command(root, action, command);
  add_tap_command(root, action, command);
  add_log_command(root, action);
  add_replay_command(root, action, command);
  add_completions_command(root, action, std::move(command));
  add_man_command(root, action);
  shape_help(app);

  if (const std::string wrong = help.empty() ? "" : not_commands(app, help); !wrong.empty()) {
    std::cerr << "acp help: " << wrong << "\nTry 'acp --help'.\n";
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);  // prints the help or the version that was asked for
  } catch (const CLI::ParseError& error) {
    return usage_error(error, app);
  }
  return action();
}

}  // namespace
}  // namespace acp::cli

int main(int argc, char** argv) {
  // A file that would pass the user's limit is a write that fails, with a reason, and not our end.
  // Whatever we start gets the default back (acp/io/process/supervisor_linux.cc).
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  const acp::cli::PrintableStderr printable;
  int code = 1;
  acp::io::adopt_orphans();
  try {
    code = acp::cli::run(argc, argv);
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "acp: " << error.path1().string() << ": " << error.code().message() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "acp: " << error.what() << '\n';
  }
  if (!std::cout.flush()) {
    std::cerr << "acp: cannot write to standard output\n";
    return 1;
  }
  return code;
}
