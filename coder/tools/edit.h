// Changes to a text by exact replacement.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace acp::coder {

struct Replacement {
  std::string old_text;
  std::string new_text;
  bool all = false;  // else it must occur exactly once
};

// Written for a model: what is wrong, and what would help.
class EditFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Edited {
  std::string text;
  std::vector<std::size_t> lines;  // where each replacement begins, counted from 1, in the new text
};

// One after the other, each on what the one before has left; all or none. A text whose lines end
// with
// "\r\n" keeps them so, also where the replacements have "\n".
Edited replace_in(const std::string& text, const std::vector<Replacement>& replacements);

}  // namespace acp::coder
