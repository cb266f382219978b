#include "cli/remote_choice.h"

#include "chat/program.h"
#include "chat/remote_agent.h"
#include "cli/bad_usage.h"
#include "cli/ssh_options.h"

namespace acp::cli {

void RemoteChoice::add_to(const Command& app) {
  app.add_option("--url", url,
                 "An agent on another machine: the address where 'acp serve', or another server of "
                 "ACP, offers it (http, https, ws or wss)")
      ->type_name("URL");
  remote.add_to(app);
  app.add_option("--ssh", host,
                 "An agent that ssh starts on another machine: 'acp agent', or the command after "
                 "--. ssh asks nothing: the login must work without a password")
      ->type_name("HOST");
  add_ssh_options(app, ssh_options);
}

void RemoteChoice::check(const std::string& agent, const std::vector<std::string>& command) const {
  if (!url.empty() && !host.empty()) throw BadUsage("either --url or --ssh, not both");
  if (!agent.empty() && given())
    throw BadUsage(std::string("either --agent or ") + (url.empty() ? "--ssh" : "--url") +
                   ", not both");
  if (!url.empty() && !command.empty())
    throw BadUsage("either --url or a command after --, not both");
  if (url.empty() && remote.given())
    throw BadUsage("--token-file, --header, --proxy, --ca-file and --silence are for --url");
  if (host.empty() && !ssh_options.empty()) throw BadUsage("--ssh-option is for --ssh");
  if (!url.empty()) remote.read(url);
  if (!host.empty()) check_ssh(host, ssh_options);
}

std::vector<std::string> RemoteChoice::words() const {
  std::vector<std::string> words = remote.words();
  for (const std::string& option : ssh_options) words.insert(words.end(), {"--ssh-option", option});
  return words;
}

chat::KnownAgent RemoteChoice::agent(const std::vector<std::string>& command) const {
  chat::KnownAgent agent = chat::agent_elsewhere({url, host, words(), command});
  agent.chosen = {url.empty() ? "--ssh" : "--url", url.empty() ? host : url};
  const std::vector<std::string> more = words();
  agent.chosen.insert(agent.chosen.end(), more.begin(), more.end());
  return agent;
}

std::vector<std::string> RemoteChoice::exact_command(
    const std::vector<std::string>& command) const {
  std::vector<std::string> argv = {chat::own_program(), "connect", "--exact"};
  const std::vector<std::string> more = words();
  argv.insert(argv.end(), more.begin(), more.end());
  if (host.empty()) {
    argv.push_back(url);
    return argv;
  }
  argv.insert(argv.end(), {"--ssh", host});
  if (!command.empty()) argv.push_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

}  // namespace acp::cli
