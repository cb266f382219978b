// acp run: one turn of any agent, for scripts.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "acp/json/utf8.h"
#include "acp/workspace/policy_store.h"
#include "chat/run/run.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/input_file.h"
#include "cli/interrupts.h"
#include "cli/piped_input.h"
#include "cli/seconds.h"

namespace acp::cli {
namespace {

struct Options : ClientOptions {
  std::string prompt, file;
  std::string policy;  // empty: none was chosen, which is deny
  std::string auth;
  std::vector<std::string> set;
  double timeout = 0, grace = 10;
  bool json = false, quiet = false, verbose = false, standard_input = false;
};

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// `took_input`: standard input was the prompt.
std::string prompt_of(const Options& options, bool& took_input) {
  std::string text = options.prompt;
  if (!options.file.empty() && !text.empty()) throw BadUsage("either PROMPT or --file, not both");
  const bool nothing_named = options.file.empty() && text.empty();
  took_input = text == "-" || options.file == "-" ||
               (nothing_named && (options.standard_input || isatty(STDIN_FILENO) == 0));
  if (took_input) {
    const auto input = whole_input();
    if (!input && !nothing_named) throw BadUsage("cannot read standard input");
    text = input.value_or("");
  } else if (!options.file.empty()) {
    text = whole_file(options.file);
  }
  if (is_blank(text)) {
    const bool dashed = !options.command.empty() && options.command.front().starts_with('-');
    throw BadUsage("the prompt is empty: give PROMPT, --file, or standard input" +
                   std::string(dashed ? ". What follows -- is the agent's command; before a prompt "
                                        "that begins with a dash put a space: acp run \" " +
                                            options.command.front() + "\""
                                      : ""));
  }
  if (!json::is_utf8(text)) throw BadUsage("the prompt is not UTF-8");
  return text;
}

// In tags that the text itself does not end.
std::string marked_input(std::string text) {
  std::string tag = "stdin";
  for (int i = 2; text.find("</" + tag + ">") != std::string::npos; ++i)
    tag = "stdin-" + std::to_string(i);
  if (!text.ends_with('\n')) text += '\n';
  return "<" + tag + ">\n" + text + "</" + tag + ">";
}

// The prompt, and after it what another program gives us.
std::vector<ContentBlock> content_of(const Options& options) {
  constexpr int wait_seconds = 3;
  bool took_input = false;
  std::vector<ContentBlock> content = {prompt_of(options, took_input)};
  if (took_input) return content;
  PipedInput input;
  if (options.standard_input) {
    const auto whole = whole_input();
    if (!whole) throw BadUsage("--stdin: cannot read standard input");
    input.text = *whole;
  } else {
    input = piped_input(wait_seconds);
  }
  if (!input.warning.empty()) std::cerr << "acp run: " << input.warning << ".\n";
  if (!json::is_utf8(input.text))
    throw BadUsage("what came on standard input is not UTF-8; </dev/null leaves it out");
  if (!is_blank(input.text)) content.emplace_back(marked_input(std::move(input.text)));
  return content;
}

std::pair<std::string, std::string> pair_of(const std::string& word, const char* option) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
    throw BadUsage(std::string(option) + ": expected NAME=VALUE, got '" + word + "'");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

chat::RunOptions read(const Options& options) {
  if (options.json && options.quiet) throw BadUsage("either --json or --quiet, not both");
  chat::RunOptions run;
  options.read_into(run, user_settings(options.protocol));
  run.permissions = chat::Permissions::from(options.policy, workspace::PolicyStore::default_path());
  run.prompt = content_of(options);
  for (const std::string& word : options.set) run.choices.set.push_back(pair_of(word, "--set"));
  run.auth = options.auth;
  if (options.timeout > 0) run.time = milliseconds(options.timeout);
  run.grace = milliseconds(options.grace);
  return run;
}

int run(const Options& options) {
  chat::RunOptions what = read(options);
  const Interrupts interrupts;  // not before: a person who types a prompt may end it all
  what.signal = [&interrupts] { return interrupts.signal(); };
  chat::TextOptions text;
  text.quiet = options.quiet;
  text.verbose = options.verbose;
  return chat::run(what, options.json ? chat::json_run_printer() : chat::text_run_printer(text),
                   interrupts.token());
}

}  // namespace

void add_run_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command run_command = app.add_subcommand("run", "One turn of an agent, for scripts");
  run_command->set_help_flag("-h,--help", "Show this help");
  run_command->usage("[PROMPT] [-- COMMAND…]");
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  run_command->add_option(
      "PROMPT", options->prompt,
      "What to do. - reads it from standard input; so does leaving it out, unless that is a "
      "terminal. What is piped in beside it is sent after it: git diff | acp run \"Review this\"");
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    return run_command->add_option(name, into, what)->type_name(type);
  };
  options->add_to(run_command);
  option("--file", options->file, "Read the prompt from a file; - is standard input", "FILE");
  run_command->add_flag("--stdin", options->standard_input,
                        "Send standard input after the prompt, however long it takes. Without it a "
                        "pipe to which nobody writes for 3 s is left out, and so is a socket");
  option(
      "--policy", options->policy,
      "Who answers when the agent asks for a permission, and decides on writes and commands that "
      "it sends without asking: 'ask' (the terminal), 'allow', 'deny', or a file with rules, as "
      "'acp policy' writes them; what no rule decides is denied. Whatever you choose, what "
      "your own rules reject stays rejected; what they allow needs no question with 'ask'. (deny)",
      "FILE|ask|allow|deny");
  run_command->add_option("--set", options->set, "An option of the agent; any number of them")
      ->type_name("ID=VALUE")
      ->repeated();
  option("--auth", options->auth, "How to log in, if the agent asks for that", "METHOD");
  add_seconds(run_command, "--timeout", options->timeout, "Cancel the turn after this time");
  add_seconds(run_command, "--grace", options->grace,
              "End an agent that does not end a cancelled turn after this time (10)");
  run_command->add_flag("--json", options->json, "One event a line, as JSON: docs/run.md");
  run_command->add_flag("-q,--quiet", options->quiet,
                        "Only the agent's last message, permissions and failures");
  run_command->add_flag(
      "-v,--verbose", options->verbose,
      "Also thoughts, the agent's stderr, what tools are given, all that tools and "
      "commands print, and the codes of errors");
  run_command->footer(
      "Any other agent is started by its command after --, as in\n"
      "  acp run \"Fix the build\" -- gemini --acp\n"
      "An agent on another machine (--url, --ssh) works with the files and terminals of its "
      "machine;\n"
      "those here, and the MCP servers of the configuration, are not offered to it. When the "
      "network\n"
      "breaks, it is connected again, and the session goes on.\n"
      "Exit code: 0 done; 1 the agent answered with an error; 2 usage error; 3 the "
      "agent\n"
      "cannot be started or was lost; 4 a permission was needed; 5 cut off by a limit; 6 refused;\n"
      "7 a login is needed; 8 the session cannot be resumed; 9 no model is configured;\n"
      "124 time-out; 130 cancelled; 143 by SIGTERM; 129 by SIGHUP.");
  run_command->callback([options, run_command, &action] {
    options->typed = run_command->typed_words();
    action = [options] { return told("acp run", [&] { return run(*options); }); };
  });
}

}  // namespace acp::cli
