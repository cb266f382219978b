// The agents that can be started by a name: the built-in one, the user's own, and those that are
// well known.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "acp/io/process/process.h"
#include "settings/settings.h"

namespace acp::chat {

// An agent that can be started, and its name.
struct KnownAgent {
  enum class Kind { built_in, own, preset, command, remote };

  std::string name;  // sessions and rules are kept by it
  Kind kind = Kind::command;
  std::vector<std::string> argv = {};
  // On another machine: `argv` is 'acp connect'. Files and terminals of this one are not offered.
  bool elsewhere = false;
  std::string place = {};                        // where that is, for people
  std::vector<std::string> remote_command = {};  // what ssh starts there
  std::string there = {};  // its directory there; empty: the same path as here, or its own choice
  std::vector<std::string> chosen = {};  // the words of a command line that choose it
  bool maps = false;  // directories have names of this machine: 'acp connect --map'
  std::map<std::string, std::string> env = {};  // added to ours
  std::vector<std::string> withheld = {};       // variables of ours that it does not get
  std::string source = {};                      // where this is set
  std::string read = {};                        // when the source was read; of a preset
  std::string install = {};                     // how to install it, if known
  std::string without_installing = {};          // a command that needs no installation

  // How to install it, and the command that starts it without installing: `typed` is its beginning
  // up to the agent, "acp chat". Empty if neither is known.
  std::string advice(const std::string& typed) const;
  // The command line of its process.
  std::vector<std::string> words() const;
  io::ProcessOptions process() const;
  // The edits of its process's environment: first removes what is withheld, then adds `env`.
  std::vector<io::EnvironmentEdit> environment() const;
};
const char* to_string(KnownAgent::Kind kind);

inline constexpr const char* built_in_agent = "acp";

// No agent has this name; what() lists the known ones.
class UnknownAgent : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// All agents: the built-in one first, then the user's own, then the presets; a name of the user's
// own hides the preset. The built-in one gets our whole environment; the others no key of a
// provider but for those that a preset needs, and what `env` sets.
std::vector<KnownAgent> known_agents(const settings::Settings& settings);
// Throws UnknownAgent.
KnownAgent find_agent(const settings::Settings& settings, const std::string& name);
// The agent that a command line chooses: by a name, or a command, not both; else the built-in one.
// Throws UnknownAgent, SettingsError. A command gets our whole environment; ${NAME} in `env` is
// taken from there.
KnownAgent chosen_agent(const std::string& name, const std::vector<std::string>& command);
// An agent without a name: it is called by its command.
KnownAgent agent_of_command(std::vector<std::string> argv);

}  // namespace acp::chat
