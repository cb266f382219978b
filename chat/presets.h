// How agents that are well known are started, each with the place where that is said.
// docs/agent-presets.md has the whole table.
#pragma once

#include <vector>

namespace acp::chat {

struct Preset {
  const char* name;
  std::vector<const char*> command;
  const char* install;             // how one gets it; empty if no source says so
  const char* without_installing;  // a command that fetches and starts it; empty if there is none
  const char* source;
  const char* read;  // when the source said so
  // Of the variables that hold keys (settings/secrets.h), those that it gets.
  std::vector<const char*> key_variables;
};

const std::vector<Preset>& presets();

}  // namespace acp::chat
