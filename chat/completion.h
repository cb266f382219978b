// What the word at the cursor could become: a command, or the path of a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace acp::chat {

struct CommandHelp {
  std::string name;  // with its slashes
  std::string hint = {}, description = {};
};

struct Completion {
  std::size_t from = 0;  // the word begins here
  struct Candidate {
    std::string text;         // what to put there
    std::string description;  // for people
  };
  std::vector<Candidate> candidates = {};
  // What all candidates begin with.
  std::string shared() const;
};

Completion complete(std::string_view text, std::size_t cursor,
                    const std::vector<CommandHelp>& commands, const std::string& cwd);

}  // namespace acp::chat
