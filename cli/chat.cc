// acp chat: a conversation with any agent, in the terminal.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "chat/chat.h"
#include "chat/mcp_servers.h"
#include "chat/printable.h"
#include "cli/command.h"
#include "settings/settings.h"
#include "workspace/policy_store.h"

namespace acp::cli {
namespace {

struct Options {
  std::vector<std::string> command;  // behind --
  std::string agent, cwd = ".", session, mode, model, policy;
  std::vector<std::string> servers;
  std::string framing = "newline";
};

int bad_usage(const std::string& what) {
  std::cerr << "acp chat: " << chat::printable(what) << "\nTry 'acp chat --help'.\n";
  return 2;
}

chat::ChatOptions read(const Options& options) {
  chat::ChatOptions chat;
  std::error_code error;
  chat.cwd = std::filesystem::canonical(options.cwd, error).string();
  if (error || !std::filesystem::is_directory(chat.cwd))
    throw chat::UnknownAgent("--cwd: there is no directory " + options.cwd);
  chat.agent = chat::chosen_agent(options.agent, options.command);
  chat.policy_file = options.policy.empty()
                         ? workspace::PolicyStore::default_path()
                         : std::filesystem::absolute(options.policy).lexically_normal().string();
  if (!chat.policy_file.empty()) workspace::PolicyStore(chat.policy_file).load();
  settings::SettingsSources sources;
  sources.user_file = settings::user_settings_path();
  const settings::Settings settings = settings::load_settings(sources);
  chat.servers = chat::chosen_servers(settings, options.servers);
  chat.notify = settings.notify.value;
  chat.session = options.session;
  chat.choices.mode = options.mode;
  chat.choices.model = options.model;
  chat.framing = *rpc::framing_from(options.framing);
  chat.version = ACP_VERSION;
  return chat;
}

int run(const Options& options) {
  try {
    return chat::chat(read(options));
  } catch (const chat::UnknownAgent& mistake) {
    return bad_usage(mistake.what());
  } catch (const chat::NoSuchServer& mistake) {
    return bad_usage(mistake.what());
  } catch (const settings::SettingsError& mistake) {
    return bad_usage(mistake.what());
  } catch (const workspace::PolicyStoreError& mistake) {
    return bad_usage(std::string("--policy: ") + mistake.what());
  }
}

}  // namespace

void add_chat_command(CLI::App& app, Action& action, std::vector<std::string> command) {
  CLI::App* chat = app.add_subcommand("chat", "Talk with an agent in this terminal");
  chat->set_help_flag("-h,--help", "Show this help");
  const auto options = std::make_shared<Options>();
  options->command = std::move(command);
  const auto option = [&](const char* name, std::string& into, const char* what, const char* type) {
    return chat->add_option(name, into, what)->type_name(type);
  };
  option("--agent", options->agent, "One of 'acp agents'; without it the built-in one", "NAME");
  option("--cwd", options->cwd, "The directory to work in (the one here)", "DIR");
  option("--session", options->session,
         "Go on with a session: its id, or 'last' for the agent's last one in this directory",
         "ID|last");
  option("--mode", options->mode, "The agent's mode", "MODE");
  option("--model", options->model, "The agent's model", "MODEL");
  option("--policy", options->policy,
         "The file with rules that answer permission questions, as 'acp policy' writes them "
         "(the user's own); what no rule decides is asked",
         "FILE");
  chat->add_option("--mcp", options->servers,
                   "Only this MCP server for the agent, instead of all that are configured: its "
                   "name there, or NAME=URL, or NAME=COMMAND; 'none' for none; any number of them")
      ->type_name("NAME[=URL|COMMAND]")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  option("--framing", options->framing, "newline, content-length or auto", "FRAMING")
      ->check(CLI::IsMember({"newline", "content-length", "auto"}))
      ->capture_default_str();
  chat->footer(
      "Any other agent is started by its command behind --, as in\n"
      "  acp chat -- gemini --acp\n"
      "Type and press Enter; /help lists commands and keys. Esc or Ctrl-C cancels the turn, "
      "Ctrl-C\n"
      "twice or Ctrl-D leaves. Without a terminal, or with TERM=dumb, lines are read and printed.\n"
      "Exit code: 0; 1 the session cannot be gone on with; 2 mistakes in the usage; 3 the agent\n"
      "cannot be started or was lost; 130 left by Ctrl-C; 128 + N after signal N.");
  chat->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace acp::cli
