// What `acp chat` and `acp run` have in common: the agent, and what is said to it at the start.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acp/rpc/framing.h"
#include "chat/agents.h"
#include "chat/mcp_servers.h"
#include "cli/parser.h"
#include "cli/remote_choice.h"
#include "settings/secrets.h"
#include "settings/settings.h"

namespace acp::cli {

struct ClientOptions {
  std::vector<std::string> command;  // after --
  std::string agent, cwd, session, mode, model;
  RemoteChoice remote;
  std::vector<std::string> servers, maps;
  std::string framing = "newline";
  std::string typed;  // the command line without the agent

  void add_to(const Command& app);

  // Into the options of a chat or a run. Throws what told() tells.
  void read_into(auto& options, const settings::Settings& settings) const {
    options.agent = chosen();
    options.cwd = directory(options.agent);
    // Those of the configuration are of this machine.
    if (!options.agent.elsewhere || !servers.empty())
      options.servers = chat::chosen_servers(settings, servers);
    options.command_environment = settings::Secrets(settings, settings::Keys()).removals();
    options.session = session;
    options.choices.mode = mode;
    options.choices.model = model;
    const bool ours = options.agent.kind == chat::KnownAgent::Kind::built_in;
    options.choices.any_model = ours;
    if (ours) require_model(options.cwd);
    std::vector<std::string>& argv = options.agent.argv;
    // From its start: it need not look for another one first, nor want the key of that.
    if (ours && !model.empty()) argv.insert(argv.end(), {"--model", model});
    if (ours && framing != "newline") argv.insert(argv.end(), {"--framing", framing});
    options.framing = *rpc::framing_from(framing);
    options.version = ACP_VERSION;
    options.typed = typed;
  }

 private:
  chat::KnownAgent chosen() const;
  // Of this machine.
  std::string directory(const chat::KnownAgent& agent) const;
  // Of the built-in agent, in this directory. Throws if there is no such model: the agent would
  // only end at its start.
  void require_model(const std::string& directory) const;
};

// Its absolute path. Throws BadUsage if there is none, or if it cannot be read.
std::string existing_directory(const std::string& given);

// The user's own.
settings::Settings user_settings();

// Reports what is wrong with the files of settings or the environment; gives the exit code, 2. No
// way to the help: that does not explain a file.
int wrong_settings(const std::string& name, const std::string& what);

// What `body` gives. Errors in the usage and in the settings are reported as those of `name`, and
// give 2.
int told(const std::string& name, const std::function<int()>& body);

}  // namespace acp::cli
