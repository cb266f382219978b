// Options that `acp chat` and `acp run` share: the agent, and its choices at the start.
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
  std::string agent, cwd, session, mode, model, protocol;
  RemoteChoice remote;
  std::vector<std::string> servers, maps;
  std::string framing = "newline";
  std::string typed;  // the command line without the agent

  void add_to(const Command& app);

  // Reads them into the options of a chat or a run. Throws what told() reports.
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
    // Passed at its start: so it does not look for another model first, nor need a key for that.
    if (ours && !model.empty()) argv.insert(argv.end(), {"--model", model});
    if (ours && !protocol.empty()) argv.insert(argv.end(), {"--protocol", protocol});
    if (ours && framing != "newline") argv.insert(argv.end(), {"--framing", framing});
    options.framing = *rpc::framing_from(framing);
    options.versions = settings.versions();
    options.version = ACP_VERSION;
    options.typed = typed;
  }

 private:
  chat::KnownAgent chosen() const;
  // The directory on this machine.
  std::string directory(const chat::KnownAgent& agent) const;
  // Throws if the built-in agent has no such model in this directory: it would only end at its
  // start.
  void require_model(const std::string& directory) const;
};

// The absolute path of a directory. Throws BadUsage if there is none, or if it cannot be read.
std::string existing_directory(const std::string& given);

// The user's own, with the command line's --protocol.
settings::Settings user_settings(const std::string& protocol = {});

// Reports an error in the files of settings or the environment, without a pointer to --help;
// returns the exit code, 2.
int wrong_settings(const std::string& name, const std::string& what);

// Returns the result of `body`. Reports errors in the usage and in the settings as those of `name`,
// and returns 2 then.
int told(const std::string& name, const std::function<int()>& body);

}  // namespace acp::cli
