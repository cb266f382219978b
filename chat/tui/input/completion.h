// Completes the word at the cursor: a command, or the path of a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace acp::chat {

struct CommandHelp {
  std::string name;  // with its slash
  std::string hint = {}, description = {};
};

struct Completion {
  std::size_t from = 0;  // the word begins here
  struct Candidate {
    std::string text;         // what to put there
    std::string description;  // for people
  };
  std::vector<Candidate> candidates = {};  // the most likely first
  bool command = false;                    // they are commands
  // Whether the word is one of them already.
  bool exact = false;
  // The arguments of the command whose name is typed.
  std::string hint = {};
};

// Completes a word. `files` are those of the project: paths relative to `cwd`. Files of the
// directory that is typed come first, then those whose names fit.
Completion complete(std::string_view text, std::size_t cursor,
                    const std::vector<CommandHelp>& commands, const std::string& cwd,
                    const std::vector<std::string>& files = {});

}  // namespace acp::chat
