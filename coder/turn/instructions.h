// The instructions of the model: its role, its directory, and the project's AGENTS.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acp/workspace/files/forbidden.h"

namespace acp::coder {

struct InstructionsWanted {
  std::string cwd;
  std::vector<std::string> additional_directories = {};
  std::string mode;
  std::string date;  // "2026-11-15"
  // The client's system prompt: added to ours, or in its place.
  std::string system_prompt = {};
  bool override_ours = false;
};

struct ProjectFile {
  std::string path;
  std::string text;
};
struct ProjectInstructions {
  std::vector<ProjectFile> files = {};
  std::vector<std::string> problems = {};  // for people: what is there and not obeyed, and why
};
// AGENTS.md of the working directory and of those above it, up to the root of the project (where
// .git is): the nearest first. Not those that settings::read_project_file() refuses (links that
// leave their directory, files of other users), nor what is forbidden. `mask` takes the keys out of
// a text, before it is cut.
ProjectInstructions project_instructions(const std::string& cwd,
                                         const workspace::Forbidden& forbidden = {},
                                         const std::function<void(std::string&)>& mask = nullptr);

std::string instructions(const InstructionsWanted& wanted,
                         const std::vector<ProjectFile>& project_files);

}  // namespace acp::coder
