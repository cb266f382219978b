// acp chat: a conversation with any agent, in the terminal.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "acp/workspace/policy_store.h"
#include "chat/tui/chat.h"
#include "cli/bad_usage.h"
#include "cli/client_options.h"
#include "cli/command.h"

namespace acp::cli {
namespace {

struct Options : ClientOptions {
  std::string policy, prompt;
  bool resume = false;
};

int run(const Options& options) {
  chat::ChatOptions chat;
  const settings::Settings settings = user_settings(options.protocol);
  options.read_into(chat, settings);
  chat.policy_file = options.policy.empty()
                         ? workspace::PolicyStore::default_path()
                         : std::filesystem::absolute(options.policy).lexically_normal().string();
  if (!chat.policy_file.empty()) workspace::PolicyStore(chat.policy_file).load();
  chat.notify = settings.notify.value;
  if (options.resume && !options.session.empty())
    throw BadUsage("either --resume or --session, not both");
  chat.choose_session = options.resume;
  chat.prompt = options.prompt;
  for (const auto& [name, provider] : settings.providers)
    if (provider.needs_key) chat.key_providers.push_back(name);
  return chat::chat(chat);
}

}  // namespace

void add_chat_command(const Command& app, Action& action, std::vector<std::string> command) {
  const Command chat = app.add_subcommand("chat", "Talk with an agent in this terminal");
  chat->set_help_flag("-h,--help", "Show this help");
  chat->usage("[PROMPT] [-- COMMAND…]");
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  chat->add_option("PROMPT", options->prompt, "What to begin with, as if it were typed");
  options->add_to(chat);
  chat->add_flag("--resume", options->resume,
                 "Choose one of the agent's sessions in this directory, and go on with it");
  chat->add_option("--policy", options->policy,
                   "The file with rules that answer permission questions, as 'acp policy' writes "
                   "them (the user's own); what no rule decides is asked")
      ->type_name("FILE");
  chat->footer(
      "Any other agent is started by its command after --, as in\n"
      "  acp chat \"fix the failing test\" -- gemini --acp\n"
      "An agent on another machine (--url, --ssh) works with the files and terminals of its "
      "machine;\n"
      "those here, and the MCP servers of the configuration, are not offered to it. When the "
      "network\n"
      "breaks, it is connected again, and the session goes on.\n"
      "Type and press Enter; /help lists commands and keys. / and @ list commands and files, !ls\n"
      "runs a command, Shift-Tab changes the mode, Ctrl-R searches the history, Ctrl-G opens\n"
      "$EDITOR. Esc or Ctrl-C stops the turn, Ctrl-C twice or Ctrl-D leaves. Without a terminal, "
      "or\n"
      "with TERM=dumb, lines are read and printed.\n"
      "Exit code: 0; 1 the session cannot be resumed; 2 a usage error; 3 the agent\n"
      "cannot be started or was lost; 130 left by Ctrl-C; 128 + N after signal N.");
  chat->callback([options, chat, &action] {
    options->typed = chat->typed_words();
    action = [options] { return told("acp chat", [&] { return run(*options); }); };
  });
}

}  // namespace acp::cli
