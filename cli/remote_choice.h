// --url and --ssh: an agent on another machine, instead of one of this machine.
#pragma once

#include <string>
#include <vector>

#include "chat/agents.h"
#include "cli/parser.h"
#include "cli/remote_options.h"

namespace acp::cli {

struct RemoteChoice {
  std::string url, host;
  std::vector<std::string> ssh_options;
  RemoteOptions remote;

  void add_to(const Command& app);
  bool given() const { return !url.empty() || !host.empty(); }
  // Checks the combination with the command line's `agent` and `command`. Throws BadUsage.
  void check(const std::string& agent, const std::vector<std::string>& command) const;
  // The remote agent, if given(). The command is what ssh starts; empty: acp agent.
  chat::KnownAgent agent(const std::vector<std::string>& command) const;
  // The command of a relay that changes nothing.
  std::vector<std::string> exact_command(const std::vector<std::string>& command) const;

 private:
  std::vector<std::string> words() const;
};

}  // namespace acp::cli
