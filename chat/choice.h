// One of the answers that a person chooses from.
#pragma once

#include <string>

namespace acp::chat {

struct Choice {
  std::string label;
  std::string description = {};
  // The effect of the answer: shown in brackets after the label, and never cut.
  std::string meaning = {};
  char key = 0;  // in addition to its number
  // What is asked must have been on the screen before this is chosen.
  bool allows = false;
};

}  // namespace acp::chat
