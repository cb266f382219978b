// acp man: the manual page in roff, from the commands and options themselves. For those who package
// acp; not listed in the help.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "acp/json/utf8.h"
#include "cli/command.h"
#include "cli/docs_place.h"
#include "cli/help_format.h"

namespace acp::cli {
namespace {

// Text as roff takes it: nothing in it is a request, and a hyphen is what one types.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  while (!text.empty()) {
    const json::Utf8Character next = json::utf8_first(text);
    const char c = text[0];
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (next.code >= 0x80) {
      char name[16];
      std::snprintf(name, sizeof name, "\\[u%04X]", next.code);
      out += name;
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    text.remove_prefix(next.size);
  }
  return out;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) {
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (names.empty()) names = "\\fI" + roff(option.get_name(true)) + "\\fR";
  return names;
}

void write_options(const CLI::App& app, const std::string& docs) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option == app.get_help_ptr()) continue;
    std::cout << ".TP\n" << names_of(*option);
    const bool named = !option->get_lnames().empty() || !option->get_snames().empty();
    if (const std::string value = value_text(*option); named && !value.empty())
      std::cout << " \\fI" << roff(value) << "\\fR";
    std::cout << '\n' << roff(with_docs(option->get_description(), docs)) << '\n';
  }
}

// Its lines stay lines.
void write_footer(const CLI::App& app, const std::string& docs) {
  const std::string footer = with_docs(app.get_footer(), docs);
  if (footer.empty()) return;
  std::cout << ".PP\n.nf\n" << roff(footer) << "\n.fi\n";
}

void write_command(const CLI::App& app, const std::string& docs) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::cout << ".SS " << roff(full_name(app)) << "\n" << roff(app.get_description()) << ".\n";
  write_options(app, docs);
  if (commands.empty()) write_footer(app, docs);
  for (const CLI::App* command : commands)
    if (!command->get_group().empty()) write_command(*command, docs);
}

constexpr const char* head = R"(.TH ACP 1 "2026-11-16" "acp )" ACP_VERSION R"(" "User Commands"
.SH NAME
acp \- agents and clients of the Agent Client Protocol
.SH SYNOPSIS
.B acp
.I COMMAND
.RI [ OPTION ]...
.br
.B acp chat
.RB [ \-\-agent
.IR NAME ]
.RB [ \-\-
.IR "AGENT\-COMMAND" ...]
.br
.B acp run
.RI [ OPTION ]...
.I PROMPT
.RB [ \-\-
.IR "AGENT\-COMMAND" ...]
.SH DESCRIPTION
.B acp
works with the Agent Client Protocol, which editors and coding agents speak with each other.
.B "acp chat"
is a conversation with any agent in the terminal,
.B "acp run"
one turn of an agent for scripts, and
.B "acp agent"
a coding agent for editors. The other commands serve those who configure, write or test agents and
clients.
.PP
An agent is named by
.B \-\-agent
as
.B "acp agents"
lists it, or is the command after
.BR \-\- ;
without either it is the built\-in one. Nothing is approved in silence: what an agent asks for is
asked of the person, or decided by rules that
.B "acp policy"
shows.
.SH COMMANDS
)";

constexpr const char* tail = R"(.SH EXIT STATUS
0 for success, 1 for failure, 2 for usage errors. The codes of
.B "acp chat"
and
.B "acp run"
stand with them.
.SH FILES
.TP
.I $XDG_CONFIG_HOME/acp/config.toml
what the user has set (~/.config/acp/config.toml); a project's own is
.IR .acp/config.toml .
.TP
.I $XDG_CONFIG_HOME/acp/keys.toml
keys of models; readable for its owner alone
.TP
.I $XDG_CONFIG_HOME/acp/policy.toml
rules that answer permission questions
.TP
.I $XDG_STATE_HOME/acp/
the history of what was typed, and the last session of each agent in each directory
.SH ENVIRONMENT
.TP
.BR ACP_MODEL ", " ACP_MODE
the model and the mode of the built\-in agent
.TP
.B ACP_V2
1: speak version 2 of the protocol, too, where the other side does; 0: do not
.TP
.BR OPENAI_API_KEY ", " ANTHROPIC_API_KEY
keys of models
.TP
.B NO_COLOR
if it is set and not empty, nothing is coloured
.SH SEE ALSO
The protocol: <https://agentclientprotocol.com>, and the pages in
.I )";

int write(const CLI::App& app, const std::string& docs) {
  std::cout << head;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) write_command(*command, docs);
  std::cout << tail << roff(docs) << "\n";
  return 0;
}

}  // namespace

void add_man_command(const Command& root, Action& action) {
  CLI::App& app = root.native();
  CLI::App& man = *app.add_subcommand("man", "The manual page, in roff");
  man.group("");
  const auto docs = std::make_shared<std::string>(docs_directory());
  man.add_option("--docs", *docs, "Where the pages of docs/ are installed")->type_name("DIR");
  man.callback([docs, &app, &action] { action = [docs, &app] { return write(app, *docs); }; });
}

}  // namespace acp::cli
