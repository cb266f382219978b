// A session that is about to begin, or to be opened again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coder/coder.h"

namespace acp::coder {

struct Coder::Opening {
  std::string cwd;
  std::vector<std::string> additional_directories;
  std::vector<v1::McpServer> servers;
  std::string system_prompt;
  bool override_system_prompt = false;
  settings::Settings settings;
  std::shared_ptr<Models> models;
  std::string model;  // wanted, if it is still there; empty: as settings say
  std::string mode;
  std::vector<Note> notes;
  std::optional<LocalServer> unasked;  // the first prompt asks about it
  bool no_model = false;               // none is configured or found: the offline one stands in
};

}  // namespace acp::coder
