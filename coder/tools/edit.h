// Changes to a text by exact replacement.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <stop_token>
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

struct EditLimits {
  std::size_t bytes = 16 * 1024 * 1024;  // of the text, after each replacement
  std::size_t places = 1'000'000;        // in all
  std::stop_token stop = {};
};

// Applies the replacements one after the other, each to the result of the one before; all or none.
// A text whose lines end with "\r\n" keeps them so, also where the replacements have "\n". Throws
// EditFailed; Cancelled (acp/error.h) once the token is set.
Edited replace_in(const std::string& text, const std::vector<Replacement>& replacements,
                  const EditLimits& limits = {});

}  // namespace acp::coder
