// acp completions: what a shell offers for the word that is being typed. The scripts only ask; the
// answers come from the commands and options themselves, so they are never out of date.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chat/agents.h"
#include "cli/command.h"
#include "cli/help_format.h"
#include "settings/settings.h"
#include "settings/settings_edit.h"

namespace acp::cli {
namespace {

constexpr const char* bash_script = R"(# bash completion for acp:  source <(acp completions bash)
_acp() {
  local line word current=${COMP_WORDS[COMP_CWORD]} files=
  COMPREPLY=()
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    case $word in
      :file) files=-f ;;
      :dir) files=-d ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]}" completions --words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen $files -- "$current")
  fi
}
complete -F _acp acp
)";

constexpr const char* zsh_script = R"(#compdef acp
# zsh completion for acp:  acp completions zsh > DIRECTORY/_acp, for a DIRECTORY of $fpath; or
# source <(acp completions zsh)  after compinit
_acp() {
  local line word told files=
  local -a offered
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    told=${line#*$'\t'}
    case $word in
      :file) files=file ;;
      :dir) files=dir ;;
      *) offered+=("${word//:/\\:}:$told") ;;
    esac
  done < <("${words[1]}" completions --words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#offered )) && _describe -t words acp offered
  [[ $files == file ]] && _files
  [[ $files == dir ]] && _files -/
  return 0
}
if [[ ${funcstack[1]} == _acp ]]; then _acp "$@"; else compdef _acp acp; fi
)";

constexpr const char* fish_script = R"(# fish completion for acp:  acp completions fish | source
function __acp_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] completions --words -- $words[2..-1] 2>/dev/null)
        switch $line
            case ':file*'
                __fish_complete_path (commandline -ct)
            case ':dir*'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c acp -f -a '(__acp_complete)'
)";

class Words {
 public:
  explicit Words(std::string_view begun) : begun_(begun) {}

  void offer(const std::string& word, std::string told = {}) const {
    if (!word.starts_with(begun_)) return;
    // One line, and the first sentence.
    std::replace_if(
        told.begin(), told.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    const std::size_t end = told.find_first_of(";:(");
    std::cout << word << '\t' << told.substr(0, end) << '\n';
  }
  void files() const { std::cout << ":file\t\n"; }
  void directories() const { std::cout << ":dir\t\n"; }

 private:
  std::string_view begun_;
};

void offer_agents(const Words& words) {
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  sources.any_model = true;
  try {
    for (const chat::KnownAgent& agent : chat::known_agents(settings::load_settings(sources)))
      words.offer(agent.name, agent.source);
  } catch (const std::exception&) {
    // `acp agents` tells what is wrong; a key for completion is no place for that.
  }
}

void offer_servers(const Words& words, bool or_none) {
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  sources.any_model = true;
  try {
    for (const auto& [name, server] : settings::load_settings(sources).mcp) words.offer(name);
  } catch (const std::exception&) {
  }
  if (or_none) words.offer("none");
}

void offer_settings(const Words& words) {
  for (const settings::KnownSetting& known : settings::known_settings())
    if (known.name.find("NAME") == std::string::npos) words.offer(known.name);
}

// By what the help calls it: FILE and DIR are paths, small words are themselves, {a,b} is a choice.
void offer_values(const CLI::Option& option, const Words& words) {
  if (option.check_lname("agent")) return offer_agents(words);
  if (option.check_lname("mcp")) return offer_servers(words, true);
  if (option.check_lname("server") || option.get_name() == "SERVER")
    return offer_servers(words, false);
  if (option.get_name() == "KEY") return offer_settings(words);
  const std::string type = option.get_type_name();
  std::string word;
  const auto done = [&] {
    const bool small = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (word.find("FILE") != std::string::npos || word == "PATH") words.files();
    if (word.find("DIR") != std::string::npos) words.directories();
    if (small) words.offer(word);
    word.clear();
  };
  for (const char c : type) {
    if (std::string_view("|{},: []=.").find(c) != std::string_view::npos)
      done();
    else
      word += c;
  }
  done();
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

const CLI::Option* option_named(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-')) return nullptr;
  for (const CLI::Option* option : app.get_options())
    if (option->check_name(word)) return option;
  return nullptr;
}

void complete(const CLI::App& root, std::vector<std::string> typed) {
  if (typed.size() > 1 && typed.front() == "help") typed.erase(typed.begin());
  const CLI::App* app = &root;
  const CLI::Option* valued = nullptr;  // of which the next word is the value
  for (std::size_t i = 0; i + 1 < typed.size(); ++i) {
    if (std::exchange(valued, nullptr) != nullptr) continue;
    if (typed[i] == "--") return Words(typed.back()).files();  // a command of one's own
    if (const CLI::Option* option = option_named(*app, typed[i])) {
      if (takes_value(*option)) valued = option;
      continue;
    }
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; }))
      if (command->get_name() == typed[i]) {
        app = command;
        break;
      }
  }
  const std::string begun = typed.empty() ? "" : typed.back();
  const Words words(begun);
  if (valued != nullptr) return offer_values(*valued, words);
  if (begun.starts_with('-')) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames())
        words.offer("--" + name, option->get_description());
      if (begun == "-")
        for (const std::string& name : option->get_snames())
          words.offer("-" + name, option->get_description());
    }
    return;
  }
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) words.offer(command->get_name(), command->get_description());
  for (const CLI::Option* option : app->get_options())
    if (option->get_positional()) offer_values(*option, words);
}

struct Options {
  std::string shell;
  bool words = false;
};

}  // namespace

void add_completions_command(const Command& root, Action& action,
                             std::vector<std::string> command) {
  CLI::App& app = root.native();
  CLI::App& completions =
      *app.add_subcommand("completions", "What bash, zsh and fish need to complete acp's words");
  completions.set_help_flag("-h,--help", "Show this help");
  completions.formatter(std::make_shared<HelpFormatter>("SHELL"));
  const auto options = std::make_shared<Options>();
  completions
      .add_option("SHELL", options->shell, "The shell whose script is printed: bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  // For the scripts: what could stand for the last of the words after --.
  completions.add_flag("--words", options->words, "")->group("");
  completions.footer(
      "  bash  source <(acp completions bash)    in ~/.bashrc\n"
      "  zsh   source <(acp completions zsh)     in ~/.zshrc, after compinit\n"
      "  fish  acp completions fish > ~/.config/fish/completions/acp.fish\n"
      "An installed acp has these in place already.");
  completions.callback([options, command = std::move(command), &app, &action] {
    if (!options->words && options->shell.empty()) throw CLI::RequiredError("SHELL");
    action = [options, command, &app] {
      if (options->words)
        complete(app, command);
      else
        std::cout << (options->shell == "bash"  ? bash_script
                      : options->shell == "zsh" ? zsh_script
                                                : fish_script);
      return 0;
    };
  });
}

}  // namespace acp::cli
