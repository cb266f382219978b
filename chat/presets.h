// The commands of well-known agents, each with its source. docs/agent-presets.md has the whole
// table.
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
  // The variables with keys (settings/secrets.h) that it gets.
  std::vector<const char*> key_variables;
};

const std::vector<Preset>& presets();

}  // namespace acp::chat
